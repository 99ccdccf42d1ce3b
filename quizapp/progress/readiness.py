"""Would she pass? The true score on questions like the bank's, as a 90 % interval with its evidence.

The true score is the expected share of right answers, objectives weighted as the blueprint says. Three things about a
learner are unknown, and each is a distribution:

- how much longer or shorter she remembers than FSRS thinks: a factor on stability, and how often she errs although she
  knows (slip). Both are fitted to her own answers by bin of elapsed days over stability, on a grid (Bayes, exact);
- how she does on what she has not seen: her first answers, by objective, shrunk to her mean;
- how far single objectives lie from that: a fixed spread (`OBJECTIVE_SPREAD`).

A question that is not recalled may still be guessed: chance is part of the score, as in a real exam. The quantiles
are those of the mixture of normals over the grid. `benchmarks/readiness.py` checks that the interval holds the truth as
often as it says. What the bank does not cover is outside of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

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
OBJECTIVE_SPREAD = 0.12
"""Standard deviation of an objective's score around the learner's, on the logit scale."""
MEAN_SPREAD, RATE_SPREAD = 0.3, 0.11
"""Standard deviations of a learner's rate of first answers around a half, and of an objective's around hers."""
LEARNED = 0.90
"""Recall that a card reaches once it is learned: FSRS's usual desired retention."""


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
    unseen: dict[str, float]
    """Expected score of each on what was not seen yet."""


def _recalls(factor: float, decay: float) -> list[float]:
    """Recall by bin of a learner who remembers `factor` times as long."""
    return [bins.recall(bins.middle(number) / factor, decay) for number in range(bins.COUNT)]


Memory = list[tuple[float, float, float]]
"""(weight, factor, slip): what is believed of a learner's memory; weights sum to 1."""


def fit(tested: Mapping[int, tuple[int, int]], parts: Mapping[str, Part], decay: float) -> Memory:
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
class _Unseen:
    """Mean and variance of an objective's score on what is unseen, and how much the learner's mean enters."""

    mean: float
    variance: float
    shared: float


def _unseen(parts: Mapping[str, Part]) -> tuple[dict[str, _Unseen], float]:
    """By objective; and the variance of the learner's mean, which they share.

    Normal with two levels: answers around an objective's rate, rates around the learner's mean (Gelman et al., Bayesian
    Data Analysis, 3rd ed., 5.4).
    """
    n, right = (sum(part.first[i] for part in parts.values()) for i in (0, 1))
    usual = (right + 1) / (n + 2)
    between = RATE_SPREAD**2
    noise = {key: usual * (1 - usual) / part.first[0] for key, part in parts.items() if part.first[0]}
    precision = 1 / MEAN_SPREAD**2 + sum(1 / (between + one) for one in noise.values())
    told = 0.5 / MEAN_SPREAD**2
    told += sum(parts[key].first[1] / parts[key].first[0] / (between + one) for key, one in noise.items())
    mean = told / precision
    out = {}
    for key, part in parts.items():
        own = between / (between + noise[key]) if key in noise else 0.0
        theta = mean + own * (part.first[1] / part.first[0] - mean) if own else mean
        theta = min(max(theta, 0.0), 1.0)
        variance = (1 - own) * between
        if part.unseen:  # each question is either known or not: a small number of them varies around the rate
            known = min(max((theta - part.chance) / max(1 - part.chance, 1e-6), 0.0), 1.0)
            variance += known * (1 - known) * (1 - part.chance) ** 2 / part.unseen
        out[key] = _Unseen(theta, variance, 1 - own)
    return out, 1 / precision


def unseen_rates(parts: Mapping[str, Part]) -> dict[str, float]:
    """The expected score of each objective on what was not seen yet, guesses included."""
    return {key: one.mean for key, one in _unseen(parts)[0].items()}


def readiness(
    parts: Mapping[str, Part],
    weights: Mapping[str, float],
    grid: Memory,
    decay: float,
    exam_questions: int = 50,
) -> Readiness:
    """`parts` hold the cards by bin as they will be on the day that is asked about; `weights` sum to 1 over them.

    `grid` comes from `fit`; `decay` is FSRS's, above 0.
    """
    parts = {key: parts.get(key, Part()) for key in weights}
    unseen, shared = _unseen(parts)
    share = {key: part.known / part.questions if part.questions else 0.0 for key, part in parts.items()}
    fixed = sum((weights[k] * (1 - share[k])) ** 2 * unseen[k].variance for k in parts)
    fixed += sum(weights[k] * (1 - share[k]) * unseen[k].shared for k in parts) ** 2 * shared
    mixture, by_objective = [], dict.fromkeys(parts, 0.0)
    by_bin = {factor: _recalls(factor, decay) for factor in {factor for _, factor, _ in grid}}
    recalls = {factor: {k: _mean(part, one) for k, part in parts.items()} for factor, one in by_bin.items()}
    for weight, factor, slip in grid:
        mean = variance = 0.0
        for key, part in parts.items():
            recall = recalls[factor][key]
            seen = (1 - slip) * recall + part.chance * (1 - recall)
            score = share[key] * seen + (1 - share[key]) * unseen[key].mean
            by_objective[key] += weight * score
            mean += weights[key] * score
            spread = OBJECTIVE_SPREAD**2 + ITEM_SPREAD**2 / max(1, part.known)
            variance += (weights[key] * share[key] * seen * (1 - seen)) ** 2 * spread
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
        objectives=by_objective,
        unseen={key: one.mean for key, one in unseen.items()},
    )


def _mean(part: Part, by_bin: Sequence[float]) -> float:
    return sum(n * by_bin[number] for number, n in part.seen.items()) / part.known if part.known else 0.0


def quantile(mixture: Sequence[tuple[float, float, float]], share: float) -> float:
    """The quantile, held within 0..1, of a mixture of normals given as (weight, mean, standard deviation)."""
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
    found: Readiness, parts: Mapping[str, Part], weights: Mapping[str, float], decay: float, seconds: float
) -> list[dict[str, Any]]:
    """What would raise the score most, best first: learning what is unseen, reviewing what has faded.

    `seconds` is what one answer takes; a new card is counted with three answers.
    """
    out = []
    for key, weight in weights.items():
        part = parts.get(key)
        if part is None or not part.questions:
            continue
        learned = (1 - found.slip) * LEARNED + part.chance * (1 - LEARNED)
        gain = weight * part.unseen / part.questions * (learned - found.unseen[key])
        out.append(_step(key, "learn", part.unseen, gain, part.unseen * 3 * seconds))
        faded = {b: n for b, n in part.seen.items() if bins.recall(bins.middle(b) / found.factor, decay) < LEARNED}
        lost = sum(n * (0.99 - bins.recall(bins.middle(b) / found.factor, decay)) for b, n in faded.items())
        count = sum(faded.values())
        gain = weight / part.questions * lost * (1 - found.slip - part.chance)
        out.append(_step(key, "review", count, gain, count * seconds))
    return sorted((one for one in out if one["gain"] > 0.0005), key=lambda one: -one["gain"])


def _step(objective: str, what: str, questions: int, gain: float, seconds: float) -> dict[str, Any]:
    return {
        "objective": objective,
        "what": what,
        "questions": questions,
        "gain": gain,
        "minutes": math.ceil(seconds / 60),
    }
