"""Aiming at the day of an exam: where intervals land, and what is worth doing today.

Two rules, both only when an exam lies ahead; without one every interval is FSRS's own.

1. A last look. A card whose next review would come on the exam's day or after it, and of which less than LAST_LOOK
   would be recalled then, comes once more in the week before. Intervals are only ever shortened, and the scheduler
   keeps their order: a better answer never comes back sooner.
2. The plan of a day. Every card has a gain: how much its answer today raises the expected score on the exam's day, for
   its weight in the exam, by second of study. The plan takes the highest gains that fit the day's minutes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from quizapp.memory.curve import Curve, Trace
from quizapp.memory.pace import AGAIN_ANSWERS, NEW_ANSWERS

LAST_DAYS = 7
LAST_LOOK = 0.97
REST_DAYS = 4
"""Days after an answer before a card comes ahead of its day."""
FOLLOW_UPS = 3
"""Reviews that a new card asks for until the exam: they are counted in its price, as their effect is in its gain."""
KEPT = 0.9
"""Recall on the exam's day of what was learned and reviewed when due."""
GOOD, AGAIN = 3, 1


def land(days: int, day: int, exam_day: int, recall: Callable[[int], float], factor: float) -> int:
    """The interval to use instead of `days`, for an answer on study day `day`.

    `recall(n)` is the probability of recall n days from now; `factor` in [0, 1) spreads the last looks over the week.
    """
    left = exam_day - day
    if left <= 1 or day + days < exam_day or recall(left) >= LAST_LOOK:
        return days
    first = max(1, left - LAST_DAYS)
    return min(days, first + math.floor(factor * (left - first)))


class Candidate(NamedTuple):
    """A question that could be answered today. Days are counted from today: `seen_ago` back, `exam_in` ahead."""

    id: str
    weight: float
    """Marks (0..1 of the exam) that knowing it for certain is worth, above guessing."""
    trace: Trace | None
    """None: never seen."""
    seen_ago: int = 0
    known: float = 0.0
    """For one never seen: the probability that it is known already."""
    due: bool = True
    """Whether the scheduler asks for it today (a new one always may come)."""
    left_alone: int = 0
    """Days since any answer, those that were only logged too."""


def gain(curve: Curve, one: Candidate, exam_in: int) -> float:
    """How much answering it today raises the expected score on the exam's day; 0 for what will be known anyway."""
    return _at_stake(curve, one, exam_in)[0]


def _at_stake(curve: Curve, one: Candidate, exam_in: int) -> tuple[float, float]:
    """(gain, probability of recall today); the second is 0 where the first is, and for a new one."""
    if one.trace is None:  # what is known already stays; the rest is learned and, with its reviews to come, kept
        return one.weight * (1 - one.known) * KEPT, 0.0
    if one.seen_ago == 0 or not (one.due or one.left_alone >= REST_DAYS):
        return 0.0, 0.0
    untouched = curve.recall(one.trace.stability, one.seen_ago + exam_in)
    if not one.due and untouched >= LAST_LOOK:  # ahead of its day comes only what would not be recalled anyway
        return 0.0, 0.0
    now, right, wrong = curve.at_stake(one.trace, one.seen_ago)
    after = now * curve.recall(right, exam_in) + (1 - now) * curve.recall(wrong, exam_in)
    return one.weight * (after - untouched), now


def seconds_for(curve: Curve, one: Candidate, seconds: float) -> float:
    """Expected seconds of study that it takes today, at `seconds` an answer."""
    if one.trace is None:
        return NEW_ANSWERS * seconds
    return _seconds(curve.recall(one.trace.stability, one.seen_ago), seconds)


def _seconds(recall: float, seconds: float) -> float:
    return seconds * (1 + AGAIN_ANSWERS * (1 - recall))


def best_first(curve: Curve, candidates: Sequence[Candidate], exam_in: int, seconds: float) -> list[Candidate]:
    """By gain a second, what is due and what is new before what would be reviewed ahead of its day (that spends the
    effect of spacing); ties in the order given. What gains nothing is left out.
    """

    def value(one: Candidate) -> float:
        more, now = _at_stake(curve, one, exam_in)
        return more / ((NEW_ANSWERS + FOLLOW_UPS) * seconds if one.trace is None else _seconds(now, seconds))

    found = [(not one.due, -value(one), one) for one in candidates]
    return [one for _, negative, one in sorted(found, key=lambda row: row[:2]) if negative < 0]


def plan(
    curve: Curve, candidates: Sequence[Candidate], exam_in: int, minutes: float, seconds: float
) -> list[Candidate]:
    """What to answer today, best first, as much as fits into the minutes."""
    ordered: list[Candidate] = []
    chosen: list[Candidate] = []
    for due in (True, False):
        ordered += best_first(curve, [one for one in candidates if one.due is due], exam_in, seconds)
        chosen = fitting(curve, ordered, minutes, seconds)
        if len(chosen) < len(ordered):  # no time for what is not due yet
            break
    return chosen


def fitting(curve: Curve, ordered: Sequence[Candidate], minutes: float, seconds: float) -> list[Candidate]:
    """The first of them, as many as fit into the minutes."""
    left, chosen = minutes * 60, []
    for one in ordered:
        left -= seconds_for(curve, one, seconds)
        if left < 0:
            break
        chosen.append(one)
    return chosen
