"""Exact mode: a request's tokens do not depend on its company (row 54 of the list of other engines' bugs)."""

from __future__ import annotations

import random

import pytest
import torch

from labs.engine import Request
from labs.engine.model_config import PRESETS
from labs.engine.torch_selftest import self_test
from labs.engine.weights import random_tensors
from tests.engine.torch_helpers import ODD, advance, executor, naive_logits, outputs, random_requests, sequence

WAYS = {
    "static": {"scheme": "static", "slots": 3},
    "dynamic": {"scheme": "dynamic", "slots": 3, "preferred": (2,), "max_queue_delay_ms": 30},
    "continuous": {"slots": 4},
    "chunk 7": {"slots": 4, "chunk": 7},
    "chunk 64": {"slots": 4, "chunk": 64, "token_budget": 80},
    "priority": {"slots": 3, "policy": "priority"},
}


def same_everywhere(made, requests: list[Request], block_size: int) -> int:
    """Every way gives the tokens of each request alone; returns how often a request was preempted."""
    alone = outputs(made, requests, scheme="sequential", block_size=16).outputs
    ways = dict(WAYS)
    largest = max(-(-(r.prompt_len + r.limit) // block_size) for r in requests)
    for preempt in ("recompute", "swap"):
        ways[preempt] = {"slots": 4, "kv_blocks": largest + 1, "preempt": preempt, "chunk": 16}
    preemptions = 0
    for name, knobs in ways.items():
        result = outputs(made, requests, block_size=block_size, **knobs)
        assert result.outputs == alone, f"{name}, block size {block_size}, differs from running alone"
        preemptions += result.counters["preemptions"]
    return preemptions


@pytest.mark.parametrize("config", [PRESETS["tiny"], ODD], ids=lambda config: config.name)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_tokens_are_the_same_alone_and_in_any_company(dtype, config):
    made = executor(dtype, config=config)
    preemptions = 0
    for seed in range(4):
        draw = random.Random(seed)
        preemptions += same_everywhere(made, random_requests(draw, config.vocab_size), draw.choice([1, 5, 16, 64]))
    assert preemptions > 0, "the workloads never filled the pool: the preempting ways proved nothing"


@pytest.mark.prove
@pytest.mark.parametrize(("threads", "workloads"), [(1, 200), (2, 40)])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_tokens_are_the_same_on_200_workloads(dtype, threads, workloads):
    preemptions = 0
    try:
        for seed in range(workloads):
            config = ODD if seed % 4 == 0 else PRESETS["tiny"]
            draw = random.Random(1000 + seed)
            made = executor(dtype, config=config, threads=threads)
            torch.set_num_threads(threads)
            preemptions += same_everywhere(made, random_requests(draw, config.vocab_size), draw.choice([1, 5, 16, 64]))
    finally:
        torch.set_num_threads(1)
    assert preemptions > workloads


def test_two_threads_keep_the_promise():
    made = executor("float32", config=ODD)
    torch.set_num_threads(2)
    try:
        assert self_test(made.model) == ""
        same_everywhere(made, random_requests(random.Random(5), ODD.vocab_size), 16)
    finally:
        torch.set_num_threads(1)


def test_the_self_test_notices_a_batch_that_changes_bits():
    model = executor("float32", config=ODD).model
    assert self_test(model) == ""
    honest = model.layers[0].down
    model.layers[0].down = lambda x: honest(x) * (1 + 1e-6 * (x.shape[0] > 160))
    try:
        assert self_test(model) == "logits change with the batch"
    finally:
        model.layers[0].down = honest


def test_fast_mode_in_bf16_is_not_exact_so_the_checks_above_can_fail():
    made, requests = executor("bfloat16", exact=False), [Request(f"q{i}", 200, output_len=60) for i in range(4)]
    whole = outputs(made, requests, slots=4).outputs
    assert outputs(made, requests, slots=4, chunk=7).outputs != whole


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("config", [PRESETS["tiny"], ODD], ids=lambda config: config.name)
def test_logits_equal_the_textbook_formulas(config, exact):
    """Also the rotary offset (tiny-llm #46): positions come from `computed`, whole, in chunks and one by one."""
    made = executor("float32", exact, config)
    prompt = [(7 * i * i + 3) % config.vocab_size for i in range(83)]
    expected = naive_logits(config, random_tensors(config, seed=3), prompt)
    made.allocate(12, 16)
    seen: list[torch.Tensor] = []
    forward = made.model.forward

    def listen(*args):
        seen.append(forward(*args)[:1])
        return seen[-1]

    made.model.forward = listen
    try:
        for chunk in (83, 9, 1):
            seq = sequence(1, prompt, [3, 9, 1, 12, 7, 2])
            while seq.computed < 83:
                advance(made, seq, chunk=chunk)
            assert torch.allclose(seen[-1].double(), expected[-1:], atol=2e-4), f"in chunks of {chunk}"
    finally:
        del made.model.forward
