"""`quizapp engine run` and `explain` as scripts and people use them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from labs.oracle import differences, read_log, recount
from quizapp.cli import app

runner = CliRunner()

KEYS = {
    *("scheme", "policy", "executor", "device", "dtype", "exact", "requests", "finished", "steps", "slot_steps"),
    *("useful", "waste", "utilization", "tokens", "duration_s", "tokens_per_s", "queue_ms", "ttft_ms", "itl_ms"),
    *("tpot_ms", "e2e_ms", "goodput", "padding_prompt", "padding_decode", "wall_s", "kv", "preemptions"),
    *("recomputed_tokens", "swapped_bytes", "resident_max", "finish_reasons"),
}


def engine(*arguments: str, code: int = 0) -> str:
    result = runner.invoke(app, ["engine", *arguments])
    assert result.exit_code == code, result.output + result.stderr
    assert "Traceback" not in result.stderr
    return result.stdout if code == 0 else result.stderr


def run_json(*arguments: str) -> dict:
    return json.loads(engine("run", *arguments, "--json"))


def test_the_lesson_as_json() -> None:
    said = run_json("--workload", "lesson", "--scheme", "static", "--slots", "8")
    assert (said["steps"], said["slot_steps"], said["useful"], round(said["waste"], 4)) == (600, 4800, 1225, 0.7448)
    assert (said["duration_s"], said["padding_decode"], said["padding_prompt"]) == (12.06, 3575, 0)
    assert set(said) >= KEYS
    assert set(said["kv"]) >= {"block_size", "blocks", "peak", "reserved_peak", "used_peak", "leaked"}
    assert set(said["ttft_ms"]) == {"mean", "p50", "p90", "p95", "p99", "max"}
    assert "outputs" not in said


def test_defaults_are_those_of_the_interface() -> None:
    said = run_json("--groups", "2")
    assert (said["scheme"], said["policy"], said["executor"]) == ("continuous", "fcfs", "virtual")
    assert (said["steps"], said["duration_s"], said["slot_steps"]) == (660, 13.62, 8 * 660)
    assert said["kv"]["block_size"] == 16
    assert said["preemptions"] == 0, "as many blocks as the workload can use"


def test_goodput_and_tokens_on_request() -> None:
    said = run_json("--slo", "ttft=100,itl=50", "--tokens")
    assert said["goodput"] == pytest.approx(8 / 12.06)
    assert [len(output) for output in said["outputs"]] == [20, 25, 30, 40, 50, 60, 400, 600]


def test_outputs_are_in_request_order_whatever_the_arrivals(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    work.write_text(
        '{"id": "late", "arrival_ms": 900, "prompt_len": 3, "output_len": 2}\n{"prompt_len": 3, "output_len": 5}\n'
    )
    assert [len(output) for output in run_json("--workload", str(work), "--tokens")["outputs"]] == [2, 5]


def test_the_event_log_recounts_to_the_same_numbers(tmp_path) -> None:
    path = tmp_path / "events.jsonl"
    said = run_json("--groups", "2", "--kv-blocks", "104", "--events", str(path))
    assert (said["steps"], said["preemptions"]) == (856, 7)
    config, events = read_log(path)
    assert differences(said, recount(config, events)) == []


def test_a_table_carries_its_definitions() -> None:
    table = " ".join(engine("run", "--scheme", "static").split())
    assert "3,575" in table
    assert "slots x steps" in table
    assert "nearest" not in table or "rank" in table


def test_explain_tells_the_run_to_a_newcomer() -> None:
    text = " ".join(engine("explain", "--scheme", "static").split())
    assert "8 x 600 = 4,800 slot-steps" in text
    assert "3,575 rows were computed for requests that had already finished" in text
    assert "Answers leave when their batch ends" in text
    assert "--scheme continuous" in text
    squeezed = " ".join(engine("explain", "--groups", "2", "--kv-blocks", "104").split())
    assert (
        "7 times a running request lost its place for want of room; 2,129 tokens had to be computed again" in squeezed
    )
    capped = " ".join(engine("explain", "--groups", "2", "--admission", "reserve", "--kv-blocks", "150").split())
    assert "Memory, not the 8 slots, capped the batch." in capped


def test_explain_when_nothing_ran(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    work.write_text('{"prompt_len": 0, "output_len": 5}\n')
    result = runner.invoke(app, ["engine", "explain", "--workload", str(work)])
    assert "Nothing ran" in result.stdout
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--slots", "0"), "--slots is 0; it must be at least 1"),
        (("--slots", "many"), "Invalid value for '--slots'"),
        (("--scheme", "batch"), "--scheme is 'batch'"),
        (("--policy", "none.py"), "none.py: cannot read it"),
        (("--preferred", "4,x", "--scheme", "dynamic"), "--preferred '4,x' is not a list of sizes"),
        (("--workload", "nowhere.jsonl"), "nowhere.jsonl: cannot read it"),
        (("--workload", "gen:nobody"), "no such generator"),
        (("--clock", "roofline:abacus"), "no GPU named 'abacus'"),
        (("--executor", "quantum"), "--executor is 'quantum'"),
        (("--slo", "fast"), "--slo 'fast'"),
        (("--token-budget", "3"), "--token-budget 3 is below --slots 8"),
        (("--scheme", "static", "--chunk", "8"), "--chunk needs --scheme continuous"),
        (("--requests", "5"), "belong to --workload gen:NAME"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(arguments, sentence: str) -> None:
    assert sentence in engine("run", *arguments, code=2)


def test_bad_lines_of_a_workload_are_wrong_usage(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    work.write_text('{"prompt_len": 5, "output_len": -1}\n')
    assert f"{work}:1: output_len is -1" in engine("run", "--workload", str(work), code=2)


def test_requests_that_cannot_run_end_with_a_reason_and_exit_code_0(tmp_path) -> None:
    work = tmp_path / "w.jsonl"
    lines = [
        {"id": "huge", "prompt_len": 900, "output_len": 1},
        {"id": "empty", "prompt_len": 0, "output_len": 1},
        {"id": "zero", "prompt_len": 5, "output_len": 0},
        {"id": "good", "prompt_len": 5, "output_len": 3},
    ]
    work.write_text("\n".join(map(json.dumps, lines)))
    said = run_json("--workload", str(work), "--kv-blocks", "10")
    assert said["finish_reasons"] == {"invalid": 1, "length": 2, "too_large": 1}
    assert (said["steps"], said["kv"]["leaked"]) == (3, 0)


def test_work_that_can_never_end_is_a_named_stall_and_exit_code_1() -> None:
    told = engine("run", "--scheme", "static", "--slots", "16", "--no-flush", code=1)
    assert "a static batch needs 16 requests and 8 wait" in told


def test_an_event_log_that_cannot_be_written_is_a_sentence(tmp_path) -> None:
    path = tmp_path / "no" / "such" / "folder.jsonl"
    assert f"{path}: cannot write the event log" in engine("run", "--events", str(path), code=1)


def test_a_large_generated_workload_is_made_while_it_runs() -> None:
    said = run_json("--workload", "gen:azure_code", "--requests", "20000", "--scale", "20", "--slots", "64")
    assert said["finish_reasons"] == {"length": 20_000}
    assert said["kv"]["leaked"] == 0


def test_a_virtual_run_loads_neither_torch_nor_textual() -> None:
    code = (
        "import sys; from quizapp.cli import app\n"
        "try: app(['engine', 'run', '--json'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('torch', 'textual', 'numpy', 'sqlmodel') if m in sys.modules], file=sys.stderr)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stderr.strip() == "[]"
    assert json.loads(done.stdout)["steps"] == 600
