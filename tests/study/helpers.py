"""A small bank, a clock set by hand, and a store in a temporary folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from quizapp.bank.model import Bank
from quizapp.bank.schema import Numeric, Question, Single
from quizapp.clock import FixedClock
from quizapp.store.location import locate
from quizapp.store.opening import open_store
from quizapp.study import Study

START = datetime(2026, 6, 10, 10, 0, tzinfo=UTC)


def single(name: str, **fields: Any) -> Single:
    options = [
        {"id": "right", "text": "Right", "correct": True, "why": "It is."},
        {"id": "wrong", "text": "Wrong", "why": "It is not.", "misconception": "mix-up"},
        {"id": "worse", "text": "Worse", "why": "It is not.", "misconception": "mix-up"},
    ]
    base: dict[str, Any] = {
        "id": name,
        "kind": "single",
        "style": "mechanism",
        "ask": f"Question {name}?",
        "explain": "Because.",
        "objectives": ["o1"],
        "sources": ["s"],
        "as_of": "2026-06-01",
        "difficulty": 1,
        "options": options,
    }
    return Single.model_validate(base | fields)


def numeric(name: str, **fields: Any) -> Numeric:
    base: dict[str, Any] = {
        "id": name,
        "kind": "numeric",
        "style": "calculation",
        "ask": "Half of {n} GB?",
        "explain": "Half.",
        "objectives": ["o2"],
        "sources": ["s"],
        "as_of": "2026-06-01",
        "difficulty": 2,
        "answer": {"value": 4},
        "params": {"n": {"min": 2, "max": 64}},
        "unit": "GB",
        "why": "{n} / 2",
    }
    return Numeric.model_validate(base | fields)


def bank_of(questions: Sequence[Question], topic: str = "schemes") -> Bank:
    return Bank(
        questions={q.id: q for q in questions},
        topic={q.id: (q.tags[0] if q.tags else topic) for q in questions},
    )


def small_bank(count: int = 5, **fields: Any) -> Bank:
    return bank_of([single(f"q{n:03}", **fields) for n in range(count)])


def open_study(
    home: Path, bank: Bank | None = None, clock: FixedClock | None = None, zone: str | None = "UTC", **settings: Any
) -> Study:
    """A study with a bank of our own. `zone` None leaves the stored settings as they are."""
    clock = clock or FixedClock(START)
    location = locate(home=home)
    opened = open_store(location, clock.now())
    study = Study(opened.database, small_bank() if bank is None else bank, clock, location, opened.warnings)
    if zone is not None and not study.read_only:
        study.save_settings(zone=zone, **settings)
    return study


def ahead(study: Study, **by: float) -> None:
    """Moves the study's clock."""
    clock = study.clock
    assert isinstance(clock, FixedClock)
    clock.instant += timedelta(**by)


def dump(home: Path, tables: Sequence[str] = ("card", "daily", "setting")) -> str:
    """The tables' rows as text, byte for byte comparable."""
    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        return "\n".join(
            f"{table} {row!r}" for table in tables for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1")
        )


def rows(home: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        return connection.execute(sql).fetchall()


def answer_some(home: Path, count: int) -> None:
    """Answers real questions of the built-in bank in the store at `home`, right where that is easy to know."""
    with Study.open(home=home) as study:
        for _ in range(count):
            card = study.next_card()
            assert card is not None
            right = [o.id for o in card.question.options if o.correct] if isinstance(card.question, Single) else [None]
            study.answer(card, right[0], "unsure", 1_500)
