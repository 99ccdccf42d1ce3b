"""Bugs that others shipped in intervals and optimisers (docs/known-bugs.md, rows 20 to 27)."""

from __future__ import annotations

import random

import pytest

from quizapp.memory.optimise import Answer, fit
from quizapp.memory.rating import Rating
from quizapp.memory.scheduler import Scheduler, SchedulerConfig
from quizapp.memory.state import CardState

DAY = 740_000
AGAIN, HARD, GOOD, EASY = Rating
MS_A_DAY = 86_400_000


def after_history(scheduler: Scheduler, rng: random.Random, card: str) -> tuple[CardState, int]:
    """A card after some answers, and a later day."""
    state, day = CardState(), DAY
    for _ in range(rng.randrange(9)):
        state = scheduler.review(state, rng.choice(list(Rating)), day * MS_A_DAY, day, card)
        day = max(day, (state.due_day or day) + rng.randrange(-2, 9))
    return state, day


def days_until(state: CardState) -> float:
    """Days until the card is due; a step of minutes is a part of a day."""
    if state.due_day is not None and state.last_day is not None:
        return state.due_day - state.last_day
    assert state.due_at is not None
    assert state.last_at is not None
    return (state.due_at - state.last_at) / MS_A_DAY


def test_a_card_answered_well_on_time_never_comes_back_sooner() -> None:
    """ankitects/anki#2694 and #4431: fuzz made the next interval no longer than the last (4, 8, 4 days)."""
    scheduler = Scheduler()
    for number in range(400):
        state, day, last = CardState(), DAY, 0
        for answer in range(12):
            state = scheduler.review(state, GOOD, day * MS_A_DAY, day, f"q{number}")
            if state.state == "review":
                assert state.interval > last or state.interval == scheduler.config.maximum_interval, (number, answer)
                last = state.interval
            day += state.interval


@pytest.mark.parametrize("exam_in", [None, -3, 0, 1, 2, 5, 8, 12, 30, 90])
def test_nothing_passed_is_due_today_or_before(exam_in: int | None) -> None:
    """fsrs4anki-helper#356: cards moved to a better day landed on yesterday."""
    rng = random.Random(4)
    for number in range(120):
        exam_day = None if exam_in is None else DAY + exam_in
        scheduler = Scheduler(SchedulerConfig(exam_day=exam_day))
        state, day = after_history(scheduler, rng, f"q{number}")
        for rating in (HARD, GOOD, EASY):
            after = scheduler.review(state, rating, day * MS_A_DAY, day, f"q{number}")
            assert after.due_day is None or after.due_day > day
            assert after.due_at is None or after.due_at > day * MS_A_DAY


@pytest.mark.parametrize("exam_in", [3, 6, 8, 10, 15, 40])
def test_easy_is_not_sooner_than_hard_when_an_exam_is_near(exam_in: int) -> None:
    """fsrs4anki#343 at the one place where intervals are cut: Hard 6 days stood before Easy 2 of a last look."""
    rng = random.Random(5)
    cut = 0
    for number in range(300):
        card = f"q{number}"
        state, day = after_history(Scheduler(), rng, card)
        plain = Scheduler(SchedulerConfig())
        scheduler = Scheduler(SchedulerConfig(exam_day=day + exam_in))
        waits = [days_until(scheduler.review(state, one, day * MS_A_DAY, day, card)) for one in (HARD, GOOD, EASY)]
        assert waits == sorted(waits), (card, waits)
        cut += any(
            days_until(scheduler.review(state, one, day * MS_A_DAY, day, card))
            < days_until(plain.review(state, one, day * MS_A_DAY, day, card))
            for one in (HARD, GOOD, EASY)
        )
    assert cut > 20  # the exam did cut intervals here


def test_every_card_takes_the_learning_steps_and_a_lapse_the_relearning_step() -> None:
    """py-fsrs#63: new cards jumped to review."""
    scheduler = Scheduler()
    new = CardState()
    assert [scheduler.review(new, one, 0, DAY, "q").state for one in Rating] == ["learning"] * 3 + ["review"]
    learned = scheduler.review(scheduler.review(new, GOOD, 0, DAY, "q"), GOOD, 600_000, DAY, "q")
    assert learned.state == "review"
    lapsed = scheduler.review(learned, AGAIN, 5 * MS_A_DAY, DAY + 5, "q")
    assert (lapsed.state, lapsed.due_day, lapsed.lapses) == ("relearning", None, 1)


def one_card(rng: random.Random, start: int, recalled: float) -> list[tuple[int, int]]:
    """(day, rating) of a card learned on `start` and asked six times, ten days apart."""
    return [(start, 3), *((start + 10 * n, 3 if rng.random() < recalled else 1) for n in range(1, 7))]


def test_a_fit_that_predicts_later_answers_worse_is_not_adopted() -> None:
    """ankitects/anki#2972: optimised parameters were worse than the old ones. Here the learner has changed: what was
    forgotten on the days that fit is remembered on the days that judge."""
    rng = random.Random(1)
    answers = []
    for card in range(120):
        late = card >= 96  # one in five, all of them answered after the others
        for day, rating in one_card(rng, DAY + (200 if late else card % 30), 0.97 if late else 0.15):
            answers.append((day, card, rating))
    histories: list[list[Answer]] = [[] for _ in range(120)]
    for number, (day, card, rating) in enumerate(sorted(answers), 1):
        histories[card].append(Answer(number, day, rating))
    found = fit(histories, SchedulerConfig().parameters)
    assert found.before is not None
    assert found.after is not None
    assert found.after.log_loss > found.before.log_loss
    assert not found.better
