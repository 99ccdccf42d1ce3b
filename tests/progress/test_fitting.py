"""`quizapp optimise`: fits a learner who forgets faster than the defaults, refuses what is no better, can be undone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from study.helpers import ahead, open_study, small_bank

from quizapp.memory.curve import Curve
from quizapp.memory.optimise import Answer, fit, items_of, within_bounds
from quizapp.memory.scheduler import SchedulerConfig
from quizapp.settings import Settings
from quizapp.study import fitting, replay

DEFAULT = SchedulerConfig().parameters
OTHER = (0.05, 0.3, 0.8, 2.0, *DEFAULT[4:8], 1.2, *DEFAULT[9:])
"""A learner who forgets much faster and gains less by each review."""


def log_of(parameters: tuple[float, ...], cards: int, seed: int) -> list[list[Answer]]:
    """Histories of a learner whose memory is FSRS with these parameters, scheduled by the defaults."""
    rng, mind, app = random.Random(seed), Curve(parameters), Curve(DEFAULT)
    rows: list[tuple[int, int, int]] = []
    for card in range(cards):
        day, truth, known = rng.randrange(60), None, None
        for _ in range(6):
            gap = 0 if known is None else max(1, round(known.stability))
            day += gap
            recalled = truth is not None and rng.random() < mind.recall(truth.stability, gap)
            rating = (3 if rng.random() < 0.6 else 1) if truth is None else 3 if recalled else 1
            truth = mind.first(rating) if truth is None else mind.after(truth, gap, rating)
            known = app.first(rating) if known is None else app.after(known, gap, rating)
            rows.append((day, card, rating))
    histories: list[list[Answer]] = [[] for _ in range(cards)]
    for number, (day, card, rating) in enumerate(sorted(rows), 1):
        histories[card].append(Answer(number, day, rating))
    return histories


def test_items_are_reviews_a_day_or_more_after_the_last() -> None:
    history = [Answer(1, 10, 3), Answer(2, 10, 3), Answer(5, 12, 1), Answer(6, 12, 3), Answer(9, 20, 3)]
    assert items_of([history, [Answer(7, 3, 1)]]) == [
        (5, [(3, 0), (3, 0), (1, 2)]),
        (9, [(3, 0), (3, 0), (1, 2), (3, 0), (3, 8)]),
    ]
    assert items_of([[Answer(1, 10, 3), Answer(2, 8, 3)]]) == []  # the clock went back: no days are counted backwards


def test_a_learner_unlike_the_defaults_is_fitted() -> None:
    found = fit(log_of(OTHER, 250, 1), DEFAULT)
    assert found.better
    assert found.before is not None
    assert found.after is not None
    assert found.after.log_loss < found.before.log_loss - 0.01
    assert found.after.rmse_bins < found.before.rmse_bins
    assert (found.trained + found.held_out, found.reviews) == (found.reviews, 1250)
    assert found.parameters == within_bounds(found.parameters or ())
    Settings(fits=(found.parameters,))


def test_parameters_that_are_already_right_are_kept() -> None:
    """What was fitted to other answers of the same learner is not replaced by what overfits these few."""
    true = OTHER
    found = fit(log_of(true, 110, 3), true)
    assert found.reviews >= 512
    assert found.before is not None
    assert found.after is not None
    assert abs(found.after.log_loss - found.before.log_loss) < 0.05


def test_too_few_reviews_change_nothing() -> None:
    found = fit(log_of(OTHER, 20, 1), DEFAULT)
    assert (found.better, found.parameters, found.reviews) == (False, None, 100)


def test_adopting_undoing_and_replaying(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(40), learn_ahead_minutes=0, new_per_day=40) as study:
        rng = random.Random(5)
        for _ in range(160):
            card = study.next_card()
            if card is None:
                ahead(study, hours=20)
                continue
            right = card.state in ("learning", "relearning") or rng.random() < 0.35
            study.answer(card, "right" if right else "wrong", "unsure", 900)
            ahead(study, minutes=11)
        found = fitting.optimise(study, minimum=30)
        assert found["adopted"] == (found["after"]["log_loss"] < found["before"]["log_loss"])
        assert found["adopted"], found
        assert tuple(found["parameters"]) == study.moment().scheduler.config.parameters != DEFAULT
        states = [study.card_info(f"q{n:03}").stability for n in range(5)]
        ahead(study, days=3)
        card = study.next_card()
        study.answer(card, "right", None, 900)  # type: ignore[arg-type]
        report = replay.check(study.database)
        assert (report.ok, report.unchecked) == (True, 0), report.differences
        assert fitting.undo_optimise(study)
        assert study.moment().scheduler.config.parameters == DEFAULT
        assert not fitting.undo_optimise(study)
        assert [study.card_info(f"q{n:03}").stability for n in range(5) if f"q{n:03}" != card.question.id] == [
            s for n, s in enumerate(states) if f"q{n:03}" != card.question.id
        ]
    with open_study(tmp_path, small_bank(40), zone=None) as study:
        assert study.settings().fits == ()
        refused = fitting.optimise(study)
        assert (refused["adopted"], refused["minimum"]) == (False, 512)
        assert "too few" in refused["why"]


@pytest.mark.parametrize("fits", [((1.0,) * 20,), ((float("nan"),) * 21,), "x"])
def test_stored_parameters_that_cannot_be_are_refused(fits: object) -> None:
    with pytest.raises(ValueError):
        Settings(fits=fits)  # type: ignore[arg-type]
