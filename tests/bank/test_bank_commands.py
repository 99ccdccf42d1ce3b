"""`quizapp bank …` as a user runs it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from quizapp.bank.load import load_bank
from quizapp.cli import app

from .samples import GOOD

MakeBank = Callable[..., Path]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["bank", *map(str, arguments)])


def test_check_passes_a_good_bank(bank_of: MakeBank) -> None:
    result = run("check", bank_of(good=GOOD), "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"ok": True, "questions": 1, "errors": []}


def test_check_names_every_mistake_and_exits_1(bank_of: MakeBank) -> None:
    root = bank_of(good=GOOD, bad=GOOD.replace("good", "bad").replace("[paper]", "[papper]"))
    result = run("check", root, "--json")
    assert result.exit_code == 1
    (error,) = json.loads(result.stdout)["errors"]
    assert set(error) == {"file", "line", "id", "field", "message"}
    assert (error["line"], error["id"], error["field"]) == (7, "bad", "sources.0")
    told = run("check", root)
    assert told.exit_code == 1
    assert "topic/bad.yaml:7: question 'bad': source 'papper' is not listed" in told.stderr
    assert "1 question loaded, 1 mistake." in told.stdout


def test_show_has_no_marks_of_bold_and_keeps_those_of_code() -> None:
    bank = load_bank().questions
    bold = next(name for name, question in bank.items() if "**" in question.ask)
    code = next(name for name, question in bank.items() if "`" in question.ask and "**" not in question.ask)
    shown = run("show", bold).stdout
    assert "**" not in shown
    words = re.search(r"\*\*([^*]+)\*\*", bank[bold].ask)
    assert words is not None
    assert words[1].upper() in shown
    assert "`" in run("show", code).stdout


def test_check_of_a_missing_folder(tmp_path: Path) -> None:
    result = run("check", tmp_path / "gone")
    assert result.exit_code == 1
    assert "no such folder" in result.stderr


@pytest.mark.parametrize("json_too", [[], ["--json"]], ids=["words", "json"])
def test_check_of_what_holds_no_questions(tmp_path: Path, json_too: list[str]) -> None:
    (tmp_path / "sources.yaml").write_text("{}\n", "utf-8")
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path, tmp_path / "empty"):
        result = run("check", folder, *json_too)
        assert result.exit_code == 2
        assert f"{folder} holds no questions" in result.stderr
        assert result.stdout == ""


def test_show_is_a_variant_with_its_key() -> None:
    one_of_each = {question.kind: question.id for question in load_bank().questions.values()}
    assert len(one_of_each) == 6
    for kind, question_id in one_of_each.items():
        result = run("show", question_id, "--seed", "3", "--json")
        shown = json.loads(result.stdout)
        assert result.exit_code == 0
        assert {"id", "kind", "style", "ask", "answer", "explain", "sources", "as_of"} <= set(shown), kind
        if kind in ("single", "multiple"):
            assert all({"id", "text", "correct", "why", "misconception"} <= set(o) for o in shown["options"])
            assert sum(o["correct"] for o in shown["options"]) == (1 if kind == "single" else len(shown["answer"]))


def test_seeds_shuffle_and_repeat() -> None:
    question = next(q.id for q in load_bank().questions.values() if q.kind == "single")
    orders = {run("show", question, "--seed", str(seed)).stdout for seed in range(4)}
    assert len(orders) > 1
    assert run("show", question, "--seed", "0").stdout in orders


def test_an_unknown_id_is_told(bank_of: MakeBank) -> None:
    known = next(iter(load_bank().questions))
    result = run("show", f"{known}x")
    assert result.exit_code == 1
    assert f"did you mean '{known}'?" in result.stderr
    assert result.stdout == ""


def test_list_has_the_promised_keys(bank_of: MakeBank) -> None:
    rows = json.loads(run("list", "--json").stdout)
    assert len(rows) == len(load_bank().questions)
    assert set(rows[0]) == {"id", "kind", "style", "topic", "objectives", "claims", "labs", "as_of"}


def test_an_added_bank_is_listed(bank_of: MakeBank) -> None:
    own = load_bank()
    text = GOOD.replace("exam-1", next(iter(own.objectives)))
    root = bank_of(mine=text)
    result = run("list", "--bank", root, "--json")
    assert "good" in {row["id"] for row in json.loads(result.stdout)}
    before = CliRunner().invoke(app, ["--bank", str(root), "bank", "list", "--json"])
    assert json.loads(before.stdout) == json.loads(result.stdout)


def test_lint_exits_1_on_problems_of_its_own(bank_of: MakeBank, tmp_path: Path) -> None:
    assert run("lint", bank_of(good=GOOD), "--json").exit_code == 0, "what the own bank lends is not to be used up"
    twice = GOOD.replace("It is not either.", "It is not.")
    result = run("lint", bank_of(good=twice), "--json")
    assert result.exit_code == 1
    assert [p["rule"] for p in json.loads(result.stdout)["problems"]] == ["repeated-why"]
    result = run("lint", bank_of(good=GOOD), "--against", tmp_path / "gone")
    assert result.exit_code == 2
    assert "--against" in result.stderr


def test_schema_validates_what_the_loader_accepts() -> None:
    schema = json.loads(run("schema").stdout)
    assert schema["type"] == "array"
    assert {"Single", "Multiple", "Numeric", "Order", "Match", "Short"} <= set(schema["$defs"])
    assert schema["$defs"]["Single"]["additionalProperties"] is False
    pattern = schema["$defs"]["Single"]["properties"]["as_of"]["pattern"]
    assert re.search(pattern, "2026-11")
    assert re.search(pattern, "2026-11-29")


@pytest.mark.parametrize("arguments", [["show"], ["check", "--nonsense"], ["frobnicate"]])
def test_wrong_usage_exits_2(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    for command in (["stats"], ["bank", "check"]):
        done = CliRunner().invoke(app, ["--db", str(tmp_path / "q.db"), "--bank", str(tmp_path / "none"), *command])
        assert done.exit_code == 2
        assert "there is no such folder" in done.stderr
