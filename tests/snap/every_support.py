"""The stores and the album of `test_every_screen`: four learners, and their screens as text in one file each."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen
from tui.exam_support import small_exam
from tui.progress_support import give_answers, log_in_bulk
from tui.support import NOON, Ticks, settle, text_of

from quizapp.bank.model import Bank
from quizapp.bank.schema import Objective
from quizapp.clock import FixedClock
from quizapp.store.location import locate
from quizapp.store.opening import open_store
from quizapp.study import Study
from quizapp.tui import actions, screens
from quizapp.tui.app import QuizApp
from quizapp.tui.screens.base import QuizScreen
from snap.test_snapshots import WRITE

BULK_CARDS = 100_000
"""4.5 reviews each: 450,000."""
EXAM_POOL = 400
"""Questions of the bulk bank that a mock exam may have: a paper compares each with each."""
BULK_NOW = datetime(2026, 6, 10, 10, tzinfo=UTC)
"""The end of the bulk log."""
HEADING = re.compile(r"^=== (.+) ===\n", re.MULTILINE)


# Learners


class Learner:
    """A store in `home`, and how the app is opened over it. `reviews` are in its log."""

    def __init__(self, home: Path, reviews: int, bank: Bank, now: datetime, exam: date | None) -> None:
        self.home = home
        self.reviews = reviews
        self.bank = bank
        self.clock = FixedClock(now)
        self.exam = exam
        self.ticks = Ticks()

    def open(self) -> Study:
        """On the first run: the app begins with Welcome."""
        location = locate(self.home)
        opened = open_store(location, self.clock.now())
        study = Study(opened.database, self.bank, self.clock, location, opened.warnings)
        study.save_settings(zone="UTC", first_run_done=False, exam_date=self.exam)
        assert study.warnings == []
        return study

    def app(self) -> QuizApp:
        return QuizApp(self.open, clock=self.clock, monotonic=self.ticks)


def small_learner(home: Path, reviews: int) -> Learner:
    """One question of each kind; the answers lie weeks back. With many there is an exam ahead."""
    give_answers(home, reviews)
    bank = small_exam()
    bank.exams["other"] = {**bank.exams["mini"], "id": "other", "title": "Another exam"}  # so that there is a choice
    return Learner(home, reviews, bank, NOON, date(2026, 12, 20) if reviews > 1 else None)


def bulk_bank(bank: Bank) -> Bank:
    """The bulk log's bank with texts to tell its questions apart, names for its objectives, and an exam."""
    mine = {f"o{n}": f"Objective number {n}" for n in range(8)}
    bank.objectives.update({key: Objective(title=title, domain="all") for key, title in mine.items()})
    bank.exams["mini"] = {
        "id": "mini", "title": "A mini exam", "as_of": "2026-11", "sources": ["orca"], "pass_mark": "undisclosed",
        "questions": {"min": 8, "max": 8}, "minutes": 9, "covers": "Eight objectives, for these tests.",
        "domains": {"all": {"title": "Everything", "weight": 1}},
        "objectives": {key: {"title": title, "domain": "all"} for key, title in mine.items()},
    }  # fmt: skip
    for n, (name, question) in enumerate(bank.questions.items()):
        word = "".join(chr(97 + n // 26**place % 26) for place in range(4))
        changes = {"ask": f"Request {word} of batch {word}: what holds?", "exams": n < EXAM_POOL}
        bank.questions[name] = question.model_copy(update=changes)
    return bank


def make_bulk(home: Path) -> Bank:
    """Fills `home`; the bank goes with `bulk_learner`."""
    bank = bulk_bank(log_in_bulk(home, BULK_CARDS))
    key = bank.key_hash(next(iter(bank.questions)))  # one key for all: they share their options
    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        connection.execute("UPDATE card SET key = ? WHERE key IS NOT NULL", (key,))
        connection.commit()
    return bank


def bulk_learner(home: Path, bank: Bank) -> Learner:
    """Over a copy of what `make_bulk` filled."""
    return Learner(home, 450_000, bank, BULK_NOW, date(2026, 7, 1))


# The album


class Album:
    """Takes screens by name, keeps which classes and places were seen, and compares all with one stored file."""

    def __init__(self, pilot: Pilot[None], path: Path) -> None:
        self.pilot = pilot
        self.path = path
        self.taken: dict[str, str] = {}
        self.classes: set[type[Screen[Any]]] = set()
        self.places: set[str] = set()

    async def take(self, name: str) -> None:
        await settle(self.pilot)
        app = self.pilot.app
        assert isinstance(app, QuizApp)
        assert name not in self.taken, f"two screens are called '{name}'"
        self.taken[name] = text_of(app) + "\n"
        self.classes.add(type(app.screen))
        if isinstance(app.screen, QuizScreen):
            self.places |= set(app.screen.places)

    def compare(self) -> None:
        """Screen by screen, so that a difference is named and short."""
        if WRITE:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text("".join(f"=== {name} ===\n{text}\n" for name, text in self.taken.items()), "utf-8")
        assert self.path.exists(), f"there is no {self.path.name}; write it with QUIZAPP_SNAPSHOT=write"
        _, *parts = HEADING.split(self.path.read_text("utf-8"))
        stored = {name: text.removesuffix("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}
        assert list(self.taken) == list(stored), "other screens than stored; rewrite with QUIZAPP_SNAPSHOT=write"
        for name, text in self.taken.items():
            assert text == stored[name], f"'{name}' differs in {self.path.name}; QUIZAPP_SNAPSHOT=write rewrites it"


# What "every" means


def screen_classes() -> set[type[Screen[Any]]]:
    """Every screen that `quizapp.tui.screens` defines; what has no `body` of its own is a base, and never shown."""
    found: set[type[Screen[Any]]] = set()
    for module in pkgutil.iter_modules(screens.__path__, f"{screens.__name__}."):
        for one in vars(importlib.import_module(module.name)).values():
            mine = isinstance(one, type) and issubclass(one, Screen) and one.__module__ == module.name
            if mine and getattr(one, "body", None) is not QuizScreen.body:
                found.add(one)
    return found


def unseen_places(seen: set[str], elsewhere: tuple[str, ...]) -> set[str]:
    """Places of the action table, that is modes of a screen with keys of their own, that were not on screen."""
    named = {place for action in actions.ACTIONS for place in action.where.split() if place != "all"}
    covered = {place for place in named if any(one == place or one.startswith(f"{place}.") for one in seen)}
    return {place for place in named - covered if not place.startswith(elsewhere)}
