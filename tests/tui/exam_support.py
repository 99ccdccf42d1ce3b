"""A candidate at the keyboard: presses the keys that give a response, kind by kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from exam.helpers import START, open_study
from textual.events import Key
from textual.keys import _character_to_key

from quizapp.bank.load import load_bank
from quizapp.bank.model import Bank
from quizapp.bank.variant import Variant
from quizapp.clock import FixedClock
from quizapp.study.exam_clock import UPTIME
from quizapp.tui.app import QuizApp
from quizapp.tui.screens.exam_sitting import SittingScreen
from tui.support import BANK, Ticks, settle


class Machine:
    """Both clocks of a computer: a wall clock that can be set, and time since boot, which nobody can set."""

    def __init__(self, folder: Path, monkeypatch: Any) -> None:
        self.wall = FixedClock(START)
        self._file = folder / "uptime"
        self.up(100.0)
        monkeypatch.setenv(UPTIME, str(self._file))

    def up(self, seconds: float, boot: str = "first") -> None:
        self.seconds = seconds
        self._file.write_text(f"{boot} {seconds}")

    def pass_time(self, seconds: float) -> None:
        from datetime import timedelta

        self.up(self.seconds + seconds)
        self.wall.instant += timedelta(seconds=seconds)


def exam_app(home: Path, clock: FixedClock, ticks: Ticks | None = None, bank: Bank | None = None) -> QuizApp:
    """The app over a store in `home` and the real bank, or another."""
    return QuizApp(lambda: open_study(home, clock, bank), clock=clock, monotonic=ticks or Ticks())


def keys_for(variant: Variant, response: Any, screen: SittingScreen) -> list[str]:
    """The keys that lead from an untouched question to `response`; those of a typed answer also go on."""
    place = {choice.id: str(n) for n, choice in enumerate(variant.choices, 1)}
    match variant.question.kind:
        case "single":
            return [place[response]]
        case "multiple":
            return [place[one] for one in response]
        case "match":
            return [place[response[left.id]] for left in variant.lefts]
        case "order":
            keys: list[str] = []
            order = [item.id for item in screen.draft.order]  # type: ignore[union-attr]
            for n, one in enumerate(response):
                keys += ["up"] * 8 + ["down"] * order.index(one) + [str(n + 1)]
                order.insert(n, order.pop(order.index(one)))
            return keys
        case _:
            return [*response, "enter"]


async def send(pilot: Any, keys: list[str]) -> None:
    """All keys in one go, as a fast typist would; then waits until they have been handled."""
    for key in keys:
        name = _character_to_key(key) if len(key) == 1 else key
        pilot.app._driver.send_message(Key(name, key if len(key) == 1 else None))
    await settle(pilot)


async def give(pilot: Any, screen: SittingScreen, response: Any) -> None:
    """Answers the question on screen and goes to the next."""
    variant = screen.desk.variant(screen.sitting.at)
    keys = keys_for(variant, response, screen)
    await send(pilot, keys if keys[-1] == "enter" else [*keys, "right"])


def small_exam() -> Bank:
    """The small bank of these tests, one question of each kind, with an exam over it."""
    bank = load_bank(dirs=[BANK])
    bank.exams["mini"] = {
        "id": "mini", "title": "A mini exam", "as_of": "2026-11", "sources": ["orca"], "pass_mark": "undisclosed",
        "questions": {"min": 6, "max": 6}, "minutes": 7, "covers": "One objective, for these tests.",
        "domains": {"all": {"title": "Everything", "weight": 1}},
        "objectives": {"exam-1": {"title": "An objective", "domain": "all"}},
    }  # fmt: skip
    return bank
