"""Simulated learners whose knowledge and forgetting are known, for the proofs about readiness and exam dates.

A learner differs from what the app assumes in every way that we could think of: her own forgetting curve, stability
that grows faster or slower, questions that stick better or worse, slips, lucky guesses, uneven objectives, and what she
knew before. The app sees only right and wrong.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field

from quizapp.memory.curve import Curve, Trace
from quizapp.memory.scheduler import SchedulerConfig
from quizapp.progress.bins import bin_of
from quizapp.progress.mastery import Part

DEFAULT = SchedulerConfig().parameters
WEIGHTS = {"1.1": 0.226, "4.1": 0.258, "4.4": 0.258, "4.5": 0.258}
"""The serving blueprint's, rounded."""
TOGETHER = {
    ("4.1",): 80,
    ("4.4",): 69,
    ("1.1", "4.1"): 67,
    ("1.1", "4.1", "4.4"): 23,
    ("1.1", "4.1", "4.5"): 22,
    ("4.1", "4.4"): 20,
    ("4.5",): 20,
    ("4.1", "4.5"): 16,
    ("4.4", "4.5"): 2,
    ("1.1", "4.4"): 1,
    ("4.1", "4.4", "4.5"): 1,
}
"""Questions by the objectives that they have together, as the bank had them on 2026-11-29: 321, which count 519 times
where each objective counts its own."""
SIZES = {name: sum(count for names, count in TOGETHER.items() if name in names) for name in WEIGHTS}
WORTH = {names: sum(WEIGHTS[name] / SIZES[name] for name in names) for names in TOGETHER}
"""The marks of one question."""
NEW, AGAIN = 3, 2
"""Answers that a new card takes on its first day, and answers more that a forgotten one takes."""
KNOWN = Trace(100.0, 3.0)
"""What she knew before she met it here: firm."""


@dataclass
class Card:
    """One question: the truth about it, and what the app holds of it. Days count from the first."""

    objectives: tuple[str, ...]
    chance: float
    known_before: bool
    sticks: float
    """Factor on this question's true stability."""
    luck: float
    truth: Trace | None = None
    truth_day: int = 0
    app: Trace | None = None
    app_day: int = 0
    due: int = 0


@dataclass
class Learner:
    """Answers, forgets, and is remembered by the app. `rng` is hers alone."""

    rng: random.Random
    slip: float
    mind: Curve
    longer: float
    """Factor on her true stability against the formulas'."""
    cards: list[Card]
    app: Curve = field(default_factory=lambda: Curve(DEFAULT))
    tested: Counter[tuple[int, bool]] = field(default_factory=Counter)
    first: Counter[tuple[tuple[str, ...], bool]] = field(default_factory=Counter)

    def recall(self, card: Card, day: int) -> float:
        """The true probability that she recalls it on a day, without a look."""
        if card.truth is None:
            return float(card.known_before)
        return self.mind.recall(card.truth.stability * self.longer * card.sticks, day - card.truth_day)

    def right(self, card: Card, day: int) -> float:
        """The true probability of a right answer."""
        recall = self.recall(card, day)
        return (1 - self.slip) * recall + card.chance * (1 - recall)

    def score(self, day: int) -> float:
        """The true score: the expected share of right answers, objectives weighted."""
        return sum(WORTH[card.objectives] * self.right(card, day) for card in self.cards)

    def answer(self, card: Card, day: int, rated: bool = True) -> bool:
        """She answers and sees the reason; the app updates its state unless the answer is only logged."""
        luck = random.Random(f"{card.luck}:{day}")  # the same card on the same day has the same luck under any plan
        recalled = luck.random() < self.recall(card, day)
        right = luck.random() < (1 - self.slip if recalled else card.chance)
        if card.app is None:
            self.first[card.objectives, right] += 1
        elif rated and day > card.app_day:
            self.tested[bin_of(day - card.app_day, card.app.stability), right] += 1
        if recalled and card.truth is None:
            card.truth = KNOWN
        else:
            card.truth = _next(self.mind, card.truth, day - card.truth_day, 3 if recalled else 1)
        card.truth_day = day
        if rated:
            card.app = _next(self.app, card.app, day - card.app_day, 3 if right else 1)
            card.app_day = day
            card.due = day + max(1, round(card.app.stability))
        return right

    def parts(self, day: int) -> dict[tuple[str, ...], Part]:
        """What the app counts, as the bins of `day`."""
        parts = {names: Part() for names in TOGETHER}
        for card in self.cards:
            part = parts[card.objectives]
            part.chance = (part.chance * part.questions + card.chance) / (part.questions + 1)
            part.questions += 1
            if card.app is not None:
                part.seen[bin_of(day - card.app_day, card.app.stability)] += 1
        for names, part in parts.items():
            part.first = (self.first[names, True] + self.first[names, False], self.first[names, True])
        return parts

    def bins(self) -> dict[int, tuple[int, int]]:
        found: dict[int, tuple[int, int]] = {}
        for (number, right), count in self.tested.items():
            n, good = found.get(number, (0, 0))
            found[number] = (n + count, good + count * right)
        return found


def _next(curve: Curve, trace: Trace | None, elapsed: int, rating: int) -> Trace:
    """After an answer; a failed one is learned again on the same day, a new one has its second step."""
    new = trace is None
    trace = curve.first(rating) if trace is None else curve.after(trace, elapsed, rating)
    return curve.after(trace, 0, 3) if rating == 1 or new else trace


def learner(seed: int) -> Learner:
    """One of a population; what varies is listed in `docs/readiness.md`."""
    rng = random.Random(seed)
    parameters = list(DEFAULT)
    parameters[8] += rng.gauss(0, 0.15)  # growth of stability
    parameters[20] *= math.exp(rng.gauss(0, 0.15))  # shape of forgetting
    ability = rng.gauss(-0.4, 0.8)
    cards = []
    strong = {name: rng.gauss(0, 0.4) for name in WEIGHTS}
    for names, size in TOGETHER.items():
        knows = 1 / (1 + math.exp(-ability - sum(strong[name] for name in names) / len(names)))
        for _ in range(size):
            chance = 0.25 if rng.random() < 0.7 else 0.0
            cards.append(Card(names, chance, rng.random() < knows, math.exp(rng.gauss(0, 0.4)), rng.random()))
    rng.shuffle(cards)
    return Learner(rng, rng.uniform(0, 0.06), Curve(parameters), math.exp(rng.gauss(0, 0.4)), cards)


def study(one: Learner, days: int, new_a_day: int, start: int = 1) -> int:
    """Days of plain study: what is due, then new cards, some days left out. Returns the day after the last."""
    for day in range(start, start + days):
        if one.rng.random() < 0.15:
            continue
        for card in [card for card in one.cards if card.app is not None and card.due <= day]:
            one.answer(card, day)
        for card in [card for card in one.cards if card.app is None][:new_a_day]:
            one.answer(card, day)
    return start + days


def first_look(one: Learner, answers: int, day: int = 1) -> int:
    """So many first answers on one day and nothing before. Returns the day after."""
    for card in one.cards[:answers]:
        one.answer(card, day)
    return day + 1
