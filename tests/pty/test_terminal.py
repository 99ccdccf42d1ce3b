"""The app in a real terminal: whatever ends it, the terminal is as before, the exit code is right, nothing is lost."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from pty_terminal import Terminal, app_command, clean_environment

SETTINGS = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from quizapp.study import Study
    with Study.open(home=Path(sys.argv[1])) as study:
        study.save_settings(first_run_done=True, zone="UTC")
    """
)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose first run is done; tests copy it."""
    home = tmp_path_factory.mktemp("prepared")
    command = [*app_command()[:1], "-c", SETTINGS, str(home)]
    subprocess.run(command, check=True, env=clean_environment(home))
    return home


@pytest.fixture
def home(prepared: Path, tmp_path: Path) -> Path:
    (tmp_path / "quizapp.db").write_bytes((prepared / "quizapp.db").read_bytes())
    return tmp_path


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    shown = Terminal(app_command(), clean_environment(home))
    yield shown
    shown.close()


def reviews(home: Path) -> int:
    with sqlite3.connect(home / "quizapp.db") as database:
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
        return int(database.execute("select count(*) from review").fetchone()[0])


def answer_one(terminal: Terminal) -> None:
    """Leaves the first question blank and waits for its verdict."""
    terminal.see("new today")
    terminal.see("about")
    terminal.send("s")
    terminal.see("to go")
    terminal.wait(lambda: "F1 keys" in terminal.text or "0 don't know" in terminal.text, "the first question's keys")
    terminal.send("\r\r" if "F1 keys" in terminal.text else "0")
    terminal.see("Rated Again")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)], ids=lambda v: str(v)
)
def test_a_signal_restores_the_terminal_and_keeps_the_answer(
    terminal: Terminal, home: Path, number: int, code: int
) -> None:
    answer_one(terminal)
    terminal.signal(number)
    assert terminal.end() == code
    assert terminal.left_behind() == []
    assert reviews(home) == 1


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("\x11", 0), ("q", 0)], ids=["ctrl+c", "ctrl+q", "q"])
def test_the_keys_that_end_it(terminal: Terminal, keys: str, code: int) -> None:
    terminal.see("Enter open")
    terminal.send(keys)
    assert terminal.end() == code
    assert terminal.left_behind() == []


def test_an_exception_is_one_sentence_with_exit_code_1(home: Path) -> None:
    code = (
        "import sys; sys.argv = ['quizapp']; import quizapp.tui.screens.home as h;"
        "h.HomeScreen.action_move = lambda self, delta: 1 / 0; from quizapp.__main__ import main; main()"
    )
    terminal = Terminal([app_command()[0], "-c", code], clean_environment(home))
    try:
        terminal.see("about")
        terminal.send("j")
        assert terminal.end() == 1
        assert terminal.left_behind() == []
        said = " ".join(terminal.output.decode().split())
        assert "ZeroDivisionError: division by zero" in said
        assert "Every answer given so far is saved." in said
        assert "Traceback" not in said
        assert "Traceback" in (home / "crash.txt").read_text("utf-8")
    finally:
        terminal.close()


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_without_a_terminal_it_refuses_and_names_plain_mode(home: Path, stream: str) -> None:
    master, child = os.openpty()
    streams = {"stdin": child, "stdout": child, "stderr": child} | {stream: subprocess.DEVNULL}
    if stream == "stdin":
        streams["stderr"] = subprocess.PIPE
    done = subprocess.run(app_command(), env=clean_environment(home), timeout=30, **streams)  # type: ignore[call-overload]
    assert done.returncode == 2
    if stream == "stdin":
        assert b"quizapp study --plain" in done.stderr
    os.close(master)
    os.close(child)


@pytest.mark.parametrize("controlling", [True, False], ids=["with SIGHUP", "without a signal"])
def test_a_terminal_that_is_gone_ends_the_app(home: Path, controlling: bool) -> None:
    """Standard input is at its end for good. Without our watch Textual would read it for ever at full speed."""
    terminal = Terminal(app_command(), clean_environment(home), controlling=controlling)
    try:
        answer_one(terminal)
        terminal.hang_up()
        terminal.process.wait(timeout=30)
        assert terminal.process.returncode == 129
        assert reviews(home) == 1
    finally:
        terminal.close()


def test_a_dumb_terminal_is_refused(home: Path) -> None:
    terminal = Terminal(app_command(), clean_environment(home, TERM="dumb"))
    try:
        assert terminal.end() == 2
        assert b"quizapp study --plain" in terminal.output.replace(b"\r\n", b" ")
        assert b"\x1b" not in terminal.output
    finally:
        terminal.close()


def test_a_resize_storm_loses_nothing(terminal: Terminal) -> None:
    answer_one(terminal)
    terminal.send("\x10")  # the palette stays open in the storm
    for columns, rows in [(2, 2), (120, 40), (3, 30), (39, 11), (41, 13), (200, 3), (4, 4), (80, 24)] * 4:
        terminal.resize(columns, rows)
        terminal.read(0.02)
    terminal.settle()  # the frames of the storm are still coming in
    terminal.see("Search for commands")
    terminal.send("\x1b")
    # Esc and Ctrl+Q at once would be one key: first the palette is to close.
    terminal.wait(lambda: "Search for commands" not in terminal.text, "the palette to close")
    terminal.settle()
    terminal.see("Rated Again")
    terminal.send("\x11")
    assert terminal.end() == 0
    assert terminal.left_behind() == []


def test_no_color_sends_no_colour_sequence(home: Path) -> None:
    terminal = Terminal(app_command(), clean_environment(home, NO_COLOR="1"))
    try:
        answer_one(terminal)
        terminal.send("\x11")
        assert terminal.end() == 0
        sequences = re.findall(rb"\x1b\[([0-9;:]*)m", terminal.output)
        coloured = [one for one in sequences if re.search(rb"(^|;)(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;|:|$)", one)]
        assert sequences
        assert coloured == []
    finally:
        terminal.close()


def test_an_empty_no_color_means_colours(home: Path) -> None:
    terminal = Terminal(app_command(), clean_environment(home, NO_COLOR=""))
    try:
        terminal.see("Enter open")
        terminal.send("\x11")
        assert terminal.end() == 0
        assert re.search(rb"\x1b\[[0-9;]*[34]8;[25];", terminal.output)
    finally:
        terminal.close()


def test_the_first_run_asks_and_every_step_can_be_skipped(tmp_path: Path) -> None:
    terminal = Terminal(app_command(), clean_environment(tmp_path))
    try:
        terminal.see("first run")
        terminal.see("▸ Exam ")
        for words in ("Time zone", "The day begins at", "Exam date", "Minutes a day"):
            terminal.send("\r")
            terminal.see(f"▸ {words}")
        terminal.send("\r")
        terminal.see("day streak")
        terminal.see("about")
        terminal.send("q")
        assert terminal.end() == 0
    finally:
        terminal.close()
    again = Terminal(app_command(), clean_environment(tmp_path))
    try:
        again.see("about")
        assert "first run" not in again.text
    finally:
        again.close()


def test_a_store_from_the_future_is_refused_on_home_with_the_way_out(home: Path) -> None:
    with sqlite3.connect(home / "quizapp.db") as database:
        database.execute("update alembic_version set version_num = 'from-the-future'")
    before = (home / "quizapp.db").read_bytes()
    terminal = Terminal(app_command(), clean_environment(home))
    try:
        terminal.see("The store could not be opened")
        terminal.send("q")
        assert terminal.end() == 0
    finally:
        terminal.close()
    assert (home / "quizapp.db").read_bytes() == before
