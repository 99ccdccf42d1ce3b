"""What Hypothesis draws for the engine: workloads and settings in which memory is often short, arrivals are spread and
every knob is turned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from labs.engine import Request

Draw = Callable[[st.SearchStrategy[Any]], Any]

PROMPTS = st.one_of(st.integers(1, 12), st.integers(1, 70), st.integers(20, 70))
OUTPUTS = st.one_of(st.sampled_from((0, 1)), st.integers(1, 9), st.integers(1, 60), st.integers(20, 60))
SHAPES = st.tuples(
    st.one_of(PROMPTS, PROMPTS, PROMPTS, st.sampled_from((0, 30))),  # now and then an empty prompt
    OUTPUTS,
    st.one_of(st.none(), st.integers(0, 30)),
    st.integers(0, 1000),
    st.integers(0, 3),
    st.sampled_from("abc"),
)
"""(prompt, output, declared beyond the output, arrival in thousandths of the spread, priority, tenant)"""


def workloads(most: int = 14) -> st.SearchStrategy[list[Request]]:
    return st.builds(_requests, st.lists(SHAPES, min_size=1, max_size=most), st.sampled_from((0, 0, 50, 400, 3000)))


def _requests(shapes: list[tuple[Any, ...]], spread_ms: int) -> list[Request]:
    return [
        Request(
            f"r{i}",
            prompt_len=prompt,
            output_len=output,
            max_new_tokens=None if beyond is None else output + beyond,
            arrival_ns=arrival * spread_ms // 1000 * 1_000_000,
            priority=priority,
            tenant=tenant,
        )
        for i, (prompt, output, beyond, arrival, priority, tenant) in enumerate(shapes)
    ]


@st.composite
def predictable_knobs(draw: Draw) -> dict[str, Any]:
    """Settings that `labs.oracle.predict` covers."""
    scheme = draw(st.sampled_from(("continuous", "continuous", "static", "dynamic", "sequential")))
    slots = draw(st.sampled_from((3, 2, 4, 6, 1)))
    size = draw(st.sampled_from((1, 2, 3, 4, 8, 16)))
    knobs: dict[str, Any] = {
        "scheme": scheme,
        "slots": slots,
        "policy": draw(st.sampled_from(("fcfs", "fcfs", "sjf", "lpt"))),
        "block_size": size,
        "admission": draw(st.sampled_from(("optimistic", "optimistic", "reserve"))),
        "preempt": draw(st.sampled_from(("recompute", "swap"))),
        "victim": draw(st.sampled_from(("last", "last", "lowest", "largest"))),
        "kv_blocks": max(1, draw(st.sampled_from((70, 80, 90, 110, 130, 200, 600))) // size),
    }
    if scheme in ("sequential", "continuous"):
        knobs["chunk"] = draw(st.one_of(st.none(), st.integers(1, 30)))
    if scheme == "dynamic":
        knobs["max_queue_delay_ms"] = draw(st.sampled_from((0, 7, 60, 500)))
        knobs["preferred"] = tuple(sorted(draw(st.sets(st.integers(1, slots)))))
    return knobs


@st.composite
def any_knobs(draw: Draw) -> dict[str, Any]:
    """Every setting, also those that only `recount` covers."""
    knobs = draw(predictable_knobs())
    one_by_one = knobs["scheme"] in ("continuous", "sequential")
    knobs["policy"] = draw(st.sampled_from(("fcfs", "sjf", "lpt", "priority", "fair")))
    knobs["strict_priority"] = draw(st.booleans())
    knobs["kv"] = draw(st.sampled_from(("paged", "paged", "contiguous")))
    knobs["max_bypass"] = draw(st.sampled_from((0, 0, 1, 3)))
    knobs["aging_ms"] = draw(st.sampled_from((50, 500, 10_000)))
    knobs["swap_blocks"] = draw(st.sampled_from((None, None, 0, 5)))
    knobs["respond"] = draw(st.sampled_from((None, "own") if one_by_one else (None, "own", "batch")))
    if one_by_one:
        knobs["prefill"] = draw(st.sampled_from(("mixed", "first")))
        knobs["max_prefill_run"] = draw(st.sampled_from((1, 3, 8)))
        knobs["tenant_slots"] = draw(st.sampled_from((None, None, 1, 2)))
        knobs["max_prefills"] = draw(st.sampled_from((None, 1, 2)))
        knobs["token_budget"] = draw(st.sampled_from((None, None, knobs["slots"], knobs["slots"] + 7, 40)))
    return knobs


def examples(count: int, steps: int = 50) -> settings:
    """The same `count` examples in every run, so that a failure is a change of ours and never luck."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(
        max_examples=count,
        stateful_step_count=steps,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=slow,
    )
