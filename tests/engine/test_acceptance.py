"""The figures that the lessons' claims are judged by: exact, for every scheme."""

from __future__ import annotations

import pytest

from labs.engine import Request

from .helpers import checked, lesson, sizes


def test_static_lesson_wastes_74_percent_of_its_slot_steps() -> None:
    counters = checked(lesson(), scheme="static").counters
    assert (counters["steps"], counters["slot_steps"], counters["useful"]) == (600, 4800, 1225)
    assert round(counters["waste"], 4) == 0.7448
    assert counters["duration_s"] == 12.06
    assert counters["padding_decode"] == 4800 - 1225  # the waste is computed, not only counted
    assert counters["padding_prompt"] == 0


def test_sequential_lesson() -> None:
    counters = checked(lesson(), scheme="sequential").counters
    assert (counters["steps"], counters["duration_s"], counters["waste"]) == (1225, 24.98, 0)


@pytest.mark.parametrize(
    ("policy", "groups", "steps"), [("fcfs", 2, 660), ("sjf", 2, 640), ("lpt", 2, 600), ("fcfs", 43, 6905)]
)
def test_continuous_steps(policy: str, groups: int, steps: int) -> None:
    assert checked(lesson(groups), policy=policy, check=groups < 10).counters["steps"] == steps


def test_continuous_two_groups_duration() -> None:
    assert checked(lesson(2)).counters["duration_s"] == 13.62  # 660 steps and 7 iterations that contain a prefill


@pytest.mark.parametrize(("slots", "steps"), [(4, 620), (5, 600)])
def test_lpt_needs_five_slots(slots: int, steps: int) -> None:
    assert checked(lesson(2), policy="lpt", slots=slots).counters["steps"] == steps


@pytest.mark.parametrize(("slots", "steps"), [(5, 730), (6, 690), (12, 625), (16, 600)])
def test_fcfs_steps_by_slots(slots: int, steps: int) -> None:
    assert checked(lesson(2), slots=slots).counters["steps"] == steps


@pytest.mark.parametrize(("blocks", "resident", "steps"), [(1100, 8, 200), (800, 6, 300), (550, 4, 400), (300, 2, 800)])
def test_reserving_admission_lets_memory_cap_the_batch(blocks: int, resident: int, steps: int) -> None:
    result = checked(sizes(*[(1900, 100)] * 16), slots=16, admission="reserve", kv_blocks=blocks)
    assert (result.counters["resident_max"], result.counters["steps"]) == (resident, steps)
    assert result.counters["preemptions"] == 0


@pytest.mark.parametrize(("blocks", "steps"), [(300, 690), (250, 730), (200, 810), (150, 1060)])
def test_reserving_the_declared_maximum_of_600(blocks: int, steps: int) -> None:
    requests = [Request(r.id, 200, output_len=r.output_len, max_new_tokens=600) for r in lesson(2)]
    assert checked(requests, admission="reserve", kv_blocks=blocks).counters["steps"] == steps


def test_optimistic_threshold_145_blocks() -> None:
    fits = checked(lesson(2), kv_blocks=145).counters
    assert (fits["steps"], fits["preemptions"], fits["kv"]["peak"]) == (660, 0, 145)
    tight = checked(lesson(2), kv_blocks=144).counters
    assert (tight["steps"], tight["preemptions"], tight["recomputed_tokens"]) == (665, 1, 534)


@pytest.mark.parametrize(("blocks", "steps", "preemptions"), [(120, 760, 2), (104, 856, 7)])
@pytest.mark.parametrize("preempt", ["recompute", "swap"])
def test_optimistic_under_pressure(blocks: int, steps: int, preemptions: int, preempt: str) -> None:
    counters = checked(lesson(2), kv_blocks=blocks, preempt=preempt).counters
    assert (counters["steps"], counters["preemptions"]) == (steps, preemptions)
    assert (counters["recomputed_tokens"] > 0) == (preempt == "recompute")
    assert (counters["swapped_bytes"] > 0) == (preempt == "swap")


@pytest.mark.parametrize(
    ("chunk", "itl_ms", "ttft_ms", "prefill_steps"),
    [(None, 1220, 1220, 1), (1024, 327.2, 1280, 4), (512, 173.6, 1360, 8), (128, 58.4, 1840, 32)],
)
def test_chunking_bounds_the_gap_that_a_long_prompt_causes(chunk, itl_ms, ttft_ms, prefill_steps) -> None:
    """Seven requests decode when a 4,000-token prompt arrives (lesson-token clock, 0.3 ms a prefill token)."""
    start_ns = 10_000_000_000
    decoding = [Request(f"d{i}", 1, output_len=600) for i in range(7)]
    long = Request("long", 4000, output_len=5, arrival_ns=start_ns)
    result = checked([*decoding, long], clock="lesson-token", chunk=chunk)
    assert result.counters["itl_ms"]["max"] == pytest.approx(itl_ms)
    prefills = [event for event in result.events for chunk_ in event.chunks if chunk_[0] == "long" and chunk_[1] < 4000]
    assert len(prefills) == prefill_steps
    first = next(event.end_ns for event in result.events if any(token[0] == "long" for token in event.tokens))
    admitted = next(event.start_ns for event in result.events if ("admit", "long", 7) in event.before)
    assert (first - admitted) / 1e6 == pytest.approx(ttft_ms)
