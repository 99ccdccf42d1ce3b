"""Standard output that is full, closed, left or not UTF-8; hostile names, empty names, impossible clocks: never a
traceback."""

import json
import os
import subprocess
import sys

import pytest
from bank.samples import GOOD, TABLES
from typer.testing import CliRunner

from quizapp.cli import app

COMMANDS = (["bank", "list"], ["engine", "run", "--json"], ["bank", "check", "--json"])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_output_is_said_in_one_sentence(command, tmp_path):
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path)}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "quizapp", *command], stdout=full, stderr=subprocess.PIPE, text=True, env=environment
        )
    assert done.returncode == 1
    assert done.stderr == "quizapp: cannot write the output (No space left on device)\n"


def test_a_closed_output_is_no_error_of_the_command(tmp_path):
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path)}
    command = f"{sys.executable} -m quizapp bank list >&-"
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def piped(command: list[str], tmp_path, **more: str) -> tuple[int, str]:
    """Exit code and standard error of a command whose reader has left before it prints."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path), **more}
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "quizapp", *command], stdout=pipe, stderr=subprocess.PIPE, text=True, env=environment
        )
    return done.returncode, done.stderr


LEFT = ["bank list", "bank list --json", "claims", "stats", "--help", "engine run", "engine explain", "log export"]


@pytest.mark.parametrize("command", LEFT)
def test_a_reader_that_leaves_is_no_failure(command, tmp_path):
    assert piped(command.split(), tmp_path) == (0, "")


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_a_failed_check_fails_also_when_nobody_reads_it(tmp_path, json):
    (tmp_path / "bank" / "topic").mkdir(parents=True)
    (tmp_path / "bank" / "topic" / "a.yaml").write_text("- id: x\n")
    assert piped(["bank", "check", str(tmp_path / "bank"), *json], tmp_path)[0] == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_output_that_is_not_utf8_gets_what_it_can_show(encoding, tmp_path):
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path), "PYTHONIOENCODING": encoding}
    for command in (["bank", "list"], ["claims"], ["exam", "list"]):
        done = subprocess.run([sys.executable, "-m", "quizapp", *command], capture_output=True, env=environment)
        assert (done.returncode, done.stderr) == (0, b""), command
        assert done.stdout.decode(encoding)


def test_json_in_ascii_says_the_same(tmp_path):
    said = []
    for encoding in ("utf-8", "ascii"):
        environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path), "PYTHONIOENCODING": encoding}
        command = [sys.executable, "-m", "quizapp", "exam", "list", "--json"]
        said.append(subprocess.run(command, capture_output=True, env=environment).stdout)
    assert not said[0].isascii()
    assert said[1].isascii()
    assert json.loads(said[0]) == json.loads(said[1])


@pytest.mark.parametrize("words", [["--db", "", "stats"], ["--bank", "", "stats"], ["bank", "check", ""]])
def test_an_empty_name_is_refused(words, tmp_path, monkeypatch):
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "mpty" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


COMMANDS_WITH_A_CLOCK = (["stats"], ["study", "--plain"], ["progress"], ["exam", "list"], ["bank", "lint"])


@pytest.mark.parametrize("command", COMMANDS_WITH_A_CLOCK, ids=" ".join)
def test_a_clock_at_the_edge_of_time_is_refused(command, tmp_path):
    clock = tmp_path / "clock"
    clock.write_text("9999-12-31T23:59:59-12:00")
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path / "home"), "QUIZAPP_CLOCK": str(clock)}
    done = subprocess.run(
        [sys.executable, "-m", "quizapp", *command], capture_output=True, text=True, input="", env=environment
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "is outside the years 1971 to 8999" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only some systems let a working folder be removed")
def test_a_working_folder_that_was_removed_is_said(tmp_path):
    gone = tmp_path / "gone"
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path / "home")}
    for words, code, said in (
        ("--db x.db stats", 2, "the working folder is not there any more; change to a folder that is."),
        ("bank check .", 1, ".: the working folder is not there any more; change to one that is"),
        ("--bank . stats", 0, "1 mistake in the question files"),
        ("backup kept.db", 1, "written to kept.db (check that its folder exists and that you may write to it)."),
        ("bank lint --against x.txt .", 2, "--against"),
    ):
        gone.mkdir()
        command = f"cd {gone} && rmdir {gone} && {sys.executable} -P -m quizapp {words}"
        done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment)
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_hostile_topic_stays_on_its_line(tmp_path, monkeypatch):
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "home"))
    folder = tmp_path / "bank" / "red\x1b[31m\nand\tmore"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text(GOOD)
    for name, text in TABLES.items():
        (folder.parent / name).parent.mkdir(exist_ok=True)
        (folder.parent / name).write_text(text)
    result = CliRunner().invoke(app, ["--bank", str(tmp_path / "bank"), "bank", "list"])
    assert result.exit_code == 0
    (line,) = [line for line in result.stdout.splitlines() if " good " in line]
    assert line.startswith("red and more ")
    assert "\x1b" not in result.stdout


def test_a_hostile_model_stays_words_in_the_progress_bar(tmp_path):
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path), "FORCE_COLOR": "1"}
    command = [sys.executable, "-m", "quizapp", "model", "add", "evil\x1b[31m"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 2
    assert "Fetching evil" in done.stderr
    assert "evil\x1b[31m" not in done.stderr
