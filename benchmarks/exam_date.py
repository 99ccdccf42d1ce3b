"""Aiming at the exam's day against plain FSRS: the same learners, the same seconds a day, the true score at the end.

Run `python -m benchmarks.exam_date`. Plain FSRS answers what is due (longest overdue first), then new cards in the
bank's order, then, when minutes are left, what comes due next: it never wastes a minute. The plan is the app's: cards
by gain (`quizapp.memory.exam_date`), intervals with their last looks. Answers to cards that are not due are only logged
by the app (`docs/exam-rule.md`), by both.
"""

from __future__ import annotations

import argparse
import random
import statistics
from dataclasses import dataclass

from benchmarks.learners import AGAIN, DEFAULT, NEW, WEIGHTS, WORTH, Card, Learner, learner
from quizapp.memory.curve import Curve
from quizapp.memory.exam_date import Candidate, best_first, land
from quizapp.progress.readiness import fit, readiness

APP = Curve(DEFAULT)
SECONDS = 25
FRESH_SEEDS = 2_000_000


def answer(one: Learner, card: Card, day: int, exam: int, aims: bool) -> int:
    """One card on a day; returns the seconds it took."""
    new, rated = card.app is None, card.app is None or card.due <= day
    right = one.answer(card, day, rated)
    if rated and aims and card.app is not None:
        stability = card.app.stability
        days = land(card.due - day, day, exam, lambda ahead: APP.recall(stability, ahead), one.rng.random())
        card.due = day + days
    return SECONDS * (NEW if new else 1 if right else 1 + AGAIN)


def plain_order(one: Learner, day: int) -> list[Card]:
    seen = sorted((card for card in one.cards if card.app is not None and card.app_day < day), key=lambda c: c.due)
    due = [card for card in seen if card.due <= day]
    new = [card for card in one.cards if card.app is None]
    return [*due, *new, *seen[len(due) :]]


def planned_order(one: Learner, day: int, exam: int) -> list[Card]:
    """By gain, from what the app knows: its states, its weights, first answers so far."""
    first = sum(one.first.values())
    right = sum(count for (_, good), count in one.first.items() if good)
    rate = (right + 1) / (first + 2)
    candidates = []
    for number, card in enumerate(one.cards):
        weight = WORTH[card.objectives] * (1 - card.chance)
        known = min(max((rate - card.chance) / (1 - card.chance), 0.0), 1.0)
        if card.app is None or card.truth_day < day:
            candidates.append(
                Candidate(
                    str(number), weight, card.app, day - card.app_day, known, card.due <= day, day - card.truth_day
                )
            )
    return [one.cards[int(found.id)] for found in best_first(APP, candidates, exam - day, SECONDS)]


def run(seed: int, days: int, minutes: float, aims: bool) -> tuple[Learner, float]:
    """The learner after her days of study, and the true score on the exam's day."""
    one = learner(seed)
    exam = days + 1
    for day in range(1, exam):
        left = minutes * 60
        order = planned_order(one, day, exam) if aims else plain_order(one, day)
        for card in order:
            if left < SECONDS * (NEW if card.app is None else 1):
                continue
            left -= answer(one, card, day, exam, aims)
    return one, one.score(exam)


@dataclass
class Compared:
    """True scores; the difference (date-aware less plain) with its 95 % interval; how well recall was predicted."""

    learners: int
    plain: float
    aiming: float
    difference: float
    low: float
    high: float
    recall_error: float
    """Mean absolute error, in points, of the recall that the app predicts for the exam's day, by learner."""
    recall_bias: float


def predicted_recall(one: Learner, exam: int) -> float:
    """The mean recall of the seen cards on the exam's day, as the app predicts it with what it learned of her."""
    parts = one.parts(exam)
    memory = fit(one.bins(), parts, DEFAULT[20])
    found = readiness(parts, WEIGHTS, memory, DEFAULT[20])
    seen = sum(part.known for part in parts.values())
    means = {key: part.known / seen for key, part in parts.items()}
    del found
    return sum(
        weight * sum(means[key] * part.recall(DEFAULT[20], factor) for key, part in parts.items())
        for weight, factor, _ in memory
    )


def compare(learners: int, first_seed: int = FRESH_SEEDS) -> Compared:
    """Each learner with 10 to 45 days and 8 to 30 minutes a day."""
    pairs, errors = [], []
    for seed in range(first_seed, first_seed + learners):
        rng = random.Random(seed + 13)
        days, minutes = rng.randrange(10, 46), rng.choice((8, 12, 20, 30))
        plain, aiming = run(seed, days, minutes, aims=False), run(seed, days, minutes, aims=True)
        pairs.append((plain[1], aiming[1]))
        one = aiming[0]
        seen = [card for card in one.cards if card.app is not None]
        truth = statistics.fmean(one.recall(card, days + 1) for card in seen)
        errors.append(predicted_recall(one, days + 1) - truth)
    differences = [after - before for before, after in pairs]
    mean, spread = statistics.fmean(differences), statistics.stdev(differences) / learners**0.5
    return Compared(
        learners,
        statistics.fmean(before for before, _ in pairs),
        statistics.fmean(after for _, after in pairs),
        mean,
        mean - 1.96 * spread,
        mean + 1.96 * spread,
        statistics.fmean(abs(error) for error in errors) * 100,
        statistics.fmean(errors) * 100,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", type=int, default=200)
    parser.add_argument("--seed", type=int, default=FRESH_SEEDS)
    given = parser.parse_args()
    print(compare(given.learners, given.seed))
