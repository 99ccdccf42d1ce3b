"""The store's commands as a person or a script runs them: JSON keys, exit codes, messages on standard error."""

import csv
import io
import json
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quizapp.cli import app
from quizapp.clock import FixedClock
from quizapp.study.doctor import examine
from study.helpers import START, answer_some, open_study

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    clock = tmp_path / "clock"
    clock.write_text("2026-06-10T10:00:00+00:00")
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("QUIZAPP_CLOCK", str(clock))
    monkeypatch.setenv("TZ", "UTC")
    return tmp_path / "home"


def run(*arguments: str, code: int = 0):
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result


def as_json(*arguments: str, code: int = 0):
    return json.loads(run(*arguments, "--json", code=code).stdout)


def test_stats(home) -> None:
    found = as_json("stats")
    assert found["cards"] == found["new"] > 0
    keys = {"cards", "due", "new", "learning", "suspended", "reviews", "reviews_today", "streak_days", "true_retention"}
    assert keys <= set(found)
    assert found["true_retention"] is None
    answer_some(home, 3)
    found = as_json("stats")
    assert (found["reviews"], found["reviews_today"], found["streak_days"]) == (3, 3, 1)
    assert "streak days" in run("stats").stdout


def test_undo(home) -> None:
    assert as_json("undo") == {"undone": None}
    answer_some(home, 2)
    assert as_json("undo") == {"undone": 2}
    assert "Took back answer 1" in run("undo").stdout
    assert "no answer to take back" in run("undo").stdout


def test_log_export(home) -> None:
    answer_some(home, 4)
    run("undo")
    keys = ["review_id", "card_id", "question_id", "seed", "reviewed_at", "duration_ms", "response", "score",
            "confidence", "rating", "before", "after", "origin"]  # fmt: skip
    lines = [json.loads(line) for line in run("log", "export").stdout.splitlines()]
    assert [line["review_id"] for line in lines] == [1, 2, 3]
    for line in lines:
        assert list(line)[: len(keys)] == keys
        assert line["before"] == {}
        assert line["after"]["review"] == line["review_id"]
        assert datetime.fromisoformat(line["reviewed_at"]).tzinfo is not None
        assert line["rating"] in ("again", "hard", "good", "easy")
    assert len(run("log", "export", "--all").stdout.splitlines()) == 4
    table = list(csv.DictReader(io.StringIO(run("log", "export", "--format", "csv").stdout)))
    assert [int(row["review_id"]) for row in table] == [1, 2, 3]
    assert [json.loads(row["after"]) for row in table] == [line["after"] for line in lines]
    assert [json.loads(row["response"]) for row in table] == [line["response"] for line in lines]
    run("log", "export", "--format", "xml", code=2)
    target = home / "log.jsonl"
    run("log", "export", "--output", str(target))
    assert len(target.read_text().splitlines()) == 3
    assert "cannot be written" in run("log", "export", "--output", str(home / "no" / "x"), code=1).stderr


def test_log_replay(home) -> None:
    answer_some(home, 6)
    assert as_json("log", "replay", "--check") == {"ok": True, "reviews": 6, "differences": [], "unchecked": 0}
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        connection.execute("UPDATE card SET reps = reps + 1 WHERE reps > 0")
        connection.execute("UPDATE daily SET reviews = 99")
        connection.execute("UPDATE card SET flagged = 1 WHERE id = 1")
        connection.commit()
    report = as_json("log", "replay", "--check", code=1)
    assert report["ok"] is False
    assert len(report["differences"]) == 8
    assert "quizapp log replay" in run("log", "replay", "--check", code=1).stdout
    assert as_json("log", "replay")["ok"]
    assert as_json("log", "replay", "--check")["differences"] == []
    assert as_json("stats")["reviews"] == 6


def test_backup_and_restore(home) -> None:
    answer_some(home, 2)
    made = as_json("backup")["backup"]
    answer_some(home, 3)
    assert as_json("stats")["reviews"] == 5
    assert made in run("restore").stdout
    assert made in [one["file"] for one in as_json("restore")]
    restored = as_json("restore", made)
    assert restored["restored"] == made
    assert as_json("stats")["reviews"] == 2
    as_json("restore", restored["kept"])
    assert as_json("stats")["reviews"] == 5
    assert "no backup" in run("restore", str(home / "none.db"), code=1).stderr
    target = home / "mine.db"
    run("backup", str(target))
    assert target.exists()
    assert "exists already" in run("backup", str(target), code=1).stderr
    assert "No backup could be written" in run("backup", str(home / "quizapp.db" / "x.db"), code=1).stderr


def test_doctor(home) -> None:
    found = as_json("doctor")
    assert found["ok"] is True, found
    assert {"name", "ok", "message", "fix"} == set(found["checks"][0])
    assert not home.exists()  # looking makes nothing
    answer_some(home, 1)
    names = [check["name"] for check in as_json("doctor")["checks"]]
    assert {"folder", "disk", "version", "integrity", "references", "log mode", "zone", "clock", "backups", "bank",
            "torch"} <= set(names)  # fmt: skip
    (home.parent / "clock").write_text("2020-01-01T00:00:00+00:00")
    late = as_json("doctor", code=1)
    assert [check["name"] for check in late["checks"] if not check["ok"]] == ["clock"]
    (home / "quizapp.db").write_bytes(b"x" * 5_000)
    broken = as_json("doctor", code=1)
    assert any("damaged" in check["message"] and "quizapp restore" in check["fix"] for check in broken["checks"])
    assert (home / "quizapp.db").read_bytes() == b"x" * 5_000


def test_doctor_tells_the_time_of_the_learners_zone(tmp_path: Path) -> None:
    with open_study(tmp_path, zone="Asia/Kathmandu") as study:  # UTC+5:45
        study.answer(study.next_card(), "right")
        location, clock = study.location, study.clock
    told = {check.name: check.message for check in examine(location, clock)}
    assert told["clock"] == "It is 2026-06-10 15:45 (Asia/Kathmandu)."
    earlier = FixedClock(START - timedelta(hours=1))
    told = {check.name: check.message for check in examine(location, earlier)}
    assert "(2026-06-10 14:45) is before the last answer (2026-06-10 15:45, both Asia/Kathmandu)" in told["clock"]


def test_db_option_before_and_after_the_command(home, tmp_path) -> None:
    one, two = str(tmp_path / "one.db"), str(tmp_path / "two.db")
    run("--db", one, "stats")
    run("stats", "--db", two)
    assert Path(one).exists()
    assert Path(two).exists()
    assert not home.exists()
    assert "only SQLite files" in run("stats", "--db", "postgres://x", code=2).stderr
    assert as_json("stats", "--db", f"sqlite:///{one}")["reviews"] == 0


def test_a_newer_store_on_the_command_line(home) -> None:
    import sqlite3
    from contextlib import closing

    answer_some(home, 1)
    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    for command in (["stats"], ["undo"], ["log", "export"], ["log", "replay", "--check"], ["backup"]):
        result = run(*command, code=1)
        assert "newer quizapp" in result.stderr
        assert result.stdout == ""


def test_reads_load_no_textual_and_no_torch(home) -> None:
    code = (
        "import sys\nfrom quizapp.cli import app\n"
        "try:\n    app(['stats', '--json'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'textual', 'torch', 'rich', 'alembic'} & set(sys.modules)))"
    )
    run("stats")  # makes the store, for which alembic is needed
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_reading_and_answering_do_without_sqlmodel(tmp_path) -> None:
    """It takes longer to import than all the rest of a command."""
    code = (
        "import sys; from pathlib import Path; from study.helpers import open_study, small_bank\n"
        "with open_study(Path(sys.argv[1]), small_bank(3), zone=None) as study:\n"
        "    study.stats(), study.home(), study.browse(), study.answer(study.next_card(), 'right'), study.undo()\n"
        "    from quizapp.study.labs import Labs; from quizapp.study.progress import Progress\n"
        "    from quizapp.study.exams import Exams; exams = Exams(study)\n"
        "    exams.offers(), exams.running(), exams.history()\n"
        "    Labs(study).lab_list(), Labs(study).open('3'), Labs(study).claims_view(), Progress(study).all()\n"
        "print(sorted({'sqlmodel', 'sqlalchemy', 'alembic'} & set(sys.modules)))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            capture_output=True, text=True, check=True, timeout=120, cwd=ROOT,
            env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "PATH": ""},
        ).stdout.strip()
        for _ in range(2)
    ]  # fmt: skip
    assert "alembic" in said[0]  # the first opening makes the tables
    assert said[1] == "[]"


@pytest.mark.parametrize("words", [["stats"], ["backup"], ["restore"], ["doctor"], ["undo"], ["log", "export"]])
def test_a_device_is_no_store(home, words) -> None:
    before = set(Path("/dev").glob("null*"))
    told = run("--db", "/dev/null", *words, code=2).stderr
    assert (
        told
        == "/dev/null is a folder or a device; a store is a regular file; choose another with --db or QUIZAPP_HOME.\n"
    )
    assert set(Path("/dev").glob("null*")) == before
