"""Fitting the scheduler to the learner: from the log to adopted parameters, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from quizapp.memory.optimise import MINIMUM, Answer, fit
from quizapp.store import log
from quizapp.study.answering import config_json
from quizapp.study.study import Study

_RATED = (
    "SELECT card_id, id, day, rating, origin FROM review WHERE id NOT IN (SELECT review_id FROM undo) "
    "AND (rating IS NOT NULL OR origin = 'forget') ORDER BY card_id, id"
)


def histories(study: Study) -> list[list[Answer]]:
    """Each card's rated answers in force; a card that was begun again starts a new history."""
    found: list[list[Answer]] = []
    last = None
    with study.database.reading() as connection:
        for card, number, day, rating, origin in connection.execute(_RATED):
            if card != last or origin == "forget":
                found.append([])
            last = card
            if origin != "forget":
                found[-1].append(Answer(number, day, rating))
    return [history for history in found if history]


def optimise(study: Study, minimum: int = MINIMUM) -> dict[str, Any]:
    """Fits on the log and adopts the parameters when they predict held-out reviews better.

    States of cards stay as they are: the new parameters count from the next answer on, under a scheduler version of
    their own, so that the log can still be replayed. Raises StoreError when nothing can be written.
    """
    current = study.moment().scheduler.config.parameters
    found = fit(histories(study), current, minimum)
    if found.better and found.parameters is not None:
        study.save_settings(fits=(*study.settings().fits, found.parameters))
        with study.database.writing() as connection:
            log.scheduler_id(connection, config_json(study.moment()))
    return {
        "adopted": found.better,
        "why": _why(found.reviews, minimum, found.better),
        "reviews": found.reviews,
        "minimum": minimum,
        "trained": found.trained,
        "held_out": found.held_out,
        "before": asdict(found.before) if found.before else None,
        "after": asdict(found.after) if found.after else None,
        "parameters": list(study.moment().scheduler.config.parameters),
    }


def _why(reviews: int, minimum: int, better: bool) -> str:
    if reviews < minimum:
        return f"{reviews} reviews a day or more apart are too few: {minimum} are needed. The parameters stay."
    if better:
        return "The fitted parameters predict the later reviews better: they are in force from the next answer on."
    return "The fitted parameters predict the later reviews no better than those in force: nothing was changed."


def undo_optimise(study: Study) -> bool:
    """Drops the parameters adopted last; those before, or the defaults, are in force again. False: there are none."""
    fits = study.settings().fits
    if fits:
        study.save_settings(fits=fits[:-1])
    return bool(fits)
