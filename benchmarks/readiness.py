"""Does the 90 % interval hold the truth 90 % of the time, is recall predicted, does aiming at the date pay?

Run `python -m benchmarks.readiness [--candidates N] [--learners N]`; `make prove` does, and `docs/readiness.md` has the
results. The candidates' seeds were not used while the model was made.
"""

from __future__ import annotations

import argparse
import random
import statistics
from dataclasses import dataclass

from benchmarks.learners import DEFAULT, WEIGHTS, Learner, first_look, learner, study
from quizapp.progress.readiness import Readiness, fit, readiness

FRESH_SEEDS = 3_000_000
FEW = (10, 20, 30)
"""Answers of candidates who have hardly begun."""
DECAY = DEFAULT[20]


def ready(one: Learner, day: int) -> Readiness:
    parts = one.parts(day)
    return readiness(parts, WEIGHTS, fit(one.bins(), parts, DECAY), DECAY)


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
        one = learner(seed)
        plan = random.Random(seed + 7)
        if answers is None:
            day = study(one, plan.randrange(3, 61), plan.choice((3, 5, 10, 20))) + ahead
        else:
            day = first_look(one, answers) + ahead
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidates", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=FRESH_SEEDS)
    given = parser.parse_args()
    for ahead in (0, 14):
        print(f"interval, exam {ahead} days after the last study: {coverage(given.candidates, given.seed, ahead)}")
    for answers in FEW:
        print(f"interval after {answers} answers: {coverage(given.candidates, given.seed, 0, answers)}")
