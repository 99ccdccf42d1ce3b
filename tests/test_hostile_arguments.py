"""Hostile words on the command line (docs/known-bugs.md, row T1): said back as they are, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from quizapp.cli import app

WORDS = "[/red] [b + x [IMPORTANT]"
OBEYED = "\x1b[31m\u202ey"
PLACES = [
    ("model", "add", "{}"),
    ("bank", "show", "{}"),
    ("bank", "check", "/nowhere/{}"),
    ("lab", "show", "{}"),
    ("exam", "start", "{}", "--plain"),
    ("study", "--plain", "--topic", "{}"),
    ("restore", "{}"),
    ("engine", "run", "--policy", "{}"),
    ("engine", "run", "--workload", "{}"),
    ("log", "export", "--format", "{}"),
    ("log", "{}"),
    ("{}",),
]


@pytest.mark.parametrize("words", PLACES, ids=" ".join)
def test_brackets_in_arguments_are_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(app, [word.format(WORDS + OBEYED) for word in words])
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code in (1, 2)
    assert WORDS in result.output
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output
