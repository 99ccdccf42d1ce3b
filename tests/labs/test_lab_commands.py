"""`quizapp lab` and `quizapp claims` as a user or a script runs them."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from labs.checking import load_solver
from labs.lab import find_lab, load_catalog
from labs.setting import make_setting
from quizapp.cli import app
from quizapp.plain.labs import LabSession
from quizapp.study import Study
from quizapp.study import labs as use_cases


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(use_cases, "EXECUTOR", "virtual")

    def invoke(*arguments, typed="", code=0):
        result = CliRunner().invoke(app, list(arguments), input=typed)
        assert result.exit_code == code, result.output + result.stderr
        return result

    return invoke


def typed_answers(lab_id: str, seed: int, *, transfer_by: float = 1.0) -> list[str]:
    """The lines that the lab's own solver would type."""
    lab, solver = find_lab(lab_id), load_solver(find_lab(lab_id))
    main = {run.id: make_setting(lab, "main", run.id, seed, executor="virtual") for run in lab.runs}
    own = {run.id: make_setting(lab, "transfer", run.id, seed, executor="virtual") for run in lab.transfer.runs}
    lines = []
    for value in solver.predict(main).values():
        lines += [str(value), "70"]
    lines += [str(value) for value in solver.observe(main, {}).values()]
    lines.append("ABCD"[[option.correct for option in lab.explain.options].index(True)])
    for value in solver.transfer(own).values():
        lines += [str(value * transfer_by), "85 %"]
    return lines


def seed_of(home: Path, lab_id: str) -> int:
    with Study.open(home=home) as study:
        return use_cases.Labs(study).open(lab_id).record.seed


def test_list_tells_state_minutes_and_needs(call):
    rows = json.loads(call("lab", "list", "--json").stdout)
    assert len(rows) == 10
    assert {"id", "title", "minutes", "claims", "state", "needs"} <= rows[0].keys()
    assert {row["state"] for row in rows} == {"new"}
    assert "easier after 01-static-waste" in call("lab", "list").stdout


def test_show_by_number_slug_and_id(call):
    shown = {call("lab", "show", name).stdout for name in ("3", "backfill", "03-backfill")}
    assert len(shown) == 1
    assert "floor of about 307 steps" in shown.pop()
    assert json.loads(call("lab", "show", "3", "--json").stdout)["claims"]
    assert "there is no lab 'x'" in call("lab", "show", "x", code=2).stderr


@pytest.mark.parametrize("name", load_catalog())
def test_prose_is_read_without_its_marks(call, name):
    """Bold in capitals as in `study --plain`, also where it goes over a line's end; code keeps its marks."""
    lab = find_lab(name)
    bold = re.findall(r"\*\*([^*]+)\*\*", lab.text()["claim"] + lab.text()["predict"])
    shown = call("lab", "show", name).stdout + call("lab", "do", name, typed="hint\nhint\nq\n").stdout
    assert "**" not in shown
    assert all(words.upper() in shown for words in bold)


def test_a_free_run_prints_counters_oracle_and_the_log(call):
    found = json.loads(call("lab", "run", "3", "--executor", "virtual", "--json").stdout)
    assert {"id", "seed", "config", "counters", "oracle", "agrees", "events"} <= found.keys()
    assert found["counters"]["steps"] == found["oracle"]["steps"] == 660
    assert found["counters"]["ttft_ms"]["p99"] > 0
    assert found["agrees"]
    assert Path(found["events"]).read_text("utf-8").startswith('{"event":"run"')
    turned = json.loads(call("lab", "run", "3", "--set", "slots=16", "--executor", "virtual", "--json").stdout)
    assert turned["config"]["slots"] == 16
    assert turned["counters"]["steps"] == 600
    own = ("lab", "run", "3", "--transfer", "--executor", "virtual", "--json", "--seed")
    assert json.loads(call(*own, "1").stdout)["counters"] != json.loads(call(*own, "2").stdout)["counters"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "slots"], "write KNOB=VALUE"),
        (["--set", "colour=red"], "no knob 'colour'"),
        (["--set", "slots=7"], "choose 4, 8, 16"),
        (["--executor", "gpu"], "choose torch or virtual"),
        (["--run", "none"], "no main run 'none'"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_wrong_usage_ends_with_2_and_a_sentence(call, arguments, said):
    result = call("lab", "run", "3", "--executor", "virtual", *arguments, code=2)
    assert said in result.stderr
    assert result.stdout == ""


def test_a_lab_is_done_line_by_line_left_and_taken_up_again(call, tmp_path):
    home, lab = tmp_path / "home", "15-no-help"
    seed = seed_of(home, lab)
    lines = typed_answers(lab, seed)
    first = call("lab", "do", lab, "--plain", typed="\n".join([*lines[:3], "hint", "q"]) + "\n")
    assert "A saved step needs somebody" in first.stdout
    assert "goes on from here" in first.stdout
    rest = call("lab", "do", lab, "--plain", typed="\n".join([lines[2], *lines[3:]]) + "\n")
    assert "Passed: When batching does not help" in rest.stdout
    assert "Now due for review" in rest.stdout
    (row,) = [one for one in json.loads(call("lab", "list", "--json").stdout) if one["id"] == lab]
    assert row["state"] == "passed"
    checked = json.loads(call("lab", "check", lab, "--json").stdout)
    assert checked["ok"]
    assert len(checked["receipts"]) == 5
    log = next((home / "labs" / lab).glob("*main-main*.jsonl"))
    log.write_text(log.read_text("utf-8").replace('"step":100,', '"step":101,'), "utf-8")
    spoilt = json.loads(call("lab", "check", lab, "--json", code=1).stdout)
    assert "was changed after the run" in str(spoilt["receipts"])
    assert json.loads(call("lab", "reset", lab, "--json").stdout)["stage"] == "predict"


def test_wrong_lines_are_asked_again_and_a_missed_transfer_gets_new_numbers(call, tmp_path):
    lab = "15-no-help"
    lines = typed_answers(lab, seed_of(tmp_path / "home", lab), transfer_by=2.0)
    lines[0:0] = ["a lot", "70", "-5", "70"]
    lines[-2] = "100"  # twice the share would be none
    shown = call("lab", "do", lab, typed="\n".join([*lines, "", "q"]) + "\n").stdout
    assert "'a lot' is not a number" in shown
    assert "-5 cannot be: the answer lies from 0 to 100 %" in shown
    assert "did not hold" in shown
    assert "you said 2.00 x (85 % sure), it was 1.00 x: it was otherwise" in shown
    assert "Passed" not in shown


def test_a_line_that_comes_after_another_window_s_answer_is_told_so(tmp_path):
    class Other(io.StringIO):
        """Standard input whose first line comes while another window answers."""

        def readline(self, size=-1):
            if self.tell() == 0:
                with Study.open(home=tmp_path) as other:
                    use_cases.Labs(other).predict("15-no-help", {"waste": 12}, {"waste": 95})
            return super().readline(size)

    shown = io.StringIO()
    with Study.open(home=tmp_path) as study:
        labs = use_cases.Labs(study)
        LabSession(labs, "15-no-help", Other("-3\n70\n50\n70\n2\n"), shown).run()
        record = labs.lab("15-no-help").record
    assert "'waste' was answered in another window" in shown.getvalue()
    assert [(one.key, one.value, one.confidence) for one in record.predictions] == [("waste", 12, 95), ("gain", 50, 70)]
    assert shown.getvalue().count("Wasted share") == 1  # it is not asked again


def test_a_lab_that_was_never_touched_has_nothing_to_reset(call, tmp_path):
    lab = "15-no-help"
    assert "nothing to reset" in call("lab", "reset", lab).stderr
    seed = seed_of(tmp_path / "home", lab)  # opened, and nothing more
    found = json.loads(call("lab", "reset", lab, "--json").stdout)
    assert (found["attempt"], found["seed"]) == (1, seed)
    call("lab", "do", lab, typed="hint\nq\n")
    assert json.loads(call("lab", "reset", lab, "--json").stdout)["attempt"] == 2
    assert json.loads(call("lab", "reset", lab, "--json").stdout)["attempt"] == 2


def test_testing_out_by_the_transfer(call, tmp_path):
    lab = "15-no-help"
    lines = typed_answers(lab, seed_of(tmp_path / "home", lab))[-4:]
    shown = call("lab", "do", lab, typed="\n".join(["skip", *lines]) + "\n").stdout
    assert "Passed" in shown
    assert "tested out" in call("lab", "list").stdout


def test_a_new_lab_can_be_tested(call, tmp_path):
    call("lab", "new", "20-my-lab", "--into", str(tmp_path))
    (row,) = json.loads(call("lab", "test", str(tmp_path / "20-my-lab"), "--json").stdout)
    assert row["unsolved_fails"]
    assert row["solver_passes"]
    assert row["seeds"] == [1, 2, 3]
    assert row["seconds"] >= 0
    assert "exists already" in call("lab", "new", "20-my-lab", "--into", str(tmp_path), code=2).stderr
    solver = tmp_path / "20-my-lab" / "solve.py"
    solver.write_text(solver.read_text("utf-8").replace('CAUSE = "longest"', 'CAUSE = "other"'), "utf-8")
    assert "is not the right one" in call("lab", "test", str(tmp_path / "20-my-lab"), code=1).stderr


def test_claims_as_json_leave_none_without_a_verdict(call):
    rows = json.loads(call("claims", "--json").stdout)
    assert len(rows) >= 55
    assert {"id", "source", "statement", "stated", "exact", "unit", "verdict", "labs", "questions"} <= rows[0].keys()
    assert {row["verdict"] for row in rows} == {"holds", "rounded", "holds-when", "does-not-hold"}
    by_id = {row["id"]: row for row in rows}
    assert by_id["c11"]["exact"] == 660
    assert by_id["c11"]["questions"]
    assert "does not hold" in call("claims").stdout
