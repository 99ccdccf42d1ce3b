"""Kinds of bugs that other engines had: preemption, swapping, resuming (engine.md rows R1, R3, 15-28, 53, 66).

Most run on LedgerExecutor, whose tokens are a hash of everything it read through the block tables.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given

from labs.engine import EngineConfig, Request, run
from labs.engine.policies import make_queue
from labs.engine.types import Sequence

from .helpers import checked, lesson, sizes
from .ledger import LedgerExecutor
from .strategies import any_knobs, examples, workloads

TIGHT = {"kv_blocks": 6, "slots": 3, "block_size": 4}
THREE = ((6, 14), (7, 9), (5, 12))


def alone(requests: list[Request]) -> list[list[int]]:
    """Each request's tokens when it has the engine to itself."""
    return [run(EngineConfig(), [request], LedgerExecutor(), keep_outputs=True).outputs[0] for request in requests]


def test_r1_tokens_go_to_their_request_when_another_joins() -> None:
    requests = [Request("a", 5, output_len=10), Request("b", 7, output_len=8, arrival_ns=90_000_000)]
    result = checked(requests, executor=LedgerExecutor())
    assert result.outputs == alone(requests)


@pytest.mark.parametrize("preempt", ["recompute", "swap"])
@pytest.mark.parametrize("victim", ["last", "lowest", "largest"])
@pytest.mark.parametrize("chunk", [None, 3])
def test_16_17_18_19_26_tokens_are_those_of_an_undisturbed_run(preempt: str, victim: str, chunk: int | None) -> None:
    """Nothing thrown away, doubled, truncated or re-prefilled short when a request resumes."""
    requests = sizes(*THREE)
    result = checked(requests, executor=LedgerExecutor(), preempt=preempt, victim=victim, chunk=chunk, **TIGHT)
    assert result.counters["preemptions"] > 0
    assert result.outputs == alone(requests)


def test_16_a_text_of_257_tokens_survives_preemption_with_blocks_of_256() -> None:
    requests = sizes((250, 20), (250, 20))
    result = checked(requests, executor=LedgerExecutor(), block_size=256, kv_blocks=3, slots=2)
    assert result.counters["preemptions"] == 1
    assert result.outputs == alone(requests)


def test_17_and_20_a_resumed_request_computes_its_whole_text_again_in_one_prefill() -> None:
    result = checked(lesson(2), kv_blocks=144)
    preempted = [a for event in result.events for a in event.actions("preempt")]
    (_, name, kind, computed, _) = preempted[0]
    assert kind == "recompute"
    again = [chunk for event in result.events for chunk in event.chunks if chunk[0] == name and chunk[1] == 0]
    assert again == [(name, 0, 200), (name, 0, computed + 1)]  # prompt, then prompt and everything generated


def test_19_memory_for_a_resume_is_that_of_prompt_and_generated_tokens() -> None:
    result = checked(lesson(2), kv_blocks=144)
    name, computed = next((a[1], a[3]) for event in result.events for a in event.actions("preempt"))
    allocs = [a[2] for event in result.events for a in event.actions("alloc") if a[1] == name and len(a[2]) > 1]
    assert [len(blocks) for blocks in allocs] == [13, -(-(computed + 1) // 16)]


def test_21_a_victim_gives_back_every_block() -> None:
    result = checked(lesson(2), kv_blocks=104)
    held: dict[str, int] = {}
    for event in result.events:
        for action in (*event.before, *event.after):
            if action[0] == "alloc":
                held[action[1]] = held.get(action[1], 0) + len(action[2])
            elif action[0] == "free":
                assert len(action[2]) == held.pop(action[1])
    assert held == {}


@pytest.mark.parametrize("max_bypass", [0, 8])
@pytest.mark.parametrize("preempt", ["recompute", "swap"])
def test_r3_and_22_preempted_requests_come_back_before_new_ones(preempt: str, max_bypass: int) -> None:
    result = checked(lesson(4), kv_blocks=104, preempt=preempt, max_bypass=max_bypass)
    out: list[str] = []
    for event in result.events:
        for action in event.before:
            if action[0] == "preempt":
                out.append(action[1])
            elif action[0] == "admit":
                assert not out or action[1] in out, f"'{action[1]}' passed {out}"
                if out:
                    out.remove(action[1])
    assert result.counters["preemptions"] > 5


@pytest.mark.parametrize("policy", ["fcfs", "sjf", "lpt", "fair"])
def test_r3_a_preempted_request_is_ahead_of_its_peers_whatever_the_policy(policy: str) -> None:
    queue = make_queue(EngineConfig(policy=policy))
    for key, length, preemptions in ((1, 10, 0), (2, 20, 1), (3, 30, 0)):
        request = Request(f"r{key}", 5, output_len=length, arrival_ns=key)
        queue.push(Sequence(request, key=key, limit=length, total=5, preemptions=preemptions))
    assert queue.peek(0).id == "r2"


def test_23_one_need_costs_one_victim_when_that_frees_enough() -> None:
    result = checked(lesson(2), kv_blocks=104)
    for event in result.events:
        lost = [a for a in event.before if a[0] == "preempt"]
        grown = [a for a in event.before if a[0] == "alloc"]
        assert len(lost) <= max(1, len(grown)), "more victims than blocks that were needed"
        assert not (lost and event.actions("admit")), "a victim's memory went to a newcomer at once"


def test_24_a_fair_turn_that_cannot_be_served_does_not_stop_the_engine() -> None:
    requests = [
        *(Request(f"big{i}", 60, output_len=30, tenant="big") for i in range(3)),
        *(Request(f"small{i}", 4, output_len=30, tenant="small") for i in range(6)),
    ]
    result = checked(requests, policy="fair", kv_blocks=7, slots=4)
    assert result.counters["finish_reasons"] == {"length": 9}


def test_25_who_preempts_itself_does_not_stop_the_others() -> None:
    """The newest request needs a block and is the victim: everybody before it still decodes in that step."""
    result = checked(sizes((16, 40), (13, 40)), kv_blocks=4, slots=2)
    event = next(event for event in result.events if event.actions("preempt"))
    assert event.actions("preempt")[0][1] == "r2"
    assert [chunk[0] for chunk in event.chunks] == ["r1"]


def test_27_a_half_done_prefill_keeps_the_memory_it_was_promised() -> None:
    """Decodes that grow while a long prompt is chunked cannot take its blocks away under it."""
    requests = [Request("a", 8, output_len=60), Request("long", 60, output_len=4)]
    result = checked(requests, executor=LedgerExecutor(), chunk=4, kv_blocks=20, block_size=4, slots=2)
    assert result.outputs == alone(requests)


@pytest.mark.parametrize(("swap_blocks", "kinds"), [(0, {"recompute"}), (3, {"recompute", "swap"}), (None, {"swap"})])
def test_28_a_full_swap_falls_back_to_recompute(swap_blocks: int | None, kinds: set[str]) -> None:
    executor = LedgerExecutor()
    requests = sizes(*THREE, (9, 11), (4, 15))
    result = checked(requests, executor=executor, preempt="swap", swap_blocks=swap_blocks, **TIGHT)
    assert {a[2] for event in result.events for a in event.actions("preempt")} == kinds
    assert result.outputs == alone(requests)
    assert executor.host_copies == 0


def test_swapped_bytes_are_counted_both_ways() -> None:
    executor = LedgerExecutor()
    result = checked(sizes(*THREE), executor=executor, preempt="swap", **TIGHT)
    moved = [a[4] for event in result.events for a in event.actions("preempt")]
    back = [a[3] for event in result.events for a in event.actions("swap_in")]
    assert sorted(moved) == sorted(back)
    assert result.counters["swapped_bytes"] == sum(moved) * 2
    assert all(count % executor.block_bytes == 0 and count > 0 for count in moved)


def test_53_chunk_progress_belongs_to_the_request() -> None:
    """Every chunk starts where the one before stopped, also when the prefill was paused in between."""
    requests = [Request("long", 50, output_len=3), *(Request(f"s{i}", 4, output_len=6) for i in range(6))]
    result = checked(requests, policy="sjf", chunk=7, max_prefills=1, slots=4, executor=LedgerExecutor())
    chunks = [chunk[1:] for event in result.events for chunk in event.chunks if chunk[0] == "long"]
    assert [start for start, _ in chunks] == [0, *[stop for _, stop in chunks[:-1]]]
    assert result.outputs == alone(requests)


def test_66_latencies_are_differences_of_timestamps_under_preemption() -> None:
    result = checked(lesson(2), kv_blocks=120)
    times: dict[str, list[int]] = {}
    for event in result.events:
        for name, _ in event.tokens:
            times.setdefault(name, []).append(event.end_ns)
    gaps = [b - a for stamps in times.values() for a, b in pairwise(stamps)]
    assert result.counters["itl_ms"]["max"] == max(gaps) / 1e6
    assert result.counters["itl_ms"]["mean"] == pytest.approx(sum(gaps) / len(gaps) / 1e6)
    assert result.counters["itl_ms"]["max"] > 1000, "the preempted request's pause is one of its gaps"
    assert len(gaps) == 2450 - 16, "no gap is lost or counted twice"
    assert result.counters["ttft_ms"]["max"] == max(stamps[0] for stamps in times.values()) / 1e6


@examples(200)
@given(workloads(6), any_knobs())
def test_54_tokens_do_not_depend_on_company_or_settings(requests: list[Request], knobs: dict[str, Any]) -> None:
    """Every token is that of the request alone."""
    result = checked(requests, executor=LedgerExecutor(), **knobs)
    for request, output, expected in zip(requests, result.outputs, alone(requests), strict=True):
        assert output == expected[: len(output)], f"request '{request.id}'"
