"""One thing is one thing: counts in words where a person reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from quizapp.bank.lint import Problem, Report
from quizapp.cli import app
from quizapp.study import Study
from quizapp.text import counted


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 answers"), (1, "1 answer"), (2, "2 answers"), (3000, "3,000 answers")]
)
def test_a_count_in_words(count: int, words: str) -> None:
    assert counted(count, "answer") == words


@pytest.fixture
def one_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    with Study.open(home=tmp_path) as study:
        card = study.next_card()
        assert card is not None
        study.answer(card, None)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["bank", "stats"], " 1 answer,   0 % right"),
        (["log", "replay", "--check"], "1 review replayed: the store is identical."),
        (["log", "replay"], "1 review replayed: cards rebuilt."),
    ],
)
def test_one_answer_is_no_answers(one_answer: Path, command: list[str], words: str) -> None:
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert words in done.stdout


def test_one_mistake_is_no_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    folder = tmp_path / "bank"
    folder.mkdir()
    (folder / "one.yaml").write_text("- id: one\n  kind: nonsense\n", "utf-8")
    Study.open(home=tmp_path).close()
    run = CliRunner()
    told = run.invoke(app, ["doctor", "--bank", str(folder)]).stdout
    assert ", 1 mistake." in told
    assert "1 mistake." in run.invoke(app, ["bank", "check", "--bank", str(folder)]).stdout


def test_one_problem_is_no_problems() -> None:
    report = Report(1, {}, {}, {}, {}, 0, 0, 0, {}, [Problem("q", "rule", "It is odd.")])
    assert list(report.lines())[-1] == "1 problem"
