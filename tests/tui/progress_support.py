"""Stores with a past, for the screens of Progress: answers really given, or a log made in bulk."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from quizapp.clock import FixedClock
from quizapp.study import Study
from tui.support import NOON, open_study

WORDS = ("sure", "unsure", "guess", None)


def give_answers(home: Path, count: int, exam_date: str | None = None) -> None:
    """`count` answers over the days before noon, every fourth wrong: the same every time."""
    settings: dict[str, Any] = {"exam_date": exam_date, "learn_ahead_minutes": 0}
    with open_study(home, **settings) as study:
        assert isinstance(study.clock, FixedClock)
        study.clock.instant = NOON - timedelta(days=45)
        given = 0
        while given < count:
            card = study.next_card()
            if card is None:
                study.clock.instant += timedelta(hours=13)
                continue
            study.answer(card, answer_to(card, right=given % 4 != 3), WORDS[given % 4], 9_000 + 100 * given)  # type: ignore[arg-type]
            study.clock.instant += timedelta(minutes=1)
            given += 1


def answer_to(card: Any, right: bool) -> Any:
    """The key, or something wrong."""
    from exam.helpers import key_of, wrong_of

    return key_of(card.variant) if right else wrong_of(card.variant)


def log_in_bulk(home: Path, cards: int) -> Any:
    """4.5 reviews a card of the scheduler's own making; returns the bank. 100,000 cards are 450,000 reviews."""
    from benchmarks.progress import make

    return make(home, cards)


def reopened(home: Path, bank: Any) -> Study:
    """The bulk store as it is at the end of its log."""
    from benchmarks.store import open_study as open_bulk

    study: Study = open_bulk(home, bank)
    study.save_settings(exam_date="2026-07-01")
    return study
