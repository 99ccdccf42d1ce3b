"""An executor that keeps what a real one keeps, but readable: for every token slot, whose token it holds.

It fails loudly when the engine makes it read a slot that was not written by that very request at that position (stale
KV after a preemption, a wrong block table, a swap that copied another block, a poisoned or padding block), and its
tokens are a hash of everything read, so that any slip changes the text.
"""

from __future__ import annotations

from collections.abc import Callable

from labs.engine.types import PADDING_BLOCK, Plan, StepResult, mix

Slot = tuple[str, int, int] | None  # request id, position, token


class LedgerExecutor:
    def __init__(self, vocab_size: int = 997) -> None:
        self.vocab_size: int | None = vocab_size
        self.block_bytes = 0
        self.fail: dict[str, str] = {}  # request id -> why its next chunk fails
        self.hook: Callable[[Plan], None] | None = None
        self.host_copies = 0

    def allocate(self, num_blocks: int, block_size: int) -> None:
        self.size = block_size
        self.block_bytes = block_size * 10
        self.kv: list[list[Slot]] = [[None] * block_size for _ in range(num_blocks + 1)]

    def run(self, plan: Plan) -> StepResult:
        if self.hook is not None:
            self.hook(plan)
        result = StepResult({})
        for seq, start, stop in plan.chunks:
            if seq.id in self.fail:
                result.failed[seq.key] = self.fail[seq.id]
                continue
            for position, token in zip(range(start, stop), seq.tokens(start, stop), strict=True):
                self.kv[seq.blocks[position // self.size]][position % self.size] = (seq.id, position, token)
            read = [self._read(seq, position) for position in range(stop)]
            if stop == seq.total:
                result.tokens[seq.key] = self._token(read, seq.masked_ids)
        # In another order than the plan's: an engine that matches tokens by place would mix them up.
        result.tokens = dict(reversed(result.tokens.items()))
        return result

    def _read(self, seq, position: int) -> int:
        block = seq.blocks[position // self.size]
        assert block != PADDING_BLOCK, f"'{seq.id}' reads the padding block"
        held = self.kv[block][position % self.size]
        assert held is not None, f"'{seq.id}' reads position {position} in freed block {block}"
        assert held[:2] == (seq.id, position), f"'{seq.id}' reads position {position} and finds {held}"
        return held[2]

    def _token(self, read: list[int], masked: tuple[int, ...]) -> int:
        attempt = 0
        while (token := mix(attempt, *read) % self.vocab_size) in masked:
            attempt += 1
        return token

    def copy_out(self, blocks: list[int]) -> object:
        self.host_copies += 1
        return [list(self.kv[block]) for block in blocks]

    def copy_in(self, handle: object, blocks: list[int]) -> None:
        assert isinstance(handle, list)
        assert len(handle) == len(blocks)
        self.host_copies -= 1
        for block, content in zip(blocks, handle, strict=True):
            self.kv[block] = list(content)

    def poison(self, blocks: list[int]) -> None:
        for block in blocks:
            self.kv[block] = [None] * self.size
