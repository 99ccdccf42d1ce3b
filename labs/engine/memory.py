"""Sequences and KV memory: who gets blocks, who must give them back, and what moves to the host."""

from __future__ import annotations

from labs.engine.config import EngineConfig
from labs.engine.events import Action
from labs.engine.executor import Executor
from labs.engine.pool import BlockPool
from labs.engine.types import Sequence, State


class KvMemory:
    """The pool seen from sequences. Every change is written into `log`, the action list of the step's event.

    `used` (blocks holding at least one token's KV) and `used_tokens` follow `Sequence.computed`.
    """

    def __init__(self, config: EngineConfig, pool: BlockPool, executor: Executor) -> None:
        self.config = config
        self.pool = pool
        self.executor = executor
        self.log: list[Action] = []  # replaced by the engine: actions before, then after the computation
        self.used = 0
        self.used_tokens = 0
        self.host_blocks = 0  # swapped out now
        self.swap_bytes = 0  # moved since the plan began

    def blocks_to_admit(self, seq: Sequence) -> int:
        """Blocks that admission must promise: for the declared maximum, or only for the tokens known now."""
        if not self.config.reserves:
            return self.pool.blocks_for(seq.total)
        return self.pool.blocks_for(seq.prompt_len + max(seq.request.declared_max, 1) - 1)

    def fits(self, seq: Sequence) -> bool:
        return self.pool.can_reserve(self.blocks_to_admit(seq))

    def admit(self, seq: Sequence) -> None:
        """Reserve, hand out the blocks of all known tokens, and bring swapped KV back."""
        seq.reserved = self.blocks_to_admit(seq)
        self.pool.reserve(seq.reserved)
        self._add_blocks(seq, seq.reserved if self.pool.contiguous else self.pool.blocks_for(seq.total))
        if seq.state is State.SWAPPED:
            count = self.pool.blocks_for(seq.computed)
            self.executor.copy_in(seq.host, seq.blocks[:count])
            self._drop_host_copy(seq)
            moved = count * self.executor.block_bytes
            self.swap_bytes += moved
            self.log.append(("swap_in", seq.id, count, moved))
            self.used += count
            self.used_tokens += seq.computed
        seq.state = State.RUNNING

    def grow(self, seq: Sequence) -> bool:
        """One more block for the next token; False when none is free."""
        if seq.reserved == len(seq.blocks):
            if not self.pool.can_reserve(1):
                return False
            self.pool.reserve(1)
            seq.reserved += 1
        self._add_blocks(seq, 1)
        return True

    def _add_blocks(self, seq: Sequence, count: int) -> None:
        blocks = self.pool.allocate(count)
        seq.blocks.extend(blocks)
        seq.capacity = len(seq.blocks) * self.pool.block_size
        self.log.append(("alloc", seq.id, blocks))

    def stored(self, start: int, stop: int) -> None:
        """Tokens [start, stop) of a sequence now have their KV in memory."""
        size = self.pool.block_size
        self.used += -(-stop // size) - -(-start // size)
        self.used_tokens += stop - start

    def preempt(self, seq: Sequence) -> None:
        """Take the KV away: copied to the host when swapping is on and there is room, else computed again later."""
        count = self.pool.blocks_for(seq.computed)
        room = self.config.swap_blocks is None or self.host_blocks + count <= self.config.swap_blocks
        computed, moved, kind = seq.computed, 0, "recompute"
        if self.config.preempt == "swap" and room and computed:
            seq.host = self.executor.copy_out(seq.blocks[:count])
            self.host_blocks += count
            kind, moved = "swap", count * self.executor.block_bytes
            self.swap_bytes += moved
        self.log.append(("preempt", seq.id, kind, computed, moved))
        self.release(seq)
        seq.computed = computed if kind == "swap" else 0
        seq.state = State.SWAPPED if kind == "swap" else State.WAITING
        seq.preemptions += 1

    def release(self, seq: Sequence) -> None:
        """Give all its blocks and promises back; harmless when it has none."""
        if seq.host is not None and seq.state is State.SWAPPED:
            self._drop_host_copy(seq)
        if not seq.blocks:
            return
        self.used -= self.pool.blocks_for(seq.computed)
        self.used_tokens -= seq.computed
        self.log.append(("free", seq.id, seq.blocks))
        freed = self.pool.give_back(seq.blocks)
        self.pool.release(seq.reserved)
        if self.config.check:
            self.executor.poison(freed)
        seq.blocks, seq.capacity, seq.reserved = [], 0, 0

    def _drop_host_copy(self, seq: Sequence) -> None:
        self.host_blocks -= self.pool.blocks_for(seq.computed)
        seq.host = None
