"""What computes tokens. The scheduler cannot tell which executor it drives."""

from __future__ import annotations

from typing import Protocol

from labs.engine.types import Plan, StepResult, mix, request_key


class Executor(Protocol):
    """The contract between the engine and whatever computes.

    `vocab_size` None means that sequences carry lengths only (no token ids); otherwise every sequence has a
    `prompt` of ids and `Sequence.tokens(start, stop)` works. `block_bytes` is the KV size of one block over all
    layers, K and V; it is known after `allocate`.
    """

    vocab_size: int | None
    block_bytes: int

    def allocate(self, num_blocks: int, block_size: int) -> None:
        """Make KV memory for `num_blocks` usable blocks, ids 1..num_blocks, plus the padding block 0."""

    def run(self, plan: Plan) -> StepResult:
        """Compute every chunk (KV of positions [start, stop) is written through `seq.blocks`) and the padding.

        Return one token for each chunk with stop == seq.total, keyed by `seq.key`; never sample `seq.masked_ids`.
        A failure of one sequence goes into `failed` and must not touch the others. Nothing of `seq` is changed.
        """

    def copy_out(self, blocks: list[int]) -> object:
        """Copy the KV of these blocks to host memory; the handle is given back to `copy_in`."""

    def copy_in(self, handle: object, blocks: list[int]) -> None:
        """Copy host KV into these blocks, in the table's order."""

    def poison(self, blocks: list[int]) -> None:
        """Fill freed blocks with NaN (called when invariants are checked), so that a stale read cannot stay hidden."""


class VirtualExecutor:
    """No torch: lengths are given, tokens are made up as f(seed, request, position). Swap only counts its bytes.

    `kv_bytes_per_token` prices a block; the default is Llama-3-8B in BF16 (32 layers x 8 KV heads x 128 x 2 x 2 B).
    """

    def __init__(self, seed: int = 0, kv_bytes_per_token: int = 131_072, made_up_vocab: int = 32_000) -> None:
        self.vocab_size: int | None = None
        self.seed = seed
        self.made_up_vocab = made_up_vocab
        self.kv_bytes_per_token = kv_bytes_per_token
        self.block_bytes = 0

    def allocate(self, num_blocks: int, block_size: int) -> None:
        self.block_bytes = block_size * self.kv_bytes_per_token

    def run(self, plan: Plan) -> StepResult:
        # Forced lengths need no randomness at all: the position stands for the token, which keeps the hot loop short.
        tokens = {}
        for seq, _, stop in plan.chunks:
            if stop == seq.total:
                tokens[seq.key] = stop if seq.request.output_len is not None else self._token(seq, stop)
        return StepResult(tokens)

    def _token(self, seq, position: int) -> int:
        key = request_key(seq.request.id)
        masked = seq.masked_ids
        for attempt in range(1000):
            token = mix(self.seed, key, position, attempt) % self.made_up_vocab
            if token not in masked:
                return token
        raise RuntimeError(f"request '{seq.id}': every made-up token is masked")

    def copy_out(self, blocks: list[int]) -> object:
        return len(blocks)

    def copy_in(self, handle: object, blocks: list[int]) -> None:
        assert handle == len(blocks), "a swapped sequence came back with another number of blocks"

    def poison(self, blocks: list[int]) -> None:
        pass
