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
    if one.trace is None:  # what is known already stays; the rest is learned and, with its reviews to come, kept
        return one.weight * (1 - one.known) * KEPT
    if one.seen_ago == 0 or not (one.due or _worth_a_look(curve, one, exam_in)):
        return 0.0
    now = curve.recall(one.trace.stability, one.seen_ago)
    right = curve.after(one.trace, one.seen_ago, GOOD)
    wrong = _learned(curve, curve.after(one.trace, one.seen_ago, AGAIN))
    after = now * curve.recall(right.stability, exam_in) + (1 - now) * curve.recall(wrong.stability, exam_in)
    return one.weight * (after - curve.recall(one.trace.stability, one.seen_ago + exam_in))


def _worth_a_look(curve: Curve, one: Candidate, exam_in: int) -> bool:
    """Ahead of its day only what was left alone for a while and would not be recalled anyway."""
    assert one.trace is not None
    return one.left_alone >= REST_DAYS and curve.recall(one.trace.stability, one.seen_ago + exam_in) < LAST_LOOK


def _learned(curve: Curve, trace: Trace) -> Trace:
    """A step later on the same day, answered well."""
    return curve.after(trace, 0, GOOD)


def seconds_for(curve: Curve, one: Candidate, seconds: float) -> float:
    """Expected seconds of study that it takes today, at `seconds` an answer."""
    if one.trace is None:
        return NEW_ANSWERS * seconds
    return seconds * (1 + AGAIN_ANSWERS * (1 - curve.recall(one.trace.stability, one.seen_ago)))


def best_first(curve: Curve, candidates: Sequence[Candidate], exam_in: int, seconds: float) -> list[Candidate]:
    """By gain a second, what is due and what is new before what would be reviewed ahead of its day (that spends the
    effect of spacing); ties in the order given. What gains nothing is left out.
    """

    def value(one: Candidate) -> float:
        spent = seconds_for(curve, one, seconds) + (FOLLOW_UPS * seconds if one.trace is None else 0)
        return gain(curve, one, exam_in) / spent

    found = [(not one.due, -value(one), one) for one in candidates]
    return [one for _, negative, one in sorted(found, key=lambda row: row[:2]) if negative < 0]


def plan(
    curve: Curve, candidates: Sequence[Candidate], exam_in: int, minutes: float, seconds: float
) -> list[Candidate]:
    """What to answer today, best first, as much as fits into the minutes."""
    return fitting(curve, best_first(curve, candidates, exam_in, seconds), minutes, seconds)


def fitting(curve: Curve, ordered: Sequence[Candidate], minutes: float, seconds: float) -> list[Candidate]:
    """The first of them, as many as fit into the minutes."""
    left, chosen = minutes * 60, []
    for one in ordered:
        left -= seconds_for(curve, one, seconds)
        if left < 0:
            break
        chosen.append(one)
    return chosen
