"""Files that commands write: never over a learner's own file, over their own earlier output gladly."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from quizapp.cli import app

LESSON = ("engine", "run", "--json", "--events")
WRITERS = [LESSON, ("progress", "--html"), ("progress", "--svg"), ("log", "export", "--output")]
MINE = "def rank(request, now_ms):\n    return 0\n"


def call(home: Path, *arguments: str):
    return CliRunner().invoke(app, ["--db", str(home / "quizapp.db"), *arguments])


@pytest.mark.parametrize("writer", WRITERS, ids=" ".join)
def test_a_file_of_ones_own_is_kept(tmp_path: Path, writer: tuple[str, ...]) -> None:
    mine = tmp_path / "p.py"
    mine.write_text(MINE, "utf-8")
    (tmp_path / "link").symlink_to(mine)
    for name in ("p.py", "link"):
        result = call(tmp_path, *writer, str(tmp_path / name))
        assert (result.exit_code, "not overwritten" in result.stderr) == (2, True), result.output
    assert mine.read_text("utf-8") == MINE


def test_the_store_is_not_written_over(tmp_path: Path) -> None:
    assert call(tmp_path, "stats", "--json").exit_code == 0
    store = (tmp_path / "quizapp.db").read_bytes()
    for writer in WRITERS:
        assert call(tmp_path, *writer, str(tmp_path / "quizapp.db")).exit_code == 2
    assert (tmp_path / "quizapp.db").read_bytes()[:4096] == store[:4096]
    assert call(tmp_path, "stats", "--json").exit_code == 0


@pytest.mark.parametrize("writer", [*WRITERS, ("log", "export", "--format", "csv", "--output")], ids=" ".join)
def test_an_earlier_output_and_an_empty_file_are_written_over(tmp_path: Path, writer: tuple[str, ...]) -> None:
    out = tmp_path / "out"
    out.touch()
    for _ in range(2):
        result = call(tmp_path, *writer, str(out))
        assert result.exit_code == 0, result.output
    if writer[0] != "log" or "csv" in writer:  # a log without reviews is an empty JSONL file
        assert out.stat().st_size > 0
