"""The days until an exam as they would go: a simulation with the plan's own rules, for a learner as FSRS knows her."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from quizapp.memory.curve import Curve
from quizapp.memory.exam_date import AGAIN, GOOD, Candidate, land, plan, seconds_for


@dataclass
class Day:
    new: int = 0
    reviews: int = 0
    seconds: float = 0.0


@dataclass
class Workload:
    days: list[Day] = field(default_factory=list)
    unseen: int = 0
    """Questions that would still be unseen on the exam's day."""
    recall: float = 0.0
    """Mean recall of the others then."""


@dataclass
class _Card:
    now: Candidate
    due_in: int
    """Days until the scheduler asks for it."""


def simulate(
    curve: Curve,
    cards: Sequence[Candidate],
    days: int,
    minutes: float,
    seconds: float,
    rng: random.Random,
    today: float | None = None,
) -> Workload:
    """`days` until the exam, the first of them today; `minutes` a day, `seconds` an answer.

    `today` are the minutes that are left of today, where some were spent.
    """
    mine = {one.id: _Card(one, 0 if one.due else _next_due(curve, one)) for one in cards}
    found = Workload()
    for day in range(days):
        done = Day()
        left = today if day == 0 and today is not None else minutes
        for one in plan(curve, [card.now for card in mine.values()], days - day, left, seconds):
            done.seconds += seconds_for(curve, one, seconds)
            done.new += one.trace is None
            done.reviews += one.trace is not None
            mine[one.id] = _answered(curve, one, days - day, rng)
        found.days.append(done)
        for card in mine.values():
            card.due_in -= 1
            card.now = _next_morning(card)
    seen = [card.now for card in mine.values() if card.now.trace is not None]
    found.unseen = len(mine) - len(seen)
    recalls = [curve.recall(one.trace.stability, one.seen_ago) for one in seen if one.trace is not None]
    found.recall = sum(recalls) / len(recalls) if recalls else 0.0
    return found


def _next_morning(card: _Card) -> Candidate:
    name, weight, trace, seen_ago, known, _, left_alone = card.now
    return Candidate(name, weight, trace, seen_ago + 1, known, trace is None or card.due_in <= 0, left_alone + 1)


def _next_due(curve: Curve, one: Candidate) -> int:
    return max(1, round(one.trace.stability) - one.seen_ago) if one.trace is not None else 0


def _answered(curve: Curve, one: Candidate, exam_in: int, rng: random.Random) -> _Card:
    """The card after its answer today, which is right as often as FSRS says. One ahead of its day is only logged."""
    if one.trace is None:
        right = rng.random() < one.known
        trace = curve.first(GOOD if right else AGAIN)
        trace = curve.after(trace, 0, GOOD)
    else:
        if not one.due:
            return _Card(one._replace(left_alone=0), _next_due(curve, one))
        right = rng.random() < curve.recall(one.trace.stability, one.seen_ago)
        trace = curve.after(one.trace, one.seen_ago, GOOD if right else AGAIN)
        trace = trace if right else curve.after(trace, 0, GOOD)
    days = land(max(1, round(trace.stability)), 0, exam_in, lambda n: curve.recall(trace.stability, n), rng.random())
    return _Card(one._replace(trace=trace, seen_ago=0, left_alone=0, due=False), days)
