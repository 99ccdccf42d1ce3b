"""Would she pass? The true score on questions like the bank's, as a 90 % interval with its evidence.

The true score is the expected share of right answers, objectives weighted as the blueprint says. Three things about a
learner are unknown, and each is a distribution:

- how much longer or shorter she remembers than FSRS thinks: a factor on stability, and how often she errs although she
  knows (slip). Both are fitted to her own answers by bin of elapsed days over stability, on a grid (Bayes, exact);
- how she does on what she has not seen: her first answers, by objective, shrunk to her mean;
- how far single objectives lie from that: a fixed spread (`OBJECTIVE_SPREAD`).

Questions have several objectives, and each is counted once: they are sorted by the objectives that they have together
(`Parts`), an answer is shared evenly among its objectives, and a question is worth its share of the marks of each.

A question that is not recalled may still be guessed: chance is part of the score, as in a real exam. The quantiles
are those of the mixture of normals over the grid. `benchmarks/readiness.py` checks that the interval holds the truth as
often as it says. What the bank does not cover is outside of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from quizapp.memory.pace import Pace
from quizapp.progress import bins
from quizapp.progress.mastery import Part

LEVEL = 0.90
FACTORS = tuple(math.exp(-2 + n / 8) for n in range(33))
FACTOR_SPREAD = 0.6
"""Prior standard deviation of the logarithm of the factor on stability."""
SLIPS = tuple(0.005 + 0.01 * n for n in range(10))
SLIP_SCALE = 0.015
"""Prior of errors although known: a gamma distribution of shape 2 with this scale, so a mean of 3 %."""
ITEM_SPREAD = 0.8
"""Standard deviation of single seen questions around their mean, on the logit scale."""
OBJECTIVE_SPREAD = 0.16
"""Standard deviation of an objective's score around the learner's, on the logit scale."""
MEAN_SPREAD, RATE_SPREAD = 0.3, 0.11
"""Standard deviations of a learner's rate of first answers around a half, and of an objective's around hers."""
LEAST_GAIN = 0.0005
"""A step that raises the score by less is not told."""
TARGET_ANSWERS = 100
"""First answers from which on the chance of a target is told. With fewer, simulated beginners reached targets more or
less often than told: by up to 7 points after ten answers, 3 after fifty."""
LEARNED = 0.90
"""Recall that a card reaches once it is learned: FSRS's usual desired retention."""


Parts = Mapping[tuple[str, ...], Part]
"""An exam's questions by the objectives that they have together: none is in two parts."""


@dataclass(frozen=True)
class Readiness:
    """Shares 0..1 of the true score: `middle` is the expected one. `exam_low` and `exam_high`: of one exam's score."""

    low: float
    middle: float
    high: float
    exam_low: float
    exam_high: float
    factor: float
    """Posterior mean of the factor on stability: below 1, she forgets faster than FSRS thinks."""
    slip: float
    objectives: dict[str, float]
    """Expected score of each."""
    unseen: dict[tuple[str, ...], float]
    """Expected score of each part on what was not seen yet."""
    exam: Mixture
    """The number of right answers of one exam, as a share: `exam_low` and `exam_high` are its quantiles."""
    questions: int
    """That it has."""

    def chance(self, target: float) -> float:
        """Of one exam with a share of at least `target`, 0..1, right.

        A whole number of answers is right: at least k is above k - 1/2 on the normal scale (continuity correction).
        """
        least = math.ceil(target * self.questions - 1e-9) - 0.5
        return sum(
            weight * (1 - NormalDist(mean, spread).cdf(least / self.questions)) for weight, mean, spread in self.exam
        )


def _recalls(factor: float, decay: float) -> list[float]:
    """Recall by bin of a learner who remembers `factor` times as long."""
    return [bins.recall(bins.middle(number) / factor, decay) for number in range(bins.COUNT)]


Mixture = Sequence[tuple[float, float, float]]
"""Of normals: (weight, mean, standard deviation); weights sum to 1."""
Memory = list[tuple[float, float, float]]
"""(weight, factor, slip): what is believed of a learner's memory; weights sum to 1."""


def fit(tested: Mapping[int, tuple[int, int]], parts: Parts, decay: float) -> Memory:
    """The posterior given all answers a day or more after the last: `tested` are (answers, right) by bin."""
    cards = sum(part.questions for part in parts.values())
    chance = sum(part.chance * part.questions for part in parts.values()) / cards if cards else 0.25
    logs = []
    for factor in FACTORS:
        by_bin = _recalls(factor, decay)
        recalls = [(n, right, by_bin[number]) for number, (n, right) in tested.items()]
        prior = -0.5 * (math.log(factor) / FACTOR_SPREAD) ** 2
        for slip in SLIPS:
            said = prior + math.log(slip) - slip / SLIP_SCALE
            for n, right, recall in recalls:
                p = min(max((1 - slip) * recall + chance * (1 - recall), 1e-9), 1 - 1e-9)
                said += right * math.log(p) + (n - right) * math.log1p(-p)
            logs.append((said, factor, slip))
    top = max(said for said, _, _ in logs)
    weights = [(math.exp(said - top), factor, slip) for said, factor, slip in logs]
    total = sum(weight for weight, _, _ in weights)
    return [(weight / total, factor, slip) for weight, factor, slip in weights if weight / total > 1e-6]


@dataclass(frozen=True)
class _Rate:
    """Mean and variance of an objective's score on what is unseen, and how much the learner's mean enters."""

    mean: float
    variance: float
    shared: float


def _rates(parts: Parts, weights: Mapping[str, float]) -> tuple[dict[str, _Rate], float]:
    """By objective; and the variance of the learner's mean, which they share.

    Normal with two levels: answers around an objective's rate, rates around the learner's mean (Gelman et al., Bayesian
    Data Analysis, 3rd ed., 5.4). An answer to a question of k objectives is 1/k of an answer to each.
    """
    n, right = (sum(part.first[i] for part in parts.values()) for i in (0, 1))
    usual = (right + 1) / (n + 2)
    between = RATE_SPREAD**2
    told: dict[str, tuple[float, float]] = dict.fromkeys(weights, (0.0, 0.0))
    for keys, part in parts.items():
        for key in keys:
            told[key] = told[key][0] + part.first[0] / len(keys), told[key][1] + part.first[1] / len(keys)
    noise = {key: usual * (1 - usual) / answers for key, (answers, _) in told.items() if answers}
    own_rate = {key: told[key][1] / told[key][0] for key in noise}
    precision = 1 / MEAN_SPREAD**2 + sum(1 / (between + one) for one in noise.values())
    mean = (0.5 / MEAN_SPREAD**2 + sum(own_rate[key] / (between + one) for key, one in noise.items())) / precision
    out = {}
    for key in weights:
        own = between / (between + noise[key]) if key in noise else 0.0
        theta = mean + own * (own_rate[key] - mean) if own else mean
        out[key] = _Rate(min(max(theta, 0.0), 1.0), (1 - own) * between, 1 - own)
    return out, 1 / precision


def unseen_rates(parts: Parts, weights: Mapping[str, float]) -> dict[tuple[str, ...], float]:
    """The expected score of each part on what was not seen yet, guesses included: the mean of its objectives'."""
    rates, _ = _rates(parts, weights)
    return {keys: sum(rates[key].mean for key in keys) / len(keys) for keys in parts}


def marks(parts: Parts, weights: Mapping[str, float]) -> dict[tuple[str, ...], float]:
    """What the questions of each part are worth together: an objective's weight is shared evenly by its questions."""
    size = dict.fromkeys(weights, 0)
    for keys, part in parts.items():
        for key in keys:
            size[key] += part.questions
    return {
        keys: sum(weights[key] * part.questions / size[key] if size[key] else weights[key] for key in keys)
        for keys, part in parts.items()
    }


def _whole(parts: Parts, weights: Mapping[str, float]) -> Parts:
    """With an empty part for an objective of which the bank has no question: it is unseen."""
    have = {key for keys in parts for key in keys}
    return {**parts, **{(key,): Part() for key in weights if key not in have}}


def readiness(
    parts: Parts,
    weights: Mapping[str, float],
    grid: Memory,
    decay: float,
    exam_questions: int = 50,
) -> Readiness:
    """`parts` hold the cards by bin as they will be on the day that is asked about; `weights` of objectives sum to 1.

    `grid` comes from `fit`; `decay` is FSRS's, above 0.
    """
    parts = _whole(parts, weights)
    worth, means = marks(parts, weights), unseen_rates(parts, weights)
    share = {keys: part.known / part.questions if part.questions else 0.0 for keys, part in parts.items()}
    fixed = _unseen_variance(parts, weights, {keys: worth[keys] * (1 - share[keys]) for keys in parts}, means)
    by_bin = {factor: _recalls(factor, decay) for factor in {factor for _, factor, _ in grid}}
    recalls = {factor: {keys: _mean(part, one) for keys, part in parts.items()} for factor, one in by_bin.items()}
    mixture, scores = [], dict.fromkeys(parts, 0.0)
    for weight, factor, slip in grid:
        mean = variance = 0.0
        objective = dict.fromkeys(weights, 0.0)
        for keys, part in parts.items():
            recall = recalls[factor][keys]
            seen = (1 - slip) * recall + part.chance * (1 - recall)
            score = share[keys] * seen + (1 - share[keys]) * means[keys]
            scores[keys] += weight * score
            mean += worth[keys] * score
            slope = worth[keys] * share[keys] * seen * (1 - seen)
            variance += slope**2 * ITEM_SPREAD**2 / max(1, part.known)
            for key in keys:
                objective[key] += slope / len(keys)
        variance += OBJECTIVE_SPREAD**2 * sum(slope**2 for slope in objective.values())
        mixture.append((weight, mean, math.sqrt(variance + fixed) or 1e-9))
    middle = sum(weight * mean for weight, mean, _ in mixture)
    noise = middle * (1 - middle) / exam_questions
    exam = [(weight, mean, math.sqrt(spread**2 + noise) or 1e-9) for weight, mean, spread in mixture]
    tail = (1 - LEVEL) / 2
    return Readiness(
        low=quantile(mixture, tail),
        middle=middle,
        high=quantile(mixture, 1 - tail),
        exam_low=quantile(exam, tail),
        exam_high=quantile(exam, 1 - tail),
        factor=sum(weight * factor for weight, factor, _ in grid),
        slip=sum(weight * slip for weight, _, slip in grid),
        objectives={key: _of_objective(key, parts, scores) for key in weights},
        unseen=means,
        exam=exam,
        questions=exam_questions,
    )


def _unseen_variance(
    parts: Parts,
    weights: Mapping[str, float],
    worth: Mapping[tuple[str, ...], float],
    means: Mapping[tuple[str, ...], float],
) -> float:
    """Of the marks on what is unseen (`worth`): the learner's mean, her objectives, and which questions she knows."""
    rates, shared = _rates(parts, weights)
    pull, few = dict.fromkeys(weights, 0.0), 0.0
    for keys, part in parts.items():
        for key in keys:
            pull[key] += worth[keys] / len(keys)
        if part.unseen:  # each question is either known or not: a small number of them varies around the rate
            known = min(max((means[keys] - part.chance) / max(1 - part.chance, 1e-6), 0.0), 1.0)
            few += worth[keys] ** 2 * known * (1 - known) * (1 - part.chance) ** 2 / part.unseen
    own = sum(pull[key] ** 2 * rate.variance for key, rate in rates.items())
    return own + few + sum(pull[key] * rate.shared for key, rate in rates.items()) ** 2 * shared


def _of_objective(key: str, parts: Parts, scores: Mapping[tuple[str, ...], float]) -> float:
    """The mean score of an objective's questions; each counts, whatever else it is about."""
    mine = {keys: part.questions for keys, part in parts.items() if key in keys}
    total = sum(mine.values())
    return sum(scores[keys] * count for keys, count in mine.items()) / total if total else scores[key,]


def _mean(part: Part, by_bin: Sequence[float]) -> float:
    return sum(n * by_bin[number] for number, n in part.seen.items()) / part.known if part.known else 0.0


def quantile(mixture: Mixture, share: float) -> float:
    """The quantile, held within 0..1, of a mixture of normals."""
    normals = [(weight, NormalDist(mean, spread)) for weight, mean, spread in mixture]
    low, high = 0.0, 1.0
    for _ in range(20):
        at = (low + high) / 2
        if sum(weight * one.cdf(at) for weight, one in normals) < share:
            low = at
        else:
            high = at
    return (low + high) / 2


def what_raises(
    found: Readiness, parts: Parts, weights: Mapping[str, float], decay: float, pace: Pace
) -> list[dict[str, Any]]:
    """What would raise the score most, best first: learning what is unseen, reviewing what has faded.

    A question counts in the first step that has it, so the steps add up.
    """
    worth = marks(parts, weights)
    learn: dict[tuple[str, ...], tuple[int, float]] = {}
    review: dict[tuple[str, ...], tuple[int, float]] = {}
    for keys, part in parts.items():
        if not part.questions:
            continue
        learned = (1 - found.slip) * LEARNED + part.chance * (1 - LEARNED)
        each = worth[keys] / part.questions
        learn[keys] = part.unseen, each * part.unseen * (learned - found.unseen[keys])
        now = {b: bins.recall(bins.middle(b) / found.factor, decay) for b in part.seen}
        faded = {b: n for b, n in part.seen.items() if now[b] < LEARNED}
        lost = sum(n * (0.99 - now[b]) for b, n in faded.items())
        review[keys] = sum(faded.values()), each * lost * (1 - found.slip - part.chance)
    steps = [*_steps("learn", learn, pace.new), *_steps("review", review, pace.review)]
    return sorted(steps, key=lambda one: -one["gain"])


def _steps(what: str, left: dict[tuple[str, ...], tuple[int, float]], seconds: float) -> Iterator[dict[str, Any]]:
    """Objectives by the marks that are left in them; `left` are (questions, marks) by part."""
    while left:
        objectives = sorted({key for keys in left for key in keys})
        gains = {name: sum(gain for keys, (_, gain) in left.items() if name in keys) for name in objectives}
        best = max(objectives, key=gains.__getitem__)
        if gains[best] <= LEAST_GAIN:
            return
        count = sum(left.pop(keys)[0] for keys in list(left) if best in keys)
        yield {
            "objective": best,
            "what": what,
            "questions": count,
            "gain": gains[best],
            "minutes": math.ceil(count * seconds / 60),
        }
