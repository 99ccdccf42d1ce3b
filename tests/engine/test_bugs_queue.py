"""Kinds of bugs that other engines had: queues, priority, fairness, aborts, stops (engine.md rows R7-R12, 30-36, 50-52,
65)."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.engine import Engine, EngineConfig, Request, VirtualExecutor
from labs.engine.clocks import lesson as lesson_clock
from labs.engine.policies import FairQueue

from .helpers import checked, lesson, sizes
from .ledger import LedgerExecutor
from .strategies import any_knobs, examples, workloads
from .test_bugs_capacity import ends

MS = 1_000_000


@pytest.mark.parametrize("scheme", ["sequential", "static", "dynamic", "continuous"])
def test_r7_the_slots_cap_what_runs_and_not_only_what_is_planned(scheme: str) -> None:
    result = checked(sizes(*[(20, 9)] * 30), slots=4, scheme=scheme, chunk=3 if scheme == "continuous" else None)
    assert max(event.running for event in result.events) == (1 if scheme == "sequential" else 4)


@pytest.mark.parametrize(("prefill", "bound"), [("mixed", 0), ("first", 5)])
def test_r8_and_34_steady_arrivals_do_not_stop_decoding(prefill: str, bound: int) -> None:
    """A new prompt arrives at every iteration; a decode sits out at most `bound` of them."""
    requests = [Request(f"r{i}", 10, output_len=30, arrival_ns=i * 70 * MS) for i in range(120)]
    result = checked(requests, slots=64, prefill=prefill, max_prefill_run=5, max_prefills=1)
    waited: dict[str, int] = {}
    worst = 0
    for event in result.events:
        computed = {chunk[0] for chunk in event.chunks}
        for name in waited:
            waited[name] = 0 if name in computed else waited[name] + 1
            worst = max(worst, waited[name])
        waited.update({name: 0 for name, _ in event.tokens if name not in waited})
        for action in event.actions("finish"):
            waited.pop(action[1], None)
    assert worst == bound


def test_r11_decodes_that_fill_the_budget_leave_no_negative_chunk() -> None:
    result = checked(sizes(*[(30, 20)] * 12), slots=6, token_budget=6)
    for event in result.events:
        assert all(stop > start for _, start, stop in event.chunks)
        assert sum(stop - start for _, start, stop in event.chunks) <= 6
    assert result.counters["finish_reasons"] == {"length": 12}


def test_r12_every_request_is_answered_once_and_two_runs_are_the_same_log() -> None:
    requests = [*lesson(2), Request("huge", 10**6, output_len=1), Request("zero", 4, output_len=0)]
    logs = []
    for _ in range(2):
        result = checked(requests, kv_blocks=104)
        logs.append([event.to_json() for event in result.events])
        assert set(ends(result)) == {request.id for request in requests}
    assert logs[0] == logs[1]


def test_30_an_urgent_request_takes_a_slot_from_a_less_urgent_one() -> None:
    bulk = [Request(f"bulk{i}", 10, output_len=600, priority=5) for i in range(8)]
    urgent = Request("urgent", 10, output_len=20, priority=0, arrival_ns=2_000 * MS)
    waits = {}
    for strict in (True, False):
        result = checked([*bulk, urgent], policy="priority", strict_priority=strict)
        admitted = next(e for e in result.events if any(a[:2] == ("admit", "urgent") for a in e.before))
        waits[strict] = (admitted.start_ns - urgent.arrival_ns) / 20e6
        assert result.counters["tokens"] == 8 * 600 + 20
    assert waits[True] <= 1, "at most one step"
    assert waits[False] > 490


def test_31_a_low_priority_request_is_not_starved() -> None:
    """Urgent requests come faster than they can be served; aging bounds the wait of the one that is not."""
    urgent = [Request(f"u{i}", 5, output_len=20, priority=0, arrival_ns=i * 300 * MS) for i in range(200)]
    low = Request("low", 5, output_len=20, priority=3, arrival_ns=0)
    waits = {}
    for aging_ms in (1_000, 1e9):
        result = checked([low, *urgent], policy="priority", slots=1, aging_ms=aging_ms)
        assert result.counters["preemptions"] == 0, "what it has waited for is not taken away again"
        waits[aging_ms] = next(event.start_ns for event in result.events if ("admit", "low", 0) in event.before) / 1e6
    assert waits[1e9] > 60_000, "without aging it waits for all of them"
    # Ahead of it: those that arrived within 3 levels x 1,000 ms, each served in 460 ms.
    assert waits[1_000] <= (3_000 / 300 + 2) * 460


def test_32_those_passed_over_keep_their_order() -> None:
    heavy = [Request(f"h{i}", 160, output_len=2) for i in range(2)]
    light = [Request(f"l{i}", 16, output_len=4) for i in range(4)]
    first = Request("first", 32, output_len=20)
    result = checked([first, heavy[0], light[0], heavy[1], *light[1:]], slots=2, kv_blocks=11, max_bypass=2)
    order = list(dict.fromkeys(a[1] for event in result.events for a in event.actions("admit")))
    assert order.index("l0") < order.index("h0"), "somebody did pass"
    assert [name for name in order if name[0] == "h"] == ["h0", "h1"]
    assert [name for name in order if name[0] == "l"] == ["l0", "l1", "l2", "l3"]


def test_33_priority_changes_latency() -> None:
    requests = [Request(f"r{i}", 10, output_len=50, priority=i % 2) for i in range(32)]
    result = checked(requests, policy="priority", slots=4)
    end = {a[1]: event.end_ns for event in result.events for a in event.actions("finish")}
    urgent = [end[f"r{i}"] for i in range(0, 32, 2)]
    other = [end[f"r{i}"] for i in range(1, 32, 2)]
    assert max(urgent) < min(other)


def test_35_each_request_has_its_own_terminal_event() -> None:
    result = checked(lesson(), scheme="static")
    finish = [a[1] for event in result.events for a in event.actions("finish")]
    deliver = [a[1] for event in result.events for a in event.actions("deliver")]
    assert sorted(finish) == sorted(deliver) == sorted(f"r{i}" for i in range(1, 9))
    last = [event for event in result.events if event.actions("deliver")]
    assert [event.step for event in last] == [600], "a static batch answers when it ends"


def test_36_an_engine_without_requests_is_idle_and_not_broken() -> None:
    engine = Engine(EngineConfig(kv_blocks=4), VirtualExecutor(), lesson_clock)
    assert engine.step() is None
    assert engine.abort("nobody") is False
    engine.add(Request("late", 5, output_len=2))
    assert engine.step() is not None


# ---- fairness ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_fair_share_keeps_its_stated_bound(seed: int) -> None:
    """While two tenants both wait, their services differ by at most 2 x (prompt cost + slots x output cost)."""
    random = Random(seed)
    slots, longest_prompt, longest_output = random.randint(1, 6), 40, 50
    requests = [
        Request(
            f"r{i}",
            random.randint(1, longest_prompt),
            output_len=random.randint(1, longest_output),
            tenant=random.choices("abc", (6, 2, 1))[0],
            arrival_ns=random.randint(0, 2_000) * MS,
        )
        for i in range(120)
    ]
    result = checked(requests, policy="fair", slots=slots)
    bound = 2 * (FairQueue.PROMPT_WEIGHT * longest_prompt + FairQueue.OUTPUT_WEIGHT * slots * longest_output)
    assert worst_gap(result.events, {r.id: r for r in requests}) <= bound


def worst_gap(events, requests) -> float:
    """The largest difference in service of two tenants over any stretch in which both have someone waiting."""
    service: dict[str, float] = dict.fromkeys("abc", 0.0)
    waiting: dict[str, int] = dict.fromkeys("abc", 0)
    base: dict[tuple[str, str], tuple[float, float]] = {}
    worst = 0.0
    for event in events:
        for action in event.before:
            tenant = requests[action[1]].tenant
            if action[0] == "arrive":
                waiting[tenant] += 1
            elif action[0] == "admit":
                waiting[tenant] -= 1
                service[tenant] += FairQueue.PROMPT_WEIGHT * requests[action[1]].prompt_len
        for name, _ in event.tokens:
            service[requests[name].tenant] += FairQueue.OUTPUT_WEIGHT
        for pair in (("a", "b"), ("a", "c"), ("b", "c")):
            if not (waiting[pair[0]] and waiting[pair[1]]):
                base.pop(pair, None)
                continue
            gap = service[pair[0]] - service[pair[1]]
            low, high = base.get(pair, (gap, gap))
            base[pair] = (min(low, gap), max(high, gap))
            worst = max(worst, base[pair][1] - base[pair][0])
    return worst


def test_fcfs_breaks_the_fair_bound_so_that_the_test_above_can_fail() -> None:
    requests = [Request(f"r{i}", 10, output_len=50, tenant="a" if i < 60 else "b") for i in range(120)]
    result = checked(requests, policy="fcfs", slots=2)
    bound = 2 * (FairQueue.PROMPT_WEIGHT * 10 + FairQueue.OUTPUT_WEIGHT * 2 * 50)
    assert worst_gap(result.events, {r.id: r for r in requests}) > bound


def test_a_tenant_has_no_credit_for_idling() -> None:
    """Tenant b comes after a was served for long: it may not take every slot until it has caught up."""
    a = [Request(f"a{i}", 5, output_len=20, tenant="a") for i in range(60)]
    b = [Request(f"b{i}", 5, output_len=20, tenant="b", arrival_ns=3_000 * MS) for i in range(20)]
    result = checked([*a, *b], policy="fair", slots=2)
    admitted = [a[1][0] for e in result.events if e.start_ns >= 3_000 * MS for a in e.actions("admit")]
    assert abs(admitted[:20].count("a") - admitted[:20].count("b")) <= 2


@pytest.mark.parametrize(
    ("knobs", "human_steps", "steps"),
    [
        ({}, [1610] * 4, 1620),
        ({"policy": "fair"}, [210] * 4, 1620),
        ({"tenant_slots": 6}, [20, 20, 40, 40], 2200),
    ],
)
def test_noisy_tenant(knobs, human_steps: list[int], steps: int) -> None:
    """64 agent requests of 200 tokens at once, four human ones of 20 tokens at step 10; without prefill costs."""
    agent = [Request(f"agent{i}", 1, output_len=200, tenant="agent") for i in range(64)]
    human = [Request(f"human{i}", 1, output_len=20, tenant="human", arrival_ns=200 * MS) for i in range(4)]
    result = checked([*agent, *human], clock=lambda plan, measured: 20 * MS, **knobs)
    ended = {a[1]: event.end_ns for event in result.events for a in event.actions("finish")}
    waits = [(ended[request.id] - request.arrival_ns) // (20 * MS) for request in human]
    assert (waits, result.counters["steps"]) == (human_steps, steps)


def test_a_preempted_request_is_not_charged_twice() -> None:
    engines: list[Engine] = []
    requests = [Request(f"r{i}", 20, output_len=30, tenant="ab"[i % 2]) for i in range(6)]
    result = checked(requests, policy="fair", kv_blocks=8, slots=4, on_engine=engines.append)
    assert result.counters["preemptions"] > 0
    paid = sum(engines[0].scheduler.queue.counters.values())
    assert paid == FairQueue.PROMPT_WEIGHT * 6 * 20 + FairQueue.OUTPUT_WEIGHT * 6 * 30


# ---- aborts --------------------------------------------------------------------------------------------------------


def engine_with(requests: list[Request], **knobs) -> tuple[Engine, dict[str, list[int]]]:
    outputs: dict[str, list[int]] = {}
    engine = Engine(
        EngineConfig(check=True, **knobs),
        LedgerExecutor(),
        lesson_clock,
        on_finish=lambda seq: outputs.__setitem__(seq.id, seq.output),
    )
    for request in requests:
        engine.add(request)
    engine.close()
    return engine, outputs


def drain(engine: Engine) -> None:
    while engine.step() is not None:
        pass


def test_51_abort_is_idempotent_in_every_state() -> None:
    engine, _ = engine_with(sizes((6, 14), (7, 9), (5, 12), (5, 5)), kv_blocks=6, block_size=4, slots=3)
    assert engine.abort("unknown") is False
    assert engine.abort("r4") is True  # waiting
    assert engine.abort("r4") is False
    while not engine.scheduler.queue.peek(0) or not engine.scheduler.queue.peek(0).preemptions:
        engine.step()
    preempted = engine.scheduler.queue.peek(0).id
    assert engine.abort(preempted) is True
    assert engine.abort("r1") is True  # running
    assert engine.abort("r1") is False
    drain(engine)
    assert engine.pool.free == 6
    assert engine.idle


def test_50_aborting_a_swapped_request_gives_its_host_memory_back() -> None:
    engine, _ = engine_with(sizes((6, 14), (7, 9), (5, 12)), kv_blocks=6, block_size=4, slots=3, preempt="swap")
    while not engine.memory.host_blocks:
        engine.step()
    engine.abort(engine.scheduler.queue.peek(0).id)
    assert engine.memory.host_blocks == 0
    drain(engine)
    assert engine.pool.free == 6


@pytest.mark.parametrize("chunk", [None, 4])
def test_52_an_abort_that_races_the_last_prefill_chunk(chunk: int | None) -> None:
    """The abort comes while the executor computes: the step commits first, then the request ends, once."""
    engine, outputs = engine_with(sizes((12, 9), (12, 9)), kv_blocks=20, chunk=chunk)

    def abort_in_the_last_chunk(plan) -> None:
        if any(seq.id == "r1" and stop == 12 for seq, _, stop in plan.chunks):
            assert engine.abort("r1") is True
            assert engine.abort("r1") is False

    engine.executor.hook = abort_in_the_last_chunk
    drain(engine)
    assert len(outputs["r1"]) == 1
    assert len(outputs["r2"]) == 9
    assert engine.pool.free == 20


@examples(160)
@given(workloads(6), any_knobs(), st.integers(0, 2**32))
def test_aborts_at_any_point_harm_nobody_else(drawn: list[Request], knobs: dict[str, Any], seed: int) -> None:
    """Random requests are given up at random steps, also mid-step: invariants hold, the others' tokens stay."""
    random = Random(seed)
    requests = [replace(r, arrival_ns=0) for r in drawn if r.prompt_len]
    undisturbed: dict[str, list[int]] = {}
    for request in requests:
        engine, outputs = engine_with([request], kv_blocks=600)
        drain(engine)
        undisturbed.update(outputs)
    engine, outputs = engine_with(requests, **{**knobs, "max_queue_delay_ms": 0, "preferred": ()})

    def sometimes(_: object) -> None:
        if random.random() < 0.1:
            engine.abort(random.choice(requests).id)

    engine.executor.hook = sometimes
    while engine.step() is not None:
        if requests and random.random() < 0.1:
            engine.abort(random.choice(requests).id)
    assert engine.idle
    assert engine.pool.free == engine.pool.num_blocks
    assert engine.memory.host_blocks == 0
    for name, output in outputs.items():
        assert output == undisturbed[name][: len(output)], f"'{name}'"


# ---- stops ---------------------------------------------------------------------------------------------------------


def test_65_a_stop_token_ends_the_request_and_min_new_tokens_holds_it_back() -> None:
    free = checked([Request("r", 6, output_len=30)], executor=LedgerExecutor()).outputs[0]
    stop = free[4]
    assert stop not in free[:4]
    stopped = checked([Request("r", 6, max_new_tokens=30, stop_ids=(stop,))], executor=LedgerExecutor())
    assert stopped.outputs[0] == free[:5]
    assert ends(stopped)["r"][0] == "stop"
    held = checked([Request("r", 6, max_new_tokens=30, min_new_tokens=10, stop_ids=(stop,))], executor=LedgerExecutor())
    assert len(held.outputs[0]) >= 10
    assert stop not in held.outputs[0][:10], "masked before the minimum, not only ignored"
    forced = checked([Request("r", 6, output_len=30, stop_ids=(stop,))], executor=LedgerExecutor())
    assert (len(forced.outputs[0]), ends(forced)["r"][0]) == (30, "length")


def test_65_the_minimum_holds_even_when_the_executor_does_not_mask() -> None:
    class Unmasked(LedgerExecutor):
        def _token(self, read: list[int], masked: tuple[int, ...]) -> int:
            return 7

    request = Request("r", 6, max_new_tokens=30, min_new_tokens=10, stop_ids=(7,))
    result = checked([request], executor=Unmasked())
    assert (result.outputs[0], ends(result)["r"][0]) == ([7] * 10, "stop")


def test_stop_on_the_last_allowed_token_is_by_length() -> None:
    free = checked([Request("r", 6, output_len=5)], executor=LedgerExecutor()).outputs[0]
    result = checked([Request("r", 6, max_new_tokens=5, stop_ids=(free[4],))], executor=LedgerExecutor())
    assert result.counters["finish_reasons"] == {"length": 1}
