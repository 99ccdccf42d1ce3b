"""Aiming at an exam's day: closed forms equal to fsrs, last looks, and the plan of a day."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.memory.curve import Curve, Trace
from quizapp.memory.exam_date import LAST_DAYS, LAST_LOOK, Candidate, best_first, gain, land, plan
from quizapp.memory.rating import Rating
from quizapp.memory.scheduler import Scheduler, SchedulerConfig
from quizapp.memory.state import CardState

CURVE = Curve(SchedulerConfig().parameters)
DAY = 740_000


def test_the_closed_forms_equal_fsrs_over_random_histories() -> None:
    rng = random.Random(1)
    scheduler = Scheduler(SchedulerConfig(fuzz=False, learning_steps=(), relearning_steps=()))
    for _ in range(200):
        state, trace, day = CardState(), None, DAY
        for _ in range(8):
            rating, gap = rng.randrange(1, 5), rng.choice((0, 1, 2, 5, 30, 200))
            day += gap if trace else 0
            state = scheduler.review(state, Rating(rating), 0, day)
            trace = CURVE.first(rating) if trace is None else CURVE.after(trace, gap, rating)
            assert trace.stability == pytest.approx(state.stability, rel=1e-9)
            assert trace.difficulty == pytest.approx(state.difficulty, rel=1e-9)
            assert CURVE.recall(trace.stability, 9) == pytest.approx(scheduler.retrievability(state, day + 9))


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 400), st.integers(-5, 200), st.floats(0.01, 500), st.floats(0, 0.999))
def test_an_interval_is_only_ever_shortened_into_the_week_before(
    days: int, left: int, stability: float, factor: float
) -> None:
    found = land(days, DAY, DAY + left, lambda n: CURVE.recall(stability, n), factor)
    assert 1 <= found <= days
    if found != days:
        assert max(1, left - LAST_DAYS) <= found < left <= days
        assert CURVE.recall(stability, left) < LAST_LOOK
    elif 1 < left <= days:
        assert CURVE.recall(stability, left) >= LAST_LOOK


def test_without_an_exam_and_after_it_every_interval_is_fsrs_own() -> None:
    rng = random.Random(2)
    plain = Scheduler()
    past = Scheduler(SchedulerConfig(exam_day=DAY - 1))
    for number in range(100):
        a = b = CardState()
        day = DAY
        for _ in range(6):
            rating = Rating(rng.randrange(1, 5))
            a, b = plain.review(a, rating, 0, day, f"c{number}"), past.review(b, rating, 0, day, f"c{number}")
            assert a == b
            day = max(day, a.due_day or day)
    assert "exam_day" not in SchedulerConfig().to_dict()
    assert SchedulerConfig.from_dict(SchedulerConfig(exam_day=DAY).to_dict()).exam_day == DAY


def test_an_exam_ahead_brings_a_card_back_in_the_week_before() -> None:
    state = CardState(state="review", stability=20.0, difficulty=5.0, due_day=DAY, last_day=DAY - 20, last_at=0,
                      interval=20, reps=3)  # fmt: skip
    plain = Scheduler().review(state, Rating.GOOD, 0, DAY, "c0")
    assert plain.due_day is not None
    assert plain.due_day > DAY + 20
    aiming = Scheduler(SchedulerConfig(exam_day=DAY + 20))
    days = {(aiming.review(state, Rating.GOOD, 0, DAY, f"c{n}").due_day or 0) - DAY for n in range(200)}
    assert days == set(range(13, 20))
    assert aiming.review(state, Rating.GOOD, 0, DAY, "c0").stability == plain.stability


def test_gain_prefers_what_would_be_forgotten_and_what_counts() -> None:
    weak, strong = Trace(3.0, 5.0), Trace(200.0, 5.0)
    one = Candidate("weak", 0.01, weak, 6)
    assert gain(CURVE, one, 10) > gain(CURVE, Candidate("strong", 0.01, strong, 6), 10) > 0
    assert gain(CURVE, Candidate("twice", 0.02, weak, 6), 10) == pytest.approx(2 * gain(CURVE, one, 10))
    assert gain(CURVE, Candidate("today", 0.01, weak, 0), 10) == 0
    new = Candidate("new", 0.01, None, known=0.2)
    assert gain(CURVE, new, 10) > gain(CURVE, Candidate("known", 0.01, None, known=0.9), 10)
    order = [c.id for c in best_first(CURVE, [Candidate("strong", 0.01, strong, 6), one, new], 10, 20)]
    assert order.index("weak") < order.index("strong")


def test_a_plan_fits_its_minutes_and_takes_the_best() -> None:
    cards = [Candidate(f"n{n}", 0.01 * (n % 3 + 1), None, known=0.1) for n in range(30)]
    chosen = plan(CURVE, cards, 14, 10, 20)
    assert len(chosen) == 10  # a new card takes three answers of twenty seconds
    assert {one.weight for one in chosen} == {0.03}
    assert plan(CURVE, cards, 14, 0, 20) == []
