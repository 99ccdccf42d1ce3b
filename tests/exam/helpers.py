"""A store over the real bank, a clock that a test moves, and a candidate who knows what the key is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from quizapp.bank.load import load_bank
from quizapp.bank.model import Bank
from quizapp.bank.schema import Match, Multiple, Numeric, Order, Short, Single
from quizapp.bank.variant import Variant, printed
from quizapp.clock import FixedClock
from quizapp.store.location import locate
from quizapp.store.opening import open_store
from quizapp.study import Study

START = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)
EXAM = "nca-genl-serving"


@cache
def own_bank() -> Bank:
    return load_bank()


def open_study(home: Path, clock: FixedClock | None = None, bank: Bank | None = None) -> Study:
    location = locate(home=home)
    clock = clock or FixedClock(START)
    opened = open_store(location, clock.now())
    study = Study(opened.database, bank or own_bank(), clock, location, opened.warnings)
    study.save_settings(zone="UTC", first_run_done=True)
    return study


def pass_time(study: Study, **by: float) -> None:
    assert isinstance(study.clock, FixedClock)
    study.clock.instant += timedelta(**by)


def key_of(variant: Variant) -> Any:
    """The right response to a variant."""
    question = variant.question
    match question:
        case Single():
            return next(o.id for o in question.options if o.correct)
        case Multiple():
            return [c.id for c in variant.choices if c.id in {o.id for o in question.options if o.correct}]
        case Order():
            return [item.id for item in question.items]
        case Match():
            return {pair.id: pair.id for pair in question.pairs}
        case Numeric():
            assert variant.answer is not None
            return f"{printed(variant.answer, question.decimals)} {variant.unit}".strip()
        case Short():
            return question.accept[0]


def wrong_of(variant: Variant) -> Any:
    """A wrong response of the same form."""
    question = variant.question
    match question:
        case Single():
            return next(o.id for o in question.options if not o.correct)
        case Multiple():
            wrong = [o.id for o in question.options if not o.correct]
            return [*wrong[:1], *[o.id for o in question.options if o.correct][: question.choose - 1]]
        case Order():
            return [item.id for item in reversed(question.items)]
        case Match():
            ids = [pair.id for pair in question.pairs]
            return dict(zip(ids, [*ids[1:], ids[0]], strict=True))
        case Numeric():
            assert variant.answer is not None
            return f"{printed(variant.answer * 3 + 1, question.decimals)} {variant.unit}".strip()
        case Short():
            return "zzz"
