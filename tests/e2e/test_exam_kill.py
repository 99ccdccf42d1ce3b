"""A real process sits a mock exam, is killed with SIGKILL twice while the clocks move, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pexpect
import pyte
from exam.helpers import EXAM, key_of, own_bank, wrong_of

from quizapp.bank.variant import Variant, make_variant
from quizapp.plain.exam_wording import response_words

QUESTIONS = 50
PATIENCE = 60
"""Seconds to wait for something before the test fails. Nothing is asserted about speed."""


class Machine:
    """The environment of the child: a store of its own and both clocks in files, so that they can move."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock("2026-11-29T10:00:00+00:00", 100.0)
        keep = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "SYSTEMROOT") if name in os.environ}
        self.env = keep | {
            "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC", "QUIZAPP_HOME": str(folder / "home"),
            "QUIZAPP_CLOCK": str(folder / "clock"), "QUIZAPP_UPTIME": str(folder / "uptime"),
        }  # fmt: skip

    def clock(self, wall: str, seconds: float) -> None:
        (self.folder / "clock").write_text(wall)
        (self.folder / "uptime").write_text(f"boot {seconds}")

    def run(self, *arguments: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "quizapp", *arguments, "--json"], env=self.env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def variants(self) -> list[Variant]:
        with closing(sqlite3.connect(self.folder / "home" / "quizapp.db")) as connection:
            (paper,) = connection.execute("SELECT paper FROM sitting ORDER BY id DESC LIMIT 1").fetchone()
        questions = own_bank().questions
        return [make_variant(questions[item["question_id"]], item["seed"]) for item in json.loads(paper)["items"]]


class Plain:
    """`quizapp exam … --plain` on pipes."""

    def __init__(self, machine: Machine, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "quizapp", "exam", *arguments, "--plain"],
            env=machine.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip

    def see(self, words: str) -> None:
        """Reads until a line holds `words`."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if words in line:
                return
        raise AssertionError(f"the process ended without saying {words!r}")

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        assert self.process.wait(PATIENCE) == -signal.SIGKILL
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        self.process.stdout.close()
        self.process.stdin.close()


def test_fifty_questions_two_sigkills_and_clocks_that_move(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    plain = Plain(machine, "start", EXAM, "--questions", str(QUESTIONS))
    plain.see(f"Question 1 of {QUESTIONS}.")
    variants = machine.variants()
    given = [key_of(v) if n % 4 else wrong_of(v) for n, v in enumerate(variants)]

    def answer(first: int, stop: int) -> None:
        for n in range(first, stop):
            plain.say(response_words(variants[n], given[n]))
            plain.see(f"Question {n + 2} of {QUESTIONS}." if n + 1 < QUESTIONS else "That was the last question.")

    answer(0, 18)
    plain.kill()
    machine.clock("2027-06-01T00:00:00+00:00", 100.0 + 700)
    assert machine.run("exam", "resume")["left_seconds"] == 3600 - 700
    plain = Plain(machine, "resume")
    plain.see(f"Question 19 of {QUESTIONS}.")
    answer(18, 36)
    plain.kill()
    machine.clock("2020-01-01T00:00:00+00:00", 100.0 + 1500)
    plain = Plain(machine, "resume")
    plain.see(f"Question 37 of {QUESTIONS}.")
    answer(36, QUESTIONS)
    plain.say("/submit")
    plain.say("yes")
    plain.see("Result of")
    plain.process.communicate(timeout=PATIENCE)

    told = machine.run("exam", "result")
    right = [n % 4 != 0 for n in range(QUESTIONS)]
    assert [item["correct"] for item in told["items"]] == right
    said = [item["response"] for item in told["items"]]
    assert [sorted(one) if v.question.kind == "multiple" else one for one, v in zip(said, variants, strict=True)] == [
        sorted(one) if v.question.kind == "multiple" else one for one, v in zip(given, variants, strict=True)
    ]
    assert (told["right"], told["unanswered"]) == (sum(right), 0)
    assert told["seconds"] == 1500
    assert told["clock_moved"]
    assert machine.run("log", "replay", "--check")["ok"]


def test_the_deadline_holds_while_the_process_is_dead(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    plain = Plain(machine, "start", EXAM, "--questions", "10")
    plain.see("Question 1 of 10.")
    variants = machine.variants()
    for n in range(3):
        plain.say(response_words(variants[n], key_of(variants[n])))
        plain.see(f"Question {n + 2} of 10.")
    plain.kill()
    machine.clock("2026-11-29T09:00:00+00:00", 100.0 + 12 * 60)  # the wall clock was set back an hour
    told = machine.run("exam", "result")
    assert told["timed_out"]
    assert (told["right"], told["unanswered"]) == (3, 7)


class Window:
    """The app in a pty, seen through an emulated terminal."""

    def __init__(self, machine: Machine) -> None:
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self.child = pexpect.spawn(
            sys.executable, ["-m", "quizapp"], env=machine.env, dimensions=(24, 80), timeout=PATIENCE
        )

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def see(self, words: str, gone: str = "") -> None:
        """Waits until `words` are on the screen and `gone` is not."""
        for _ in range(PATIENCE * 10):
            if words in self.text and not (gone and gone in self.text):
                return
            self.read(0.1)
        raise AssertionError(f"{words!r} never came; the screen shows:\n{self.text}")

    def read(self, seconds: float) -> bool:
        """Takes what comes within `seconds`; false when nothing did."""
        try:
            data = self.child.read_nonblocking(65536, timeout=seconds)
        except pexpect.TIMEOUT:
            return False
        for mark in (b"\x1b[>", b"\x1b[<", b"\x1b[="):  # the emulator is older than these
            data = data.replace(mark, b"\x1b[?")
        self._stream.feed(data)
        return True

    def go(self, number: int) -> None:
        """To a question by the arrow keys, out of answer boxes on the way."""
        for _ in range(200):
            while self.read(0.2):
                pass
            at = int(self.text.split("Question ")[1].split(" of ")[0])
            if at == number:
                return
            self.child.send("\t" if "Tab other keys" in self.text else "\x1b[C" if at < number else "\x1b[D")
        raise AssertionError(f"question {number} never came; the screen shows:\n{self.text}")


def keys_of(variant: Variant) -> str | None:
    """The digits that answer a choice question rightly; None for other kinds."""
    place = {choice.id: str(n) for n, choice in enumerate(variant.choices, 1)}
    right = key_of(variant)
    if variant.question.kind == "single":
        return place[right]
    return "".join(place[one] for one in right) if variant.question.kind == "multiple" else None


def test_the_app_is_killed_between_two_answers_and_goes_on(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.run("stats")  # makes the store
    with closing(sqlite3.connect(tmp_path / "home" / "quizapp.db")) as connection, connection:
        connection.execute("INSERT INTO setting VALUES ('first_run_done', 'true')")
    Plain(machine, "start", EXAM, "--questions", "25").process.communicate("", timeout=PATIENCE)
    variants = machine.variants()
    choices = [n for n, variant in enumerate(variants) if keys_of(variant)][:6]
    answered = 0
    for kill in (2, 4, 6):
        window = Window(machine)
        window.see("Study")
        window.see("Enter open")
        window.child.send("e")
        window.see("A mock exam is running")
        window.child.send("\r")
        window.see("Question ")
        while answered < kill:
            goal = choices[answered]
            window.go(goal + 1)
            for one in keys_of(variants[goal]) or "":
                window.child.send(one)
            answered += 1
            window.see(f"{answered} of 25 answered", gone="saving")
        window.child.kill(signal.SIGKILL)
        window.child.close()
        state = machine.run("exam", "resume")
        assert [item["answered"] for item in state["items"]] == [n in choices[:answered] for n in range(25)]
    Plain(machine, "resume").process.communicate("/submit\nyes\n", timeout=PATIENCE)
    assert machine.run("exam", "result")["right"] == 6
