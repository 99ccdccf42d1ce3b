"""KV memory: blocks, block tables' owners (reference counts), promises. Knows nothing of requests."""

from __future__ import annotations

from labs.engine.types import PADDING_BLOCK


class PoolError(RuntimeError):
    """A bug in the engine: a double free, a block handed out twice."""


class BlockPool:
    """`num_blocks` usable blocks (ids 1..num_blocks) of `block_size` token slots, plus the padding block.

    `reserved` counts promised blocks: those handed out and those that admission set aside for later. Paged memory
    hands out any free block; contiguous memory hands out one run of neighbours, first fit, so it can be fragmented.
    """

    def __init__(self, num_blocks: int, block_size: int, contiguous: bool = False) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.contiguous = contiguous
        self.refs = [0] * (num_blocks + 1)
        self.refs[PADDING_BLOCK] = 1  # never free, never in a table
        self.reserved = 0
        self._free = list(range(num_blocks, 0, -1))  # a stack; low ids first

    @property
    def free(self) -> int:
        return len(self._free)

    @property
    def allocated(self) -> int:
        return self.num_blocks - len(self._free)

    def blocks_for(self, tokens: int) -> int:
        return -(-tokens // self.block_size)

    def can_reserve(self, count: int) -> bool:
        if self.reserved + count > self.num_blocks:
            return False
        return not self.contiguous or self._first_fit(count) is not None

    def reserve(self, count: int) -> None:
        if self.reserved + count > self.num_blocks:
            raise PoolError(f"cannot promise {count} blocks: {self.reserved} of {self.num_blocks} are promised")
        self.reserved += count

    def release(self, count: int) -> None:
        self.reserved -= count

    def allocate(self, count: int) -> list[int]:
        """Hand out `count` blocks that were reserved before."""
        if self.contiguous:
            return self._allocate_run(count)
        if count > len(self._free):
            raise PoolError(f"{count} blocks asked for, {len(self._free)} free")
        blocks = self._free[: -count - 1 : -1]  # the top of the stack, first out first
        del self._free[len(self._free) - count :]
        self._take(blocks)
        return blocks

    def give_back(self, blocks: list[int]) -> list[int]:
        """Drop one reference of each block; returns those that became free, in the order given."""
        freed, refs = [], self.refs
        for block in blocks:
            left = refs[block] - 1
            if left < 0 or block == PADDING_BLOCK:
                raise PoolError(f"block {block} is already free (or is the padding block)")
            refs[block] = left
            if not left:
                freed.append(block)
        self._free.extend(reversed(freed))
        return freed

    def _take(self, blocks: list[int]) -> None:
        refs = self.refs
        for block in blocks:
            if refs[block]:
                raise PoolError(f"block {block} was handed out twice")
            refs[block] = 1

    def _first_fit(self, count: int) -> int | None:
        """First id of a run of `count` free blocks, or None."""
        run = 0
        for block in range(1, self.num_blocks + 1):
            run = run + 1 if self.refs[block] == 0 else 0
            if run >= count:
                return block - count + 1
        return None

    def _allocate_run(self, count: int) -> list[int]:
        start = self._first_fit(count)
        if start is None:
            raise PoolError(f"no run of {count} free blocks")
        blocks = list(range(start, start + count))
        taken = set(blocks)
        self._free = [block for block in self._free if block not in taken]
        self._take(blocks)
        return blocks
