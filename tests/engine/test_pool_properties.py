"""The block pool against a model of it: whatever is promised, handed out and given back, no block is lost or shared."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from labs.engine.pool import BlockPool, PoolError
from labs.engine.types import PADDING_BLOCK

from .strategies import examples

COUNTS = st.integers(0, 7)


class PoolMachine(RuleBasedStateMachine):
    """`tables` are what owners hold; `promised` is what was reserved."""

    @initialize(blocks=st.integers(1, 12), size=st.integers(1, 5), contiguous=st.booleans())
    def make(self, blocks: int, size: int, contiguous: bool) -> None:
        self.pool = BlockPool(blocks, size, contiguous)
        self.tables: list[list[int]] = []
        self.promised = 0

    @property
    def held(self) -> set[int]:
        return {block for table in self.tables for block in table}

    def run_of(self, count: int) -> list[int] | None:
        """The first run of free neighbours, found by trying every place."""
        for first in range(1, self.pool.num_blocks - count + 2):
            if not self.held & set(range(first, first + count)):
                return list(range(first, first + count))
        return None

    @rule(count=COUNTS)
    def reserve(self, count: int) -> None:
        room = self.promised + count <= self.pool.num_blocks
        fits = room and (not self.pool.contiguous or count == 0 or self.run_of(count) is not None)
        if count:
            assert self.pool.can_reserve(count) is fits
        if room:
            self.pool.reserve(count)
            self.promised += count
        else:
            with pytest.raises(PoolError, match="cannot promise"):
                self.pool.reserve(count)

    @rule(count=COUNTS)
    def release(self, count: int) -> None:
        count = min(count, self.promised - len(self.held))
        self.pool.release(count)
        self.promised -= count

    @rule(count=st.integers(1, 7))
    def allocate(self, count: int) -> None:
        run = self.run_of(count)
        free = self.pool.num_blocks - len(self.held)
        if (run is None) if self.pool.contiguous else (count > free):
            with pytest.raises(PoolError, match="free"):
                self.pool.allocate(count)
            return
        blocks = self.pool.allocate(count)
        assert len(blocks) == len(set(blocks)) == count
        assert not set(blocks) & self.held
        if self.pool.contiguous:
            assert blocks == run
        self.tables.append(blocks)
        missing = max(0, len(self.held) - self.promised)  # an owner reserves what it holds
        self.pool.reserve(missing)
        self.promised += missing

    @precondition(lambda self: self.tables)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        """All or a part of a table, in any order."""
        table = self.tables.pop(data.draw(st.integers(0, len(self.tables) - 1)))
        part = data.draw(st.lists(st.sampled_from(table), unique=True))
        assert self.pool.give_back(part) == part
        rest = [block for block in table if block not in part]
        if rest:
            self.tables.append(rest)

    @rule(block=st.integers(0, 12))
    def give_back_what_nobody_holds(self, block: int) -> None:
        if block in self.held or block > self.pool.num_blocks:
            return
        with pytest.raises(PoolError, match="already free"):
            self.pool.give_back([block])

    @invariant()
    def every_block_is_free_or_held_once(self) -> None:
        pool, held = self.pool, self.held
        assert pool.free + len(held) == pool.num_blocks
        assert pool.allocated == len(held)
        assert sum(len(table) for table in self.tables) == len(held)
        assert {block for block, refs in enumerate(pool.refs) if refs} == held | {PADDING_BLOCK}
        assert max(pool.refs) == 1
        assert pool.reserved == self.promised <= pool.num_blocks

    def teardown(self) -> None:
        if hasattr(self, "pool"):
            for table in self.tables:
                self.pool.give_back(table)
            blocks = self.pool.allocate(self.pool.num_blocks)
            assert sorted(blocks) == list(range(1, self.pool.num_blocks + 1))


TestPool = PoolMachine.TestCase
TestPool.settings = examples(150, steps=40)
