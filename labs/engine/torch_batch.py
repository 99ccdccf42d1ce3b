"""From a plan to the rows that one forward pass computes: ids, positions, KV slots, attention calls."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from labs.engine.kernels import EXACT_TILE, FAST_TILE, PRODUCT_TILE, ROW_MULTIPLE, Queries, prefers_products
from labs.engine.torch_kept import Keeper, KeptGroup
from labs.engine.types import PADDING_BLOCK, Chunk

LOOSENESS = 1.3
"""Decodes share an attention call while the gathered KV stays under this many times the KV they hold."""


@dataclass(slots=True)
class Batch:
    """The packed rows of one step: decodes first (by KV length), then prefill chunks, then padding.

    `queries` read the pool and `kept` groups their own copy of it; together they are all rows. `head_rows` are the
    rows whose logits are wanted, those of `yielding` first and in its order; None means that they are all rows.
    `longest` is the largest position + 1.
    """

    ids: Tensor
    positions: Tensor
    slots: Tensor
    queries: list[Queries]
    kept: list[KeptGroup]
    head_rows: Tensor | None
    yielding: list[Chunk]
    longest: int


@dataclass(slots=True)
class _Rows:
    ids: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    queries: list[Queries] = field(default_factory=list)
    kept: list[KeptGroup] = field(default_factory=list)


class Packer:
    """Packs chunks into a `Batch`, for one KV block size, one group size and one device.

    `keeper` is fast mode's; exact mode reads the pool alone.
    """

    def __init__(
        self,
        block_size: int,
        group: int,
        exact: bool,
        dtype: torch.dtype,
        device: torch.device,
        keeper: Keeper | None = None,
    ) -> None:
        self.block_size, self.group, self.exact, self.device = block_size, group, exact, device
        self.keeper = keeper
        fast = PRODUCT_TILE if prefers_products(dtype, device) else FAST_TILE
        self.tile = EXACT_TILE if exact else fast
        self.mask_dtype = torch.float32 if exact else dtype

    def pack(self, chunks: list[Chunk], pad_prompt: int = 0, pad_decode: int = 0) -> Batch:
        """`pad_prompt` and `pad_decode` count the padding rows; those of decodes also go through the output head.

        In exact mode the step and its head rows are filled up to a multiple of 16 rows, with more padding.
        """
        rows = _Rows()
        if self.keeper:
            self.keeper.begin()
        decodes = sorted((chunk for chunk in chunks if chunk.stop - chunk.start == 1), key=lambda chunk: chunk.stop)
        prefills = [chunk for chunk in chunks if chunk.stop - chunk.start > 1]
        for bucket in self._buckets(decodes):
            self._add_decodes(rows, bucket)
        head = [row for row, chunk in enumerate(decodes) if chunk.stop == chunk.seq.total]
        yielding = [decodes[row] for row in head]
        for chunk in prefills:
            self._add_prefill(rows, chunk)
            if chunk.stop == chunk.seq.total:
                head.append(len(rows.ids) - 1)
                yielding.append(chunk)
        longest = max(rows.positions, default=0) + 1
        head += range(len(rows.ids), len(rows.ids) + pad_decode)
        self._add_padding(rows, pad_decode, longest, kept=True)
        self._add_padding(rows, pad_prompt, longest)
        if self.exact:
            self._add_padding(rows, -len(rows.ids) % ROW_MULTIPLE, 1)
            head += [0] * (-len(head) % ROW_MULTIPLE)
        everything = head == list(range(len(rows.ids)))
        return Batch(
            self._index(rows.ids),
            self._index(rows.positions),
            self._index(rows.slots),
            rows.queries,
            rows.kept,
            None if everything else self._index(head),
            yielding,
            longest,
        )

    def _index(self, values: list[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.long, device=self.device)

    def _kv_length(self, tokens: int) -> int:
        """KV length that a query over `tokens` tokens reads: in exact mode a function of its position alone."""
        return -(-tokens // EXACT_TILE) * EXACT_TILE if self.exact else tokens

    def _buckets(self, decodes: list[Chunk]) -> list[list[Chunk]]:
        """Decodes (shortest first) that share an attention call."""
        buckets: list[list[Chunk]] = []
        held = 0
        for chunk in decodes:
            if buckets and self.exact:
                fits = self._kv_length(buckets[-1][0].stop) == self._kv_length(chunk.stop)
            else:
                fits = bool(buckets) and (len(buckets[-1]) + 1) * chunk.stop <= LOOSENESS * (held + chunk.stop)
            if not fits:
                buckets.append([])
                held = 0
            buckets[-1].append(chunk)
            held += chunk.stop
        return buckets

    def _add_tokens(self, rows: _Rows, chunk: Chunk) -> None:
        size, blocks = self.block_size, chunk.seq.blocks
        rows.ids += chunk.seq.tokens(chunk.start, chunk.stop)
        rows.positions += range(chunk.start, chunk.stop)
        rows.slots += [blocks[p // size] * size + p % size for p in range(chunk.start, chunk.stop)]

    def _add_decodes(self, rows: _Rows, bucket: list[Chunk]) -> None:
        first = len(rows.ids)
        for chunk in bucket:
            self._add_tokens(rows, chunk)
        if self.keeper and (kept := self.keeper.find(first, bucket)):
            rows.kept.append(kept)
            return
        length = self._kv_length(bucket[-1].stop)
        masked = self.exact or len(bucket) > 1
        mask = self._mask([chunk.stop for chunk in bucket], length)[:, None, None] if masked else None
        rows.queries.append(self._queries(first, len(rows.ids), bucket, length, mask, folded=False))

    def _add_prefill(self, rows: _Rows, chunk: Chunk) -> None:
        first = len(rows.ids)
        self._add_tokens(rows, chunk)
        start = chunk.start
        while start < chunk.stop:
            stop = min(start - start % self.tile + self.tile, chunk.stop)
            length = self._kv_length(stop)
            mask = self._mask(list(range(start + 1, stop + 1)), length)
            mask = mask[:, None, None] if self.exact else mask.repeat(self.group, 1)[None, None]
            part = Chunk(chunk.seq, start, stop)
            at = first + start - chunk.start
            rows.queries.append(self._queries(at, at + stop - start, [part], length, mask, folded=not self.exact))
            start = stop

    def _add_padding(self, rows: _Rows, count: int, length: int, kept: bool = False) -> None:
        """Padding rows write the padding block, and read it again and again as if it were a text of `length` tokens.

        So they cost what they cost in a real static batch, whose rows are all as long as the longest, and nobody reads
        what they compute.
        """
        if not count:
            return
        first = len(rows.ids)
        rows.ids += [0] * count
        rows.positions += [0] * count
        rows.slots += [PADDING_BLOCK * self.block_size + row % self.block_size for row in range(count)]
        if kept and self.keeper and (group := self.keeper.padding(first, count, length)):
            rows.kept.append(group)
            return
        blocks = self._index([PADDING_BLOCK] * -(-length // self.block_size))
        rows.queries.append(Queries(first, first + count, 1, blocks, length, None, None, folded=False))

    def _mask(self, lengths: list[int], width: int) -> Tensor:
        """[queries, width]: 0 where a query sees the slot, -inf from its length on."""
        seen = torch.arange(width, device=self.device) < self._index(lengths)[:, None]
        return torch.zeros(seen.shape, dtype=self.mask_dtype, device=self.device).masked_fill_(~seen, float("-inf"))

    def _queries(
        self, start: int, stop: int, chunks: list[Chunk], length: int, mask: Tensor | None, folded: bool
    ) -> Queries:
        size = self.block_size
        width = -(-length // size)
        blocks: list[int] = []
        tail: list[int] = []
        for number, chunk in enumerate(chunks):
            table = chunk.seq.blocks[:width]
            base = number * width * size
            tail += range(base + chunk.stop, base + len(table) * size)
            # A table that is too short is filled with its own first block: a live row never reads the padding block.
            for copy in range(len(table), width):
                tail += range(base + copy * size + chunk.stop, base + (copy + 1) * size)  # none when that block is full
            blocks += table + table[:1] * (width - len(table))
        empty = self._index(tail) if tail and mask is not None else None
        return Queries(start, stop, len(chunks), self._index(blocks), length, mask, empty, folded)
