"""Choosing the next token. Randomness is a function of (seed, request id, position) and of nothing else.

A generator that is advanced from step to step would give a request other tokens when its neighbours change; a hash
of the three numbers cannot (counter-based randomness, Salmon et al., SC'11).
"""

from __future__ import annotations

import torch
from torch import Tensor

from labs.engine.types import SamplingParams, mix, request_key


def uniform(seed: int, request_id: str, position: int) -> float:
    """A number in [0, 1) for this token of this request."""
    return (mix(seed, request_key(request_id), position) >> 11) / 2**53


def sample(logits: Tensor, params: SamplingParams, draw: float) -> int:
    """A token id from logits [vocabulary]: scaled by temperature, cut to the top k, then to the top p of what is left.

    `draw` in [0, 1) picks from the cumulated probabilities, most likely token first. Temperature 0 is greedy.
    """
    if params.temperature <= 0:
        return int(logits.float().argmax())
    chances, ids = torch.sort(logits.double().div(params.temperature).softmax(-1), descending=True, stable=True)
    if params.top_k > 0:
        chances = chances[: params.top_k]
    if params.top_p < 1:
        before = chances.cumsum(-1) - chances
        chances = chances[before < params.top_p * chances.sum()]
    heights = chances.cumsum(-1)
    place = int(torch.searchsorted(heights, draw * float(heights[-1]), right=True))
    return int(ids[min(place, len(chances) - 1)])
