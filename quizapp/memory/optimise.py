"""Fitting FSRS's parameters to a learner's log, by fsrs-rs: adopted only if they predict later answers better.

The log is split by time: the first TRAINED of the tested reviews fit, the rest judges. Days are study days, so that
two answers on either side of midnight before the rollover hour are the same day, as everywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MINIMUM = 512
"""Reviews a day or more after the last one that a fit needs; with fewer the defaults are better (fsrs-rs#211)."""
TRAINED = 0.8


@dataclass(frozen=True)
class Answer:
    """One rated answer: the review's number, the study day, the rating 1 to 4."""

    number: int
    day: int
    rating: int


@dataclass(frozen=True)
class Loss:
    log_loss: float
    rmse_bins: float


@dataclass(frozen=True)
class Fit:
    """`before` and `after` are on held-out reviews; None when there were too few to fit."""

    reviews: int
    trained: int
    held_out: int
    before: Loss | None = None
    after: Loss | None = None
    parameters: tuple[float, ...] | None = None

    @property
    def better(self) -> bool:
        return self.before is not None and self.after is not None and self.after.log_loss < self.before.log_loss


def items_of(histories: Sequence[Sequence[Answer]]) -> list[tuple[int, list[tuple[int, int]]]]:
    """(number of its last review, [(rating, days since the one before)]) of every review a day or more after the last.

    Each history is one card's answers in order; a card that was begun again gives two.
    """
    found = []
    for history in histories:
        steps: list[tuple[int, int]] = []
        for at, answer in enumerate(history):
            days = max(0, answer.day - history[at - 1].day) if at else 0
            steps.append((answer.rating, days))
            if days > 0:
                found.append((answer.number, list(steps)))
    return sorted(found, key=lambda item: item[0])


def fit(histories: Sequence[Sequence[Answer]], current: Sequence[float], minimum: int = MINIMUM) -> Fit:
    """Fits on the earlier reviews and judges old and new parameters on the later ones."""
    items = items_of(histories)
    cut = int(len(items) * TRAINED)
    if len(items) < minimum:
        return Fit(len(items), 0, 0)
    import fsrs_rs_python as rs

    made: list[Any] = [
        rs.FSRSItem([rs.FSRSReview(rating=rating, delta_t=days) for rating, days in steps]) for _, steps in items
    ]
    earlier, later = made[:cut], made[cut:]
    parameters = within_bounds(rs.FSRS(list(current)).compute_parameters(earlier))
    before, after = (_loss(rs, values, later) for values in (tuple(current), parameters))
    return Fit(len(items), len(earlier), len(later), before, after, parameters)


def _loss(rs: Any, parameters: Sequence[float], items: Any) -> Loss:
    found = rs.FSRS(list(parameters)).evaluate(items)
    return Loss(float(found.log_loss), float(found.rmse_bins))


def within_bounds(parameters: Sequence[float]) -> tuple[float, ...]:
    """As `fsrs` demands them: its bounds, which the 32-bit numbers of fsrs-rs may miss by a hair."""
    from fsrs.scheduler import LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS

    return tuple(
        min(max(float(value), low), high)
        for value, low, high in zip(parameters, LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS, strict=True)
    )
