"""GPUs and model shapes for the roofline clock: dense BF16 figures of the vendors' data sheets.

GPUs: NVIDIA product pages for T4, A100, L4, L40S, H100, H200, B200 (dense, that is half the figure "with sparsity").
Shapes: the models' published configurations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from labs.engine.types import EngineError
from labs.formulas import kv_bytes_per_token, mla_bytes_per_token

BF16_BYTES = 2
DEFAULT_SHAPE = "llama-3-8b"


@dataclass(frozen=True, slots=True)
class Gpu:
    bytes_per_s: float  # HBM or GDDR bandwidth
    flops_per_s: float  # dense tensor FLOP/s in BF16 (FP16 on T4, which has no BF16)
    memory_bytes: float


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What KV memory and a roofline need. MHA: kv_heads = query heads; GQA: fewer; MQA: 1; MLA: a latent instead."""

    params: float
    layers: int
    kv_heads: int
    head_dim: int
    mla_latent: int = 0  # MLA only: latent dimensions, and `head_dim` is then the rotary key's

    def kv_bytes_per_token(self, bytes_per_value: float = BF16_BYTES) -> float:
        if self.mla_latent:
            return mla_bytes_per_token(self.layers, self.mla_latent, self.head_dim, bytes_per_value)
        return kv_bytes_per_token(self.layers, self.kv_heads, self.head_dim, bytes_per_value)


GPUS: Mapping[str, Gpu] = {
    "t4": Gpu(320e9, 65e12, 16e9),
    "a100-40": Gpu(1555e9, 312e12, 40e9),
    "a100": Gpu(2039e9, 312e12, 80e9),
    "l4": Gpu(300e9, 121e12, 24e9),
    "l40s": Gpu(864e9, 362e12, 48e9),
    "h100": Gpu(3350e9, 989e12, 80e9),
    "h200": Gpu(4800e9, 989e12, 141e9),
    "b200": Gpu(8000e9, 2250e12, 180e9),
}

MODEL_SHAPES: Mapping[str, ModelShape] = {
    "llama-2-7b": ModelShape(6.74e9, 32, 32, 128),
    "llama-2-13b": ModelShape(13.0e9, 40, 40, 128),
    "llama-3-8b": ModelShape(8.03e9, 32, 8, 128),
    "mistral-7b": ModelShape(7.24e9, 32, 8, 128),
    "codellama-34b": ModelShape(33.7e9, 48, 8, 128),
    "llama-3-70b": ModelShape(70.6e9, 80, 8, 128),
    "phi-2": ModelShape(2.78e9, 32, 32, 80),
    "deepseek-v3": ModelShape(671e9, 61, 1, 64, mla_latent=512),
    "smollm2-135m": ModelShape(134.5e6, 30, 3, 64),
}

T = TypeVar("T")


def look_up(table: Mapping[str, T], name: str, what: str) -> T:
    if name not in table:
        raise EngineError(f"no {what} named '{name}'; known: {', '.join(table)}")
    return table[name]
