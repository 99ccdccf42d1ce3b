"""Sampling: randomness is a function of (seed, request, position), and the cuts do what their names say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
import torch

from labs.engine import Request
from labs.engine.sampling import sample, uniform
from labs.engine.types import SamplingParams
from tests.engine.torch_helpers import executor, outputs

LOGITS = torch.log(torch.tensor([0.1, 0.4, 0.05, 0.25, 0.2]))


def frequencies(params: SamplingParams, draws: int = 4000) -> dict[int, float]:
    counted = Counter(sample(LOGITS, params, uniform(1, "r", position)) for position in range(draws))
    return {token: count / draws for token, count in counted.items()}


def test_temperature_one_draws_the_models_own_chances():
    found = frequencies(SamplingParams(temperature=1.0))
    for token, chance in enumerate((0.1, 0.4, 0.05, 0.25, 0.2)):
        assert found[token] == pytest.approx(chance, abs=0.03)


def test_low_temperature_sharpens():
    found = frequencies(SamplingParams(temperature=0.5))
    assert found[1] == pytest.approx(0.16 / (0.01 + 0.16 + 0.0025 + 0.0625 + 0.04), abs=0.03)


@pytest.mark.parametrize(
    ("params", "allowed"),
    [
        (SamplingParams(temperature=1.0, top_k=2), {1, 3}),
        (SamplingParams(temperature=1.0, top_k=99), {0, 1, 2, 3, 4}),
        (SamplingParams(temperature=1.0, top_p=0.5), {1, 3}),
        (SamplingParams(temperature=1.0, top_p=0.01), {1}),
        (SamplingParams(temperature=1.0, top_k=3, top_p=0.6), {1, 3}),
        (SamplingParams(temperature=0.0), {1}),
        (SamplingParams(temperature=1e-9), {1}),
    ],
)
def test_the_cuts(params, allowed):
    assert set(frequencies(params)) == allowed


def test_draws_are_even_and_differ_by_seed_request_and_position():
    draws = [uniform(7, "a", position) for position in range(2000)]
    assert all(0 <= draw < 1 for draw in draws)
    assert sum(draws) / 2000 == pytest.approx(0.5, abs=0.02)
    assert len({uniform(7, "a", 1), uniform(8, "a", 1), uniform(7, "b", 1), uniform(7, "a", 2)}) == 4


def test_the_highest_draw_stays_inside_the_vocabulary():
    assert sample(LOGITS, SamplingParams(temperature=1.0), 1 - 2**-53) == 2


def test_sampled_text_does_not_depend_on_order_or_neighbours_55():
    """A greedy neighbour, another order, another scheme, a preemption: the same text for the same seed."""
    hot = SamplingParams(temperature=1.0, top_p=0.9)
    requests = [
        Request("a", 20, output_len=12, sampling=hot),
        Request("b", 33, output_len=9),
        Request("c", 20, output_len=12, sampling=hot),
        Request("d", 20, output_len=12, sampling=replace(hot, seed=5)),
    ]
    made = executor()
    alone = [outputs(made, [request], slots=1).outputs[0] for request in requests]
    assert outputs(made, requests, slots=4).outputs == alone
    assert outputs(made, requests[::-1], scheme="static", slots=2).outputs == alone[::-1]
    short = outputs(made, requests, slots=4, block_size=4, kv_blocks=16)
    assert short.outputs == alone
    assert short.counters["preemptions"] > 0
    assert len({tuple(text) for text in alone}) == 4


def test_min_new_tokens_masks_the_stop_token():
    made = executor()
    first = outputs(made, [Request("a", 20, output_len=6)], slots=1).outputs[0]
    stops = Request("a", 20, max_new_tokens=6, stop_ids=(first[0],))
    assert outputs(made, [stops], slots=1).outputs[0] == first[:1]
    late = outputs(made, [replace(stops, min_new_tokens=4)], slots=1).outputs[0]
    assert len(late) >= 4
    assert first[0] not in late[:3]
