"""FSRS-6 in closed form, for simulations and for what an answer would bring: a microsecond a step.

The scheduler itself is `fsrs` (`quizapp.memory.scheduler`); the tests hold these formulas to it. They are those of
the FSRS-6 description (open-spaced-repetition, "The Algorithm"), with the floor on same-day passes of fsrs 6.3.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

SHORTEST = 0.001
"""Days: no stability is below it."""


class Trace(NamedTuple):
    """What is left of a question in memory: stability in days, difficulty 1 to 10."""

    stability: float
    difficulty: float


class Curve:
    """The formulas for one vector of 21 parameters. Ratings are 1 (again) to 4 (easy)."""

    def __init__(self, parameters: Sequence[float]) -> None:
        self.w = tuple(parameters)
        self.decay = self.w[20]
        self._power = -self.decay
        self._factor = 0.9 ** (-1 / self.decay) - 1
        self._exp8 = math.exp(self.w[8])
        self._ceiling = math.exp(self.w[17] * self.w[18])
        self._steps = [math.exp(self.w[17] * (rating - 3 + self.w[18])) for rating in range(5)]
        self._easy = self.w[7] * self._start(4)

    def recall(self, stability: float, elapsed: float) -> float:
        """Probability of recall after `elapsed` days."""
        return float((1 + self._factor * (elapsed if elapsed > 0 else 0.0) / stability) ** self._power)

    def first(self, rating: int) -> Trace:
        """After the first answer ever."""
        return Trace(max(SHORTEST, self.w[rating - 1]), _held(self._start(rating)))

    def _start(self, rating: int) -> float:
        return self.w[4] - math.exp(self.w[5] * (rating - 1)) + 1

    def after(self, trace: Trace, elapsed: int, rating: int) -> Trace:
        """After an answer `elapsed` study days later; 0 is the same day."""
        if elapsed == 0:
            stability = self._same_day(trace.stability, rating)
        elif rating == 1:
            stability = self._forgotten(trace, self.recall(trace.stability, elapsed))
        else:
            stability = self._recalled(trace, self.recall(trace.stability, elapsed), rating)
        return Trace(max(SHORTEST, stability), self._harder(trace.difficulty, rating))

    def at_stake(self, trace: Trace, elapsed: int) -> tuple[float, float, float]:
        """What an answer today, `elapsed` days later (1 or more), would bring: the probability of recall, and the
        stabilities if it is good, and if it is again with a good step on the same day.
        """
        recall = self.recall(trace.stability, elapsed)
        forgotten = max(SHORTEST, self._forgotten(trace, recall))
        return recall, max(SHORTEST, self._recalled(trace, recall, 3)), max(SHORTEST, self._same_day(forgotten, 3))

    def _same_day(self, stability: float, rating: int) -> float:
        grown = self._steps[rating] * stability ** -self.w[19]
        return stability * (max(grown, 1.0) if rating >= 2 else grown)

    def _recalled(self, trace: Trace, recall: float, rating: int) -> float:
        w, s = self.w, trace.stability
        more = self._exp8 * (11 - trace.difficulty) * s ** -w[9] * (math.exp((1 - recall) * w[10]) - 1)
        return s * (1 + more * (w[15] if rating == 2 else w[16] if rating == 4 else 1.0))

    def _forgotten(self, trace: Trace, recall: float) -> float:
        w, s = self.w, trace.stability
        left = w[11] * trace.difficulty ** -w[12] * ((s + 1) ** w[13] - 1) * math.exp((1 - recall) * w[14])
        return min(left, s / self._ceiling)

    def _harder(self, difficulty: float, rating: int) -> float:
        moved = difficulty - self.w[6] * (rating - 3) * (10 - difficulty) / 9
        return _held(self._easy + (1 - self.w[7]) * moved)


def _held(difficulty: float) -> float:
    return min(max(difficulty, 1.0), 10.0)
