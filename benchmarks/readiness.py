"""Does the 90 % interval hold the truth 90 % of the time, and is a target reached as often as it is told?

Run `python -m benchmarks.readiness [--candidates N] [--learners N]`; `make prove` does, and `docs/readiness.md` has the
results. The candidates' seeds were not used while the model was made.
"""

from __future__ import annotations

import argparse
import random
import statistics
from dataclasses import dataclass

from benchmarks.learners import DEFAULT, WEIGHTS, WORTH, Learner, first_look, learner, study
from quizapp.progress.readiness import TARGET_ANSWERS, Readiness, fit, readiness

FRESH_SEEDS = 3_000_000
TARGET_SEEDS = 5_000_000
TARGETS = (0.5, 0.6, 0.7, 0.8)
EXAMS, QUESTIONS = 10, 50
"""Papers that each candidate sits to see how often a target is reached, and questions of one."""
FEW = (10, 20, 30)
"""Answers of candidates who have hardly begun."""
DECAY = DEFAULT[20]


def ready(one: Learner, day: int) -> Readiness:
    parts = one.parts(day)
    return readiness(parts, WEIGHTS, fit(one.bins(), parts, DECAY), DECAY)


def candidate(seed: int, ahead: int, answers: int | None) -> tuple[Learner, int]:
    """A learner with a past, and the day of the exam."""
    one = learner(seed)
    plan = random.Random(seed + 7)
    if answers is None:
        return one, study(one, plan.randrange(3, 61), plan.choice((3, 5, 10, 20))) + ahead
    return one, first_look(one, answers) + ahead


@dataclass
class Coverage:
    """`held`: share of intervals with the true score in them; `below`, `above`: where the truth was when not."""

    candidates: int
    held: float
    below: float
    above: float
    width: float
    bias: float


def coverage(candidates: int, first_seed: int = FRESH_SEEDS, ahead: int = 0, answers: int | None = None) -> Coverage:
    """Candidates after 3 to 60 days of study of all paces; the exam `ahead` days after the last without study.

    With `answers` they gave only so many, all on the day before.
    """
    found = []
    for seed in range(first_seed, first_seed + candidates):
        one, day = candidate(seed, ahead, answers)
        said, truth = ready(one, day), one.score(day)
        found.append((said.low, said.middle, said.high, truth))
    return Coverage(
        candidates,
        statistics.fmean(low <= truth <= high for low, _, high, truth in found),
        statistics.fmean(truth < low for low, _, _, truth in found),
        statistics.fmean(truth > high for _, _, high, truth in found),
        statistics.fmean(high - low for low, _, high, _ in found),
        statistics.fmean(middle - truth for _, middle, _, truth in found),
    )


@dataclass
class Reached:
    """Of one target: the mean chance that was told, and the share of exams that reached it."""

    target: float
    told: float
    came: float
    candidates: int
    by_chance: dict[str, tuple[int, float, float]]
    """The same for candidates who were told little, some or much: (candidates, told, came)."""


def reaching(
    candidates: int, first_seed: int = TARGET_SEEDS, ahead: int = 0, answers: int | None = None
) -> list[Reached]:
    """The same candidates as `coverage`, but those with too few answers to be told a chance; each sits EXAMS papers,
    whose questions are drawn by their marks.
    """
    found: dict[float, list[tuple[float, float]]] = {target: [] for target in TARGETS}
    for seed in range(first_seed, first_seed + candidates):
        one, day = candidate(seed, ahead, answers)
        if sum(one.first.values()) < TARGET_ANSWERS:
            continue
        said, luck = ready(one, day), random.Random(seed + 13)
        rights = [one.right(card, day) for card in one.cards]
        marks = [WORTH[card.objectives] for card in one.cards]
        papers = [
            sum(luck.random() < right for right in luck.choices(rights, marks, k=QUESTIONS)) for _ in range(EXAMS)
        ]
        for target, rows in found.items():
            rows.append((said.chance(target), statistics.fmean(paper >= target * QUESTIONS for paper in papers)))
    return [Reached(target, *_means(rows), len(rows), _by_chance(rows)) for target, rows in found.items()]


def _means(rows: list[tuple[float, float]]) -> tuple[float, float]:
    return statistics.fmean(told for told, _ in rows), statistics.fmean(came for _, came in rows)


def _by_chance(rows: list[tuple[float, float]]) -> dict[str, tuple[int, float, float]]:
    parts = {
        "below 25 %": [row for row in rows if row[0] < 0.25],
        "25 to 75 %": [row for row in rows if 0.25 <= row[0] <= 0.75],
        "above 75 %": [row for row in rows if row[0] > 0.75],
    }
    return {name: (len(part), *_means(part)) for name, part in parts.items() if part}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidates", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=FRESH_SEEDS)
    given = parser.parse_args()
    for ahead in (0, 14):
        print(f"interval, exam {ahead} days after the last study: {coverage(given.candidates, given.seed, ahead)}")
    for answers in FEW:
        print(f"interval after {answers} answers: {coverage(given.candidates, given.seed, 0, answers)}")
    for answers in (None, TARGET_ANSWERS):
        for one in reaching(given.candidates, answers=answers):
            print(f"target after {answers or 'days of study, all'} answers: {one}")
