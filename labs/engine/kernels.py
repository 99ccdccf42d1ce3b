"""The few kernels that decide speed: linears on packed weights, rotary positions, attention over paged KV.

Row counts change from step to step, so every kernel here is judged at 1 to a few hundred rows. `exact` mode makes
each row's bits independent of its company; what that rests on is written at the kernel and checked by
`labs.engine.torch_selftest` at the start of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

Linear = Callable[[Tensor], Tensor]

ROW_MULTIPLE = 16
"""Exact mode gives every linear a multiple of 16 rows: below that MKL and oneDNN pick other kernels by row count."""
EXACT_TILE = 64
"""Exact mode rounds the KV length of a query up to this, as a function of its position only."""
FAST_TILE = 256
"""Fast mode splits a long prefill into this many queries, so that the mask stays small and half the work is skipped."""
PRODUCT_TILE = 64
"""The same where attention is `products`, whose scores should stay in cache."""


def pack_linear(weight: Tensor) -> Linear:
    """x [rows, k] -> x @ weight.T [rows, n], with the weight [n, k] laid out once for oneDNN where that works.

    The two ops are what TorchInductor emits on CPU; they are private, so they are tried first. Prepacked weights are
    1.3 (bf16) to 3 times (fp32) as fast as F.linear at 1 to 32 rows.
    """
    if not can_prepack(weight.device.type, weight.dtype):
        return lambda x: F.linear(x, weight)
    packed = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), 32)
    pointwise = torch.ops.mkldnn._linear_pointwise.default
    return lambda x: pointwise(x, packed, None, "none", [], "")


_prepack: dict[tuple[str, torch.dtype], bool] = {}


def can_prepack(device: str, dtype: torch.dtype) -> bool:
    """Whether oneDNN's packed linear exists on this machine and gives the right numbers."""
    key = (device, dtype)
    if key not in _prepack:
        try:
            weight = torch.linspace(-1, 1, 48 * 32, dtype=torch.float32, device=device).view(48, 32).to(dtype)
            x = torch.linspace(-1, 1, 3 * 32, dtype=torch.float32, device=device).view(3, 32).to(dtype)
            packed = torch.ops.mkldnn._reorder_linear_weight(weight, ROW_MULTIPLE)
            got = torch.ops.mkldnn._linear_pointwise(x, packed, None, "none", [], "")
            _prepack[key] = device == "cpu" and torch.allclose(got.float(), (x.float() @ weight.float().T), rtol=0.02)
        except (AttributeError, RuntimeError):  # another torch, no oneDNN, or a CPU without this dtype
            _prepack[key] = False
    return _prepack[key]


def rope_table(positions: int, head_dim: int, theta: float, device: torch.device, dtype: torch.dtype) -> Tensor:
    """cos and signed sin [2, positions, 1, head_dim] for the rotate-half form (RoFormer, arXiv:2104.09864)."""
    frequency = theta ** (-torch.arange(0, head_dim, 2, dtype=torch.float64, device=device) / head_dim)
    angle = torch.arange(positions, dtype=torch.float64, device=device)[:, None] * frequency
    cos, sin = angle.cos(), angle.sin()
    table = torch.stack([torch.cat([cos, cos], -1), torch.cat([-sin, sin], -1)])
    return table.to(dtype).unsqueeze(2)


def rotate_(x: Tensor, cos: Tensor, sin: Tensor) -> None:
    """Turn x [rows, heads, head_dim] in place by its position: x * cos + swap_halves(x) * signed sin."""
    swapped = x.roll(x.shape[-1] // 2, -1)
    x.mul_(cos).addcmul_(swapped, sin)


def prefers_products(dtype: torch.dtype, device: torch.device) -> bool:
    """Whether `products` beat torch's fused attention for chunks of a prompt: measured for bf16 on CPU only."""
    return dtype == torch.bfloat16 and device.type == "cpu"


def products(bias: Tensor, q: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """softmax(q k^T / sqrt(d) + bias) v by two matrix products: [n, rows, d] over [n, length, d].

    In bf16 the scores are rounded to bf16, as in the eager attention of other engines; torch's fused attention keeps
    them in fp32 and takes about twice as long at these sizes.
    """
    scores = torch.baddbmm(bias, q, keys.transpose(1, 2), alpha=q.shape[-1] ** -0.5)
    return torch.bmm(torch.softmax(scores, -1), values)


@dataclass(slots=True)
class Queries:
    """Consecutive rows of a step that one attention call serves.

    `blocks` [tables x width] is the flattened block table of each KV the call reads: one table a row (decodes), or
    one table for all rows (a chunk of one sequence, or padding). `length` is the KV length read; `tail` names the
    gathered slots that hold nothing yet (they may hold NaN, and 0 x NaN is NaN). `folded`: all rows of a chunk go
    into one matrix, sharing the KV; otherwise each row is a batch item of its own.
    """

    start: int
    stop: int
    tables: int
    blocks: Tensor
    length: int
    mask: Tensor | None
    tail: Tensor | None
    folded: bool


@dataclass(slots=True)
class AttentionCall:
    """`Queries` with the memory they use, which is the same in every layer of a step.

    `gathered` is scratch for the KV blocks, `slots` the same memory slot by slot, `wide` its fp32 copy where one is
    needed. `keys` and `values` [tables, kv_heads, length, d] are views of what is read. `rows` holds the queries of a
    group, filled up with zero rows; None for folded queries.
    """

    queries: Queries
    gathered: Tensor
    slots: Tensor
    wide: Tensor | None
    keys: Tensor
    values: Tensor
    rows: Tensor | None


class PagedAttention:
    """softmax(q k^T / sqrt(d)) v over the KV gathered through block tables; the query heads of a group are rows.

    Gathering into one reused scratch keeps the KV in cache and was the fastest of seven ways on CPU; on CUDA the
    same code runs, at about three times the KV traffic of a fused paged kernel.

    Exact mode: every query is a batch item of the call [rows of one group, KV length rounded up to 64], so the call a
    query takes part in has one shape that depends on its position alone, and the items of a batch are computed
    apart. Rows are padded to 8, so that each thread's scratch is aligned alike (MKL's sums depend on alignment), and
    the sums are in fp32.
    """

    def __init__(self, heads: int, kv_heads: int, head_dim: int, exact: bool) -> None:
        self.kv_heads, self.group, self.head_dim = kv_heads, heads // kv_heads, head_dim
        self.exact = exact
        multiple = 8 if exact else 4
        self.rows = -(-self.group // multiple) * multiple
        self._scratch: Tensor | None = None
        self._wide: Tensor | None = None  # fp32 copy of the scratch, for exact mode in bf16

    def prepare(self, queries: list[Queries], kv: Tensor) -> list[AttentionCall]:
        """The calls of one step, for pools shaped as `kv`. Layers share them: making the views costs time in each."""
        need = max((part.blocks.numel() for part in queries), default=0)
        if self._scratch is None or self._scratch.shape[0] < need or self._scratch.shape[1:] != kv.shape[1:]:
            self._scratch = torch.empty((need + need // 2, *kv.shape[1:]), dtype=kv.dtype, device=kv.device)
            widen = self.exact and kv.dtype != torch.float32
            self._wide = torch.empty_like(self._scratch, dtype=torch.float32) if widen else None
        return [self._prepare(part, self._scratch, self._wide) for part in queries]

    def _prepare(self, queries: Queries, scratch: Tensor, wide: Tensor | None) -> AttentionCall:
        need, n = queries.blocks.numel(), queries.stop - queries.start
        gathered = scratch[:need]
        read = gathered if wide is None else wide[:need]
        both = read.view(queries.tables, -1, *read.shape[2:])[:, : queries.length].transpose(1, 2)
        if not queries.folded and queries.tables == 1:
            both = both.expand(n, -1, -1, -1)
        rows = None
        if not queries.folded:
            rows = torch.zeros(n, self.kv_heads, self.rows, self.head_dim, dtype=read.dtype, device=read.device)
        return AttentionCall(
            queries,
            gathered,
            gathered.view(-1, *gathered.shape[2:]),
            None if wide is None else read,
            both[:, : self.kv_heads],
            both[:, self.kv_heads :],
            rows,
        )

    def __call__(self, call: AttentionCall, q: Tensor, kv: Tensor, out: Tensor) -> None:
        """One layer: q [rows, heads, d] and its pool kv [blocks, block_size, 2 x kv_heads, d] -> out [rows, heads x d].

        Reads rows queries.start to queries.stop of q and writes those of out.
        """
        queries, g, heads = call.queries, self.group, self.kv_heads
        torch.index_select(kv, 0, queries.blocks, out=call.gathered)
        if queries.tail is not None:
            call.slots.index_fill_(0, queries.tail, 0)
        if call.wide is not None:
            call.wide.copy_(call.gathered)
        n = queries.stop - queries.start
        grouped = q[queries.start : queries.stop].view(n, heads, g, self.head_dim)
        if call.rows is None:
            folded = grouped.permute(1, 2, 0, 3).reshape(1, heads, g * n, self.head_dim)
            if queries.mask is not None and not self.exact and prefers_products(q.dtype, q.device):
                found = products(queries.mask[0], folded[0], call.keys[0], call.values[0])
            else:
                found = F.scaled_dot_product_attention(folded, call.keys, call.values, attn_mask=queries.mask)
            found = found.view(heads, g, n, self.head_dim).permute(2, 0, 1, 3)
        else:
            call.rows[:, :, :g] = grouped
            found = F.scaled_dot_product_attention(call.rows, call.keys, call.values, attn_mask=queries.mask)[:, :, :g]
        out[queries.start : queries.stop].view(n, heads, g, self.head_dim).copy_(found)
