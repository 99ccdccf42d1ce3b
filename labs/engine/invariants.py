"""What must be true after every step. A violation is a bug of the engine, said with the numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from labs.engine.types import PADDING_BLOCK, Sequence, State

if TYPE_CHECKING:
    from labs.engine.scheduler import Scheduler


class InvariantError(AssertionError):
    pass


def _require(true: bool, message: str) -> None:
    if not true:
        raise InvariantError(message)


def check_invariants(scheduler: Scheduler, live: Iterable[Sequence]) -> None:
    """Blocks, references, slots, states and counts agree with each other."""
    memory, pool = scheduler.memory, scheduler.memory.pool
    owners: dict[int, list[str]] = {}
    for seq in live:
        for block in seq.blocks:
            owners.setdefault(block, []).append(seq.id)
        _check_sequence(seq, pool.block_size)
    _require(PADDING_BLOCK not in owners, f"the padding block is in the table of {owners.get(PADDING_BLOCK)}")
    for block in range(1, pool.num_blocks + 1):
        holders = owners.get(block, [])
        _require(
            pool.refs[block] == len(holders),
            f"block {block} has {pool.refs[block]} references and is in the tables of {holders}",
        )
        _require(len(holders) <= 1, f"block {block} has several writers: {holders}")
    _require(
        pool.free + len(owners) == pool.num_blocks,
        f"{pool.free} free + {len(owners)} used blocks are not {pool.num_blocks}",
    )
    promised = sum(seq.reserved for seq in scheduler.running)
    _require(promised == pool.reserved, f"{pool.reserved} blocks are promised, sequences hold {promised}")
    _require(pool.reserved <= pool.num_blocks, f"{pool.reserved} of {pool.num_blocks} blocks are promised")
    used = sum(pool.blocks_for(seq.computed) for seq in scheduler.running)
    _require(used == memory.used, f"{memory.used} blocks counted as used, tables say {used}")
    tokens = sum(seq.computed for seq in scheduler.running)
    _require(tokens == memory.used_tokens, f"{memory.used_tokens} tokens counted as stored, sequences say {tokens}")
    slots = [seq.slot for seq in scheduler.running]
    _require(len(set(slots)) == len(slots), f"two sequences share a slot: {slots}")
    _require(len(slots) <= scheduler.config.rows, f"{len(slots)} sequences run in {scheduler.config.rows} slots")


def _check_sequence(seq: Sequence, block_size: int) -> None:
    _require(0 <= seq.computed <= seq.total, f"'{seq.id}': computed {seq.computed} of {seq.total} tokens")
    _require(seq.total == seq.prompt_len + len(seq.output), f"'{seq.id}': total {seq.total} is not prompt + output")
    _require(len(seq.output) <= seq.limit, f"'{seq.id}': {len(seq.output)} tokens, limit {seq.limit}")
    _require(seq.capacity == len(seq.blocks) * block_size, f"'{seq.id}': capacity {seq.capacity} is stale")
    if seq.state is State.RUNNING:
        _require(seq.computed <= seq.capacity, f"'{seq.id}': {seq.computed} tokens in {seq.capacity} slots")
        _require(seq.reserved >= len(seq.blocks), f"'{seq.id}': holds more blocks than it reserved")
    else:
        _require(not seq.blocks and seq.slot < 0, f"'{seq.id}' is {seq.state} and holds blocks or a slot")
    _require((seq.state is State.SWAPPED) == (seq.host is not None), f"'{seq.id}': swap handle and state disagree")
