"""Workloads: the lesson's, files (our JSONL, Mooncake's JSONL), and generators from the quantiles of real traces."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from labs.engine.types import Request
from labs.workload_files import MOST_TOKENS, WorkloadError, read_jsonl, write_jsonl

__all__ = [
    "WorkloadError",
    "from_lengths",
    "generate",
    "generator_names",
    "largest",
    "lesson",
    "load",
    "read_jsonl",
    "trace_quantiles",
    "write_jsonl",
]

LESSON_OUTPUTS = (20, 25, 30, 40, 50, 60, 400, 600)
LESSON_PROMPT = 200
GENERATED = 64
"""Requests that `gen:NAME` makes when no number is given."""
MOST_HELD = 1_000_000
"""Requests that are held in memory; `generate` makes any number while they run."""


def load(
    spec: str,
    *,
    groups: int = 1,
    count: int | None = None,
    rate_per_s: float | None = None,
    burstiness: float = 1.0,
    scale: float = 1.0,
    seed: int = 0,
) -> list[Request]:
    """The requests of `lesson`, `gen:NAME` or a JSONL file, repeated `groups` times.

    `count`, `rate_per_s` and `burstiness` belong to generators; `scale` divides every length.
    """
    if groups < 1:
        raise WorkloadError(f"--groups is {groups}; it must be at least 1")
    _check_scale(scale)
    if spec.startswith("gen:"):
        number = (GENERATED if count is None else count) * groups
        _check_held(number)
        return list(generate(spec.removeprefix("gen:"), number, rate_per_s, burstiness, scale, seed))
    if count is not None or rate_per_s is not None:
        raise WorkloadError("--requests and --rate belong to --workload gen:NAME")
    if spec == "lesson":
        _check_held(len(LESSON_OUTPUTS) * groups)
        requests = lesson(groups)
    else:
        requests = _repeat(read_jsonl(Path(spec)), groups)
    return requests if scale == 1 else [_scaled(request, scale) for request in requests]


def _check_scale(scale: float) -> None:
    if not (math.isfinite(scale) and scale > 0):
        raise WorkloadError(f"--scale is {scale}; it must be above 0 (lengths are divided by it)")


def _check_held(number: int) -> None:
    if number > MOST_HELD:
        raise WorkloadError(f"that is {number:,} requests; {MOST_HELD:,} is the most (lower --groups or --requests)")


def lesson(groups: int = 1) -> list[Request]:
    """The lesson's eight requests (200-token prompts, forced outputs 20 to 600), `groups` times, all at once."""
    outputs = LESSON_OUTPUTS * groups
    return [Request(f"r{i}", LESSON_PROMPT, output_len=output) for i, output in enumerate(outputs, start=1)]


def from_lengths(outputs: list[int], prompt_len: int = LESSON_PROMPT) -> list[Request]:
    """One request for each output length, all at once."""
    return [Request(f"r{i}", prompt_len, output_len=output) for i, output in enumerate(outputs, start=1)]


# ---- generators --------------------------------------------------------------------------------------------------


@cache
def trace_quantiles() -> dict[str, Any]:
    """The shipped quantiles, with their sources."""
    return json.loads((Path(__file__).parent / "data" / "trace_quantiles.json").read_text("utf-8"))


def generator_names() -> list[str]:
    return list(trace_quantiles()["workloads"])


def _trace(name: str) -> dict[str, Any]:
    traces = trace_quantiles()["workloads"]
    if name not in traces:
        raise WorkloadError(f"--workload gen:{name}: no such generator; known: {', '.join(traces)}")
    return traces[name]


def largest(name: str, scale: float = 1.0) -> tuple[int, int]:
    """The longest prompt and output that `gen:NAME` can make."""
    _check_scale(scale)
    trace = _trace(name)
    return _shrink(trace["prompt"][-1], scale), _shrink(trace["output"][-1], scale)


def generate(
    name: str,
    count: int,
    rate_per_s: float | None = None,
    burstiness: float = 1.0,
    scale: float = 1.0,
    seed: int = 0,
) -> Iterator[Request]:
    """`count` requests, made lazily: lengths by inverse sampling of the trace's quantiles (prompt and output apart).

    Arrivals: all at once without a rate, else gamma-distributed gaps with shape `burstiness` (1: Poisson, below 1:
    bursty), as `vllm bench serve` defines it.
    """
    trace = _trace(name)
    largest(name, scale)
    if count < 1:
        raise WorkloadError(f"--requests is {count}; it must be at least 1")
    if rate_per_s is not None and not 1e-6 <= rate_per_s <= 1e9:
        raise WorkloadError(f"--rate is {rate_per_s}; it must be above 0 requests a second (1e-6 to 1e9)")
    if not 0.001 <= burstiness <= 1000:
        raise WorkloadError(f"--burstiness is {burstiness}; it must be above 0 (0.001 to 1000; 1 is Poisson)")
    return _generate(trace, count, rate_per_s, burstiness, scale, Random(f"{name}:{seed}"))


def _generate(
    trace: dict[str, Any], count: int, rate_per_s: float | None, burstiness: float, scale: float, random: Random
) -> Iterator[Request]:
    prompt, output = _inverse(trace["prompt"]), _inverse(trace["output"])
    arrival_s = 0.0
    for i in range(1, count + 1):
        yield Request(
            f"g{i}",
            _shrink(prompt(random.random()), scale),
            output_len=_shrink(output(random.random()), scale),
            arrival_ns=round(arrival_s * 1e9),
        )
        if rate_per_s is not None:
            arrival_s += random.gammavariate(burstiness, 1 / (burstiness * rate_per_s))


def _inverse(values: list[int]) -> Callable[[float], float]:
    """Share in [0, 1) -> length, linear between the quantiles."""
    shares = [percent / 100 for percent in trace_quantiles()["quantiles_percent"]]

    def at(share: float) -> float:
        i = min(bisect_right(shares, share), len(shares) - 1)
        left, right = shares[i - 1], shares[i]
        return values[i - 1] + (values[i] - values[i - 1]) * (share - left) / (right - left)

    return at


def _shrink(length: float, scale: float) -> int:
    shrunk = length / scale
    if not shrunk <= MOST_TOKENS:
        raise WorkloadError(f"--scale {scale} makes a length of {shrunk:.3g} tokens; {MOST_TOKENS:,} is the most")
    return max(1, round(shrunk))


def _scaled(request: Request, scale: float) -> Request:
    if request.prompt is not None:
        raise WorkloadError(f"--scale cannot shorten request '{request.id}': it has token ids, not a length")

    def shrunk(length: int | None) -> int | None:
        return _shrink(length, scale) if length else length

    return replace(
        request,
        prompt_len=shrunk(request.prompt_len) or 0,
        output_len=shrunk(request.output_len),
        max_new_tokens=shrunk(request.max_new_tokens),
        min_new_tokens=shrunk(request.min_new_tokens) or 0,
    )


def _repeat(requests: list[Request], groups: int) -> list[Request]:
    """The requests `groups` times; copies get ids of their own (`id#2`, ...)."""
    _check_held(len(requests) * groups)
    copies = [requests]
    copies += [[replace(r, id=f"{r.id}#{group}") for r in requests] for group in range(2, groups + 1)]
    repeated = [request for copy in copies for request in copy]
    if len({request.id for request in repeated}) < len(repeated):
        raise WorkloadError(f"--groups {groups}: a copy would have an id that the file uses already; rename ids with #")
    return repeated
