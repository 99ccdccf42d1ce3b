"""Three pieces of code that share only the rules must agree: the engine's counters, the recount of its log, and the
event-driven prediction from the workload alone."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.engine import EngineConfig, JsonlSink, Request, StepEvent, read_events, run
from labs.oracle import LogError, Unsupported, differences, predict, read_log, recount

from .helpers import checked, lesson
from .strategies import any_knobs, examples, predictable_knobs, workloads

CLOCKS = ("lesson", "lesson-token", "roofline:h100")


def agree(requests: list[Request], knobs: dict[str, Any]) -> None:
    result = checked(requests, **knobs)
    config = asdict(result.config)
    said = predict(config, requests)
    stated = result.counters
    for name, value in said.counters().items():
        assert stated[name] == value, f"{name}: engine {stated[name]}, prediction {value}"
    recounted = recount(config, plain(result.events))
    assert differences(stated, recounted) == []


def recounts(requests: list[Request], knobs: dict[str, Any], clock: str) -> None:
    """Also the settings that the prediction does not cover."""
    result = checked(requests, **knobs, clock=clock)
    recounted = recount(asdict(result.config), plain(result.events))
    assert differences(result.counters, recounted) == []
    assert result.counters["requests"] == len(requests)
    assert sum(result.counters["finish_reasons"].values()) == len(requests)
    for request, output in zip(requests, result.outputs, strict=True):
        if request.prompt_len and len(output) != request.limit:
            reason = next(
                a[2]
                for e in result.events
                for kind in ("finish", "refuse")
                for a in e.actions(kind)
                if a[1] == request.id
            )
            assert reason in ("kv_exhausted", "too_large"), f"{request.id} got {len(output)} tokens"


def plain(events: list[StepEvent]) -> list[dict[str, Any]]:
    """As the log's reader would see them."""
    return json.loads(json.dumps([event.to_json() for event in events]))


@examples(400)
@given(workloads(), predictable_knobs())
def test_engine_recount_and_prediction_agree_on_random_workloads(
    requests: list[Request], knobs: dict[str, Any]
) -> None:
    agree(requests, knobs)


@examples(400)
@given(workloads(), any_knobs(), st.sampled_from(CLOCKS))
def test_engine_and_recount_agree_under_every_setting(
    requests: list[Request], knobs: dict[str, Any], clock: str
) -> None:
    recounts(requests, knobs, clock)


@pytest.mark.prove
@examples(10_000)
@given(workloads(), predictable_knobs())
def test_ten_thousand_workloads_as_predicted(requests: list[Request], knobs: dict[str, Any]) -> None:
    agree(requests, knobs)


@pytest.mark.prove
@examples(10_000)
@given(workloads(), any_knobs(), st.sampled_from(CLOCKS))
def test_ten_thousand_workloads_under_every_setting(requests: list[Request], knobs: dict[str, Any], clock: str) -> None:
    recounts(requests, knobs, clock)


@pytest.mark.parametrize(
    "knobs",
    [{"scheme": "static"}, {"scheme": "sequential"}, {"kv_blocks": 120}, {"kv_blocks": 104, "preempt": "swap"}],
)
def test_prediction_of_the_lesson(knobs: dict[str, Any]) -> None:
    result = checked(lesson(2), **knobs)
    said = predict(asdict(result.config), lesson(2))
    assert (said.steps, said.duration_s) == (result.counters["steps"], result.counters["duration_s"])
    assert said.preemptions == result.counters["preemptions"]


def test_prediction_refuses_what_it_does_not_cover() -> None:
    with pytest.raises(Unsupported, match="fcfs, sjf and lpt"):
        predict(asdict(EngineConfig(policy="fair", kv_blocks=9)), lesson())


# ---- a log that was changed is caught ------------------------------------------------------------------------------


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "events.jsonl"
    config = EngineConfig(kv_blocks=120)
    with path.open("w") as stream:
        result = run(config, lesson(2), on_event=JsonlSink(stream, asdict(config)))
    return path, result


def test_a_log_on_disk_gives_the_same_counters(log) -> None:
    path, result = log
    config, events = read_log(path)
    assert differences(result.counters, recount(config, events)) == []
    header, typed = read_events(path)
    assert header == config
    assert plain(list(typed)) == events


def change(events: list[dict[str, Any]], how: str) -> None:
    middle = next(i for i, event in enumerate(events) if event["step"] == 300)
    if how == "a step removed":
        del events[middle]
    elif how == "a token removed":
        events[middle]["tokens"].pop()
    elif how == "a token twice":
        events[middle]["tokens"].append(events[middle]["tokens"][0])
    elif how == "a chunk removed":
        events[middle]["chunks"].pop()
    elif how == "time moved back":
        events[middle]["start_ns"] -= 1
    elif how == "a block given twice":
        alloc = next(action for event in events[1:] for action in event.get("before", []) if action[0] == "alloc")
        alloc[2][0] = 1
    elif how == "the end cut off":
        del events[-5:]


@pytest.mark.parametrize(
    "how",
    [
        "a step removed",
        "a token removed",
        "a token twice",
        "a chunk removed",
        "time moved back",
        "a block given twice",
        "the end cut off",
    ],
)
def test_a_doctored_log_is_refused(log, how: str) -> None:
    path, result = log
    config, events = read_log(path)
    change(events, how)
    try:
        found = differences(result.counters, recount(config, events))
    except LogError:
        return
    assert found, f"{how}: nobody noticed"


def test_a_changed_counter_is_named(log) -> None:
    path, result = log
    config, events = read_log(path)
    stated = {**result.counters, "steps": 307}
    assert differences(stated, recount(config, events)) == ["steps: the run says 307, the log says 760"]


def test_a_cut_file_is_not_a_log(tmp_path) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_text('{"event":"run","config":{}}\n{"event":"st')
    with pytest.raises(LogError, match="not a whole event log"):
        read_log(path)
