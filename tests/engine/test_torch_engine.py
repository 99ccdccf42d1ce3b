"""The whole engine on torch: the same counters as on the virtual clock, and one bad request harms no other."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from labs.engine import EngineConfig, Request, run
from quizapp.cli import app
from tests.engine.helpers import lesson
from tests.engine.torch_helpers import executor, outputs

COUNTERS = ("steps", "slot_steps", "useful", "waste", "tokens", "duration_s", "padding_prompt", "padding_decode")


@pytest.mark.parametrize(
    ("groups", "knobs", "expected"),
    [
        (1, {"scheme": "static"}, (600, 4800, 1225)),
        (2, {"scheme": "continuous"}, (660, None, 2450)),
        (1, {"scheme": "dynamic", "preferred": (4, 8)}, (600, 4800, 1225)),
    ],
)
def test_the_lesson_counts_the_same_on_torch_as_on_the_virtual_clock(groups, knobs, expected):
    config = EngineConfig(check=True, **knobs)
    computed = run(config, lesson(groups), executor(exact=False), keep_outputs=True)
    virtual = run(config, lesson(groups))
    assert computed.counters == virtual.counters
    steps, slot_steps, useful = expected
    assert (computed.counters["steps"], computed.counters["useful"]) == (steps, useful)
    assert slot_steps is None or computed.counters["slot_steps"] == slot_steps
    assert [len(text) for text in computed.outputs] == [request.output_len for request in lesson(groups)]


def test_tokens_stay_with_their_request_when_it_joins_a_running_batch_R1():
    """A newcomer prefills beside a decode: each gets its own token, not its neighbour's."""
    made = executor()
    requests = [Request("a", 20, output_len=10), Request("b", 31, output_len=10, arrival_ns=90_000_000)]
    alone = [outputs(made, [replace(request, arrival_ns=0)], slots=1).outputs[0] for request in requests]
    assert outputs(made, requests, slots=2).outputs == alone
    assert alone[0] != alone[1]


def test_an_executor_failure_finishes_one_request_and_leaks_nothing():
    made = executor()
    made.max_positions = 40
    try:
        result = outputs(made, [Request("long", 35, output_len=20), Request("short", 10, output_len=9)], slots=2)
    finally:
        made.max_positions = made.config.max_positions
    assert result.counters["finish_reasons"] == {"error": 1, "length": 1}
    assert [len(text) for text in result.outputs] == [6, 9]


def test_the_command_runs_on_torch():
    command = ["engine", "run", "--workload", "lesson", "--scheme", "static", "--executor", "torch", "--threads", "1"]
    result = CliRunner().invoke(app, [*command, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["steps"], found["slot_steps"], found["useful"], round(found["waste"], 4)) == (600, 4800, 1225, 0.7448)
    assert (found["executor"], found["device"], found["dtype"], found["exact"]) == ("torch", "cpu", "float32", True)


def test_a_model_that_is_not_there_is_a_sentence_and_wrong_usage():
    result = CliRunner().invoke(app, ["engine", "run", "--executor", "torch", "--model", "nowhere.gguf", "--json"])
    assert result.exit_code == 2
    assert "there is no model 'nowhere.gguf'" in result.stderr
    assert result.stdout == ""
