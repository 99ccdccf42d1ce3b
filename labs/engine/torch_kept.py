"""Fast mode's decodes: KV that is gathered once and kept while the same sequences decode together.

Gathering paged KV anew for every token costs a third of what attention costs. A group of decodes that meets for the
second time therefore keeps its gathered copy, which then grows by one token a step, and attention over it is two
matrix products and a softmax. The copy is scratch: the pool stays the truth, the next step that misses the group
forgets it, and all copies together stay under `KEPT_BYTES`.
"""

from __future__ import annotations

from collections.abc import Sequence as List

import torch
from torch import Tensor

from labs.engine.kernels import products
from labs.engine.torch_kv import PagedKV
from labs.engine.types import Chunk

KEPT_BYTES = 256 << 20
HEADROOM = 64
"""A copy is made this many tokens longer than needed, so that it is made again once in so many steps."""


class KeptGroup:
    """The KV of rows [start, stop) of a step, one row a sequence, in every layer: [2 x kv_heads, rows, capacity, d].

    `lengths` are the tokens it holds. Without sequences (padding) the copy holds zeros.
    """

    def __init__(self, kv: PagedKV, rows: int, longest: int) -> None:
        layers, _, self.block_size, both, self.head_dim = kv.data.shape
        self.rows, self.heads = rows, both // 2
        self.capacity = -(-(longest + HEADROOM) // self.block_size) * self.block_size
        self.start = 0
        self.lengths = [longest - 1] * rows
        shape = (layers, both * rows, self.capacity, self.head_dim)
        data = torch.zeros(shape, dtype=kv.data.dtype, device=kv.data.device)
        split = self.heads * rows
        self._all = data.view(layers, both, rows, self.capacity, self.head_dim)
        self._slots = list(data.view(layers, -1, self.head_dim).unbind(0))
        self._keys = [layer[:split] for layer in data.unbind(0)]
        self._values = [layer[split:] for layer in data.unbind(0)]
        head = torch.arange(both, device=data.device) * rows
        self._rows = (head + torch.arange(rows, device=data.device)[:, None]) * self.capacity  # [rows, 2 x kv_heads]

    @property
    def bytes(self) -> int:
        return self._all.nbytes

    def read(self, kv: PagedKV, decodes: List[Chunk]) -> None:
        """Copy the tokens before each decode's own out of the pool."""
        self.lengths = [chunk.start for chunk in decodes]
        for row, chunk in enumerate(decodes):
            used = chunk.seq.blocks[: -(-chunk.start // self.block_size)]
            blocks = torch.tensor(used, dtype=torch.long, device=kv.data.device)
            for layer, target in zip(kv.layers, self._all[:, :, row].unbind(0), strict=True):
                found = layer.index_select(0, blocks).flatten(0, 1)[: chunk.start]
                target[:, : chunk.start] = found.transpose(0, 1)

    def follows(self, decodes: List[Chunk]) -> bool:
        """Whether these decodes are the next tokens of what it holds, and fit."""
        return all(
            chunk.start == length and chunk.stop <= self.capacity
            for chunk, length in zip(decodes, self.lengths, strict=True)
        )

    def begin(self, start: int) -> None:
        """A step in which row i of the group is row `start` + i, one token longer than before."""
        at = torch.tensor(self.lengths, device=self._rows.device)
        self.start = start
        self.lengths = [length + 1 for length in self.lengths]
        self._new = (self._rows + at[:, None]).view(-1)
        hidden = torch.arange(self.capacity, device=at.device) > at[:, None]
        bias = torch.zeros(hidden.shape, dtype=self._all.dtype, device=at.device).masked_fill_(hidden, float("-inf"))
        self._bias = bias.repeat(self.heads, 1).unsqueeze(1)

    def attend(self, layer: int, qkv: Tensor, out: Tensor) -> None:
        """One layer: takes up K and V of the group's rows of qkv [rows, heads + 2 x kv_heads, d] and writes theirs of
        out [rows, heads x d]."""
        n, d = self.rows, self.head_dim
        mine = qkv[self.start : self.start + n]
        queries = mine.shape[1] - 2 * self.heads
        self._slots[layer].index_copy_(0, self._new, mine[:, queries:].reshape(-1, d))
        q = mine[:, :queries].view(n, self.heads, -1, d).transpose(0, 1).reshape(self.heads * n, -1, d)
        found = products(self._bias, q, self._keys[layer], self._values[layer]).view(self.heads, n, -1, d)
        out[self.start : self.start + n].view(n, self.heads, -1, d).copy_(found.transpose(0, 1))


class Keeper:
    """The kept groups of a running engine, by the keys of their sequences."""

    def __init__(self, kv: PagedKV) -> None:
        self.kv = kv
        self._before: dict[tuple[int, ...], KeptGroup | None] = {}
        self._now: dict[tuple[int, ...], KeptGroup | None] = {}

    def begin(self) -> None:
        """A new step: groups that the last one did not use are forgotten."""
        self._before, self._now = self._now, {}

    def find(self, start: int, decodes: List[Chunk]) -> KeptGroup | None:
        """The group of these decodes, whose first row is `start`; None when they meet for the first time."""
        key = tuple(chunk.seq.key for chunk in decodes)
        met = key in self._before
        group = self._before.pop(key, None)
        if group is None or not group.follows(decodes):
            group = self._make(len(decodes), max(chunk.stop for chunk in decodes)) if met else None
            if group is not None:
                group.read(self.kv, decodes)
        self._now[key] = group
        if group is not None:
            group.begin(start)
        return group

    def padding(self, start: int, rows: int, length: int) -> KeptGroup | None:
        """Rows that cost what rows of `length` tokens cost, and hold nothing."""
        key = (-rows,)
        group = self._before.pop(key, None)
        if group is None or length > group.capacity:
            group = self._make(rows, length)
        self._now[key] = group
        if group is not None:
            group.lengths = [length - 1] * rows
            group.begin(start)
        return group

    def _make(self, rows: int, longest: int) -> KeptGroup | None:
        held = [group for part in (self._before, self._now) for group in part.values() if group is not None]
        need = rows * -(-(longest + HEADROOM) // self.kv.block_size) * self.kv.block_bytes
        return KeptGroup(self.kv, rows, longest) if need + sum(group.bytes for group in held) <= KEPT_BYTES else None
