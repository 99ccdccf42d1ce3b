"""Real processes in a real terminal: the app is killed, or its terminal closed, while the torch engine computes a lab.

No engine is left behind, no prediction is lost, no half event log lies about, and the lab resumes.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "pty"))
from pty_terminal import Terminal, app_command, clean_environment

from labs.session import Record
from quizapp.study import Study

LAB = "01-static-waste"
RUN_S = 240.0
"""Seconds that 600 steps of the torch engine may take on a busy machine before the test fails."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Study.open(home=tmp_path) as study:
        study.save_settings(first_run_done=True, zone="UTC")
    return tmp_path


@pytest.fixture
def terminals(home: Path) -> Iterator[list[Terminal]]:
    shown: list[Terminal] = []
    yield shown
    for terminal in shown:
        terminal.close()


def start(home: Path, terminals: list[Terminal]) -> Terminal:
    terminal = Terminal(app_command(), clean_environment(home))
    terminals.append(terminal)
    terminal.see("new today")
    terminal.send("l")
    terminal.see("Static waste")
    terminal.send("\r")
    return terminal


def record(home: Path) -> Record:
    with closing(sqlite3.connect(home / "quizapp.db")) as store:
        (text,) = store.execute("SELECT record FROM lab WHERE lab = ?", (LAB,)).fetchone()
    return Record.model_validate_json(text)


def predict(terminal: Terminal) -> None:
    for number in range(1, 5):
        terminal.see(f"{number} of 4")
        terminal.send(f"6{number}\r")
        terminal.see(f"You say 6{number}")
        terminal.send("3")
    terminal.see("Enter runs: One batch of eight")


def computing(terminal: Terminal) -> psutil.Process:
    """Starts the run, and returns the engine's process once its first steps are on the screen."""
    terminal.send("\r")
    terminal.see("█")
    (engine,) = (one for one in psutil.Process(terminal.process.pid).children() if "labs.child" in one.cmdline())
    return engine


def gone(engine: psutil.Process) -> bool:
    return not engine.is_running() or engine.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "terminal closed"])
def test_an_app_that_ends_in_the_middle_of_a_run_leaves_no_engine_and_resumes(
    home: Path, terminals: list[Terminal], how: str
) -> None:
    terminal = start(home, terminals)
    predict(terminal)
    engine = computing(terminal)
    if how == "terminal closed":
        os.close(terminal._fd)
        os.close(terminal._child)
        terminals.clear()
        terminal.process.wait(60)
    else:
        terminal.signal(getattr(signal, how))
        terminal.end()
    psutil.wait_procs([engine], timeout=60)
    assert gone(engine)

    kept = record(home)
    assert [(one.value, one.confidence) for one in kept.predictions] == [(61, 85), (62, 85), (63, 85), (64, 85)]
    assert kept.receipts == []
    assert list((home / "labs").rglob("*.jsonl")) == []

    again = start(home, terminals)
    again.see("Enter runs: One batch of eight")
    if how != "SIGKILL":
        return
    again.send("\r")
    again.wait(lambda: "Enter runs: One request after another" in again.text, "the end of the run", RUN_S)
    assert [one.run for one in record(home).receipts] == ["main"]
    (receipt,) = record(home).receipts
    assert (receipt.executor, receipt.agrees) == ("torch", True)
    assert [str(one) for one in (home / "labs").rglob("*") if one.is_file()] == [receipt.events]


def test_the_app_answers_keys_while_the_engine_computes_and_cancels_at_once(
    home: Path, terminals: list[Terminal]
) -> None:
    terminal = start(home, terminals)
    predict(terminal)
    engine = computing(terminal)
    terminal.send("v")
    terminal.see("You said")
    terminal.send("v")
    terminal.see("playing")
    terminal.send("c")
    terminal.see("The run was cancelled")
    psutil.wait_procs([engine], timeout=60)
    assert gone(engine)
    terminal.send("q")
    terminal.see("not begun")
    terminal.send("qq")
    assert terminal.end() == 0
    assert len(record(home).predictions) == 4
