"""A Llama-family decoder in plain torch, over packed rows of many sequences at once."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from labs.engine.kernels import Linear, PagedAttention, pack_linear, rope_table, rotate_
from labs.engine.model_config import LlamaConfig
from labs.engine.torch_batch import Batch


@dataclass(slots=True)
class Layer:
    attention_norm: Tensor
    qkv: Linear  # query, key and value heads of one token side by side
    out: Linear
    mlp_norm: Tensor
    gate_up: Linear
    down: Linear


class LlamaModel:
    """Computes the next-token logits of a `Batch` and stores its K and V in the paged pool.

    `weights` are tensors by their Hugging Face names; they are taken out one by one while they are packed, so that
    two copies never live together.
    """

    def __init__(
        self, config: LlamaConfig, weights: MutableMapping[str, Tensor], dtype: torch.dtype, device: str
    ) -> None:
        self.config, self.dtype, self.device = config, dtype, torch.device(device)

        def take(*names: str) -> Tensor:
            parts = [weights.pop(f"{name}.weight").to(device=self.device, dtype=dtype) for name in names]
            return parts[0] if len(parts) == 1 else torch.cat(parts)

        self.layers: list[Layer] = []
        for number in range(config.layers):
            at = f"model.layers.{number}"
            self.layers.append(
                Layer(
                    take(f"{at}.input_layernorm"),
                    pack_linear(take(*(f"{at}.self_attn.{part}_proj" for part in "qkv"))),
                    pack_linear(take(f"{at}.self_attn.o_proj")),
                    take(f"{at}.post_attention_layernorm"),
                    pack_linear(take(f"{at}.mlp.gate_proj", f"{at}.mlp.up_proj")),
                    pack_linear(take(f"{at}.mlp.down_proj")),
                )
            )
        self.embedding = take("model.embed_tokens")
        self.final_norm = take("model.norm")
        self.head = pack_linear(self.embedding if config.tied else take("lm_head"))
        self._rope = self._rope_for(1024)

    def _rope_for(self, positions: int) -> Tensor:
        return rope_table(positions, self.config.head_dim, self.config.rope_theta, self.device, self.dtype)

    def forward(self, batch: Batch, kv: list[Tensor], attention: PagedAttention) -> Tensor:
        """Logits [head rows, vocabulary] of the rows in `batch.head_rows`.

        `kv`: one pool [blocks, block_size, 2 x kv_heads, head_dim] a layer (K heads, then V heads). The row of each
        token is written at `batch.slots` before any row of the same step reads it.
        """
        config, rows = self.config, batch.ids.shape[0]
        heads, turned = config.heads, config.heads + config.kv_heads
        if batch.longest > self._rope.shape[1]:
            self._rope = self._rope_for(1 << (batch.longest - 1).bit_length())
        cos, sin = self._rope[:, batch.positions]
        x = F.embedding(batch.ids, self.embedding)
        attended = torch.empty(rows, heads * config.head_dim, dtype=self.dtype, device=self.device)
        calls = attention.prepare(batch.queries, kv[0])
        for number, (layer, pool) in enumerate(zip(self.layers, kv, strict=False)):
            qkv = layer.qkv(self._norm(x, layer.attention_norm)).view(rows, -1, config.head_dim)
            rotate_(qkv[:, :turned], cos, sin)
            pool.view(-1, *pool.shape[2:]).index_copy_(0, batch.slots, qkv[:, heads:])
            q = qkv[:, :heads]
            for call in calls:
                attention(call, q, pool, attended)
            for group in batch.kept:
                group.attend(number, qkv, attended)
            x = layer.out(attended).add_(x)
            gate, up = layer.gate_up(self._norm(x, layer.mlp_norm)).chunk(2, -1)
            x = layer.down(F.silu(gate).mul_(up)).add_(x)
        if batch.head_rows is not None:
            x = x.index_select(0, batch.head_rows)
        return self.head(self._norm(x, self.final_norm))

    def _norm(self, x: Tensor, weight: Tensor) -> Tensor:
        """x / sqrt(mean(x^2) + eps) * weight, row by row (RMSNorm, arXiv:1910.07467); torch computes bf16 in fp32."""
        return F.rms_norm(x, (self.config.hidden,), weight, self.config.rms_eps)
