"""Shared by the torch tests: small models, a direct way to drive the executor, and a second, naive model."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from labs.engine import EngineConfig, Request, RunResult, run
from labs.engine.model import LlamaModel
from labs.engine.model_config import PRESETS, LlamaConfig
from labs.engine.torch_executor import DTYPES, TorchExecutor
from labs.engine.types import Chunk, Plan, Sequence, StepResult
from labs.engine.weights import random_tensors

ODD = LlamaConfig("odd", 331, 96, 2, 6, 2, 16, 160, max_positions=512, rope_theta=500.0, rms_eps=2**-17)
"""Three query heads share a KV head, as in SmolLM2, and no size is a power of two."""


@cache
def executor(
    dtype: str = "float32", exact: bool = True, config: LlamaConfig = PRESETS["tiny"], threads: int = 1
) -> Any:
    torch.set_num_threads(threads)
    with torch.inference_mode():
        model = LlamaModel(config, random_tensors(config, seed=3), DTYPES[dtype], "cpu")
    made = TorchExecutor(model, exact, seed=3)
    assert made.exact is exact, made.warning
    return made


def sequence(key: int, prompt: Iterable[int], blocks: list[int], **request: Any) -> Sequence:
    prompt = tuple(prompt)
    made = Request(f"r{key}", len(prompt), output_len=request.pop("output_len", 8), prompt=prompt, **request)
    seq = Sequence(made, key, made.limit, prompt, total=len(prompt))
    seq.blocks = blocks
    return seq


def advance(made: TorchExecutor, *sequences: Sequence, chunk: int = 10_000, **padding: Any) -> StepResult:
    """One step of these sequences; commits what it computed, as the scheduler does."""
    chunks = [Chunk(seq, seq.computed, min(seq.total, seq.computed + chunk)) for seq in sequences]
    result = made.run(Plan(chunks, **padding))
    for seq, _, stop in chunks:
        seq.computed = stop
        if seq.key in result.tokens:
            seq.output.append(result.tokens[seq.key])
            seq.total += 1
    return result


@torch.inference_mode()
def fill(made: TorchExecutor, value: float | Tensor) -> None:
    """Put `value` into every slot of the KV memory, the padding block included."""
    made.kv.data[:] = value


def outputs(made: TorchExecutor, requests: list[Request], **knobs: Any) -> RunResult:
    """A run of the whole engine with every invariant checked and freed KV poisoned."""
    result = run(EngineConfig(check=True, **knobs), requests, made, keep_outputs=True)
    assert result.counters["kv"]["leaked"] == 0
    assert result.outputs is not None
    return result


def random_requests(draw: random.Random, vocab: int, most: int = 6) -> list[Request]:
    """Prompts around block and tile boundaries; arrivals that make the batch change while it runs."""
    return [
        Request(
            f"q{number}",
            length := draw.choice([1, 2, 7, 15, 16, 17, 33, 63, 64, 65, draw.randint(1, 150)]),
            output_len=draw.randint(1, 12),
            prompt=tuple(draw.randrange(vocab) for _ in range(length)),
            arrival_ns=draw.choice([0, 0, draw.randrange(200_000_000)]),
            priority=draw.randrange(3),
        )
        for number in range(draw.randint(2, most))
    ]


def naive_logits(config: LlamaConfig, tensors: dict[str, Tensor], tokens: list[int]) -> Tensor:
    """Logits [tokens, vocabulary] by the textbook formulas in fp64: no cache, no batch, no shared code."""
    weights = {name: tensor.double() for name, tensor in tensors.items()}
    half = config.head_dim // 2
    steps = torch.arange(len(tokens), dtype=torch.float64)

    def norm(x: Tensor, name: str) -> Tensor:
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + config.rms_eps) * weights[name]

    def turn(head: Tensor) -> Tensor:
        turned = torch.empty_like(head)
        for i in range(half):
            angle = steps * config.rope_theta ** (-2 * i / config.head_dim)
            first, second = head[:, i], head[:, i + half]
            turned[:, i] = first * angle.cos() - second * angle.sin()
            turned[:, i + half] = second * angle.cos() + first * angle.sin()
        return turned

    x = weights["model.embed_tokens.weight"][tokens]
    future = torch.full((len(tokens), len(tokens)), float("-inf"), dtype=torch.float64).triu(1)
    for layer in range(config.layers):
        at = f"model.layers.{layer}"
        h = norm(x, f"{at}.input_layernorm.weight")
        q, k, v = (
            (h @ weights[f"{at}.self_attn.{part}_proj.weight"].T).split(config.head_dim, dim=-1) for part in "qkv"
        )
        heads = []
        for number in range(config.heads):
            shared = number // (config.heads // config.kv_heads)
            scores = turn(q[number]) @ turn(k[shared]).T / config.head_dim**0.5 + future
            heads.append(scores.softmax(-1) @ v[shared])
        x = x + torch.cat(heads, -1) @ weights[f"{at}.self_attn.o_proj.weight"].T
        h = norm(x, f"{at}.post_attention_layernorm.weight")
        gate, up = (h @ weights[f"{at}.mlp.{part}_proj.weight"].T for part in ("gate", "up"))
        x = x + (gate * gate.sigmoid() * up) @ weights[f"{at}.mlp.down_proj.weight"].T
    head = "model.embed_tokens.weight" if config.tied else "lm_head.weight"
    return norm(x, "model.norm.weight") @ weights[head].T


def tiny(**changes: Any) -> LlamaConfig:
    return replace(PRESETS["tiny"], **changes)
