"""Scoring a sitting by its frozen paper: totals, breakdowns with intervals, changed answers, misconceptions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from quizapp.bank.errors import Unclear
from quizapp.bank.grade import Grade, grade
from quizapp.bank.schema import Question
from quizapp.bank.variant import make_variant
from quizapp.exam.sitting import Sitting


@dataclass(frozen=True)
class Share:
    """`right` of `total`, with a Wilson interval of the given confidence."""

    right: int
    total: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        return self.right / self.total if self.total else 0.0


@dataclass(frozen=True)
class ItemResult:
    """One question's outcome. `grade` is None for an answer that cannot be read (it counts as wrong)."""

    index: int
    question_id: str
    objective: str
    style: str
    grade: Grade | None
    correct: bool
    answered: bool
    flagged: bool
    changed: str
    """`""`, `to right`, `to wrong`, `wrong to wrong`."""
    seconds: float


@dataclass(frozen=True)
class Result:
    """A scored sitting. The denominator is the paper as it was sat, whatever the bank says today."""

    total: Share
    items: tuple[ItemResult, ...]
    by_objective: dict[str, Share]
    by_domain: dict[str, Share]
    by_style: dict[str, Share]
    misconceptions: dict[str, int]
    unanswered: int
    seconds: float


def wilson(right: int, total: int, z: float = 1.645) -> Share:
    """Wilson score interval (z 1.645: 90 %). Source: E. B. Wilson, JASA 22 (1927)."""
    if total == 0:
        return Share(0, 0, 0.0, 1.0)
    p = right / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    return Share(right, total, min(max(0.0, middle - half), p), max(min(1.0, middle + half), p))


def differ(one: tuple[int, int], other: tuple[int, int], z: float = 1.645) -> bool:
    """Whether two results (right, total) differ by more than chance: the pooled two-proportion z test, two-sided
    (z 1.645: 90 %)."""
    (a, m), (b, n) = one, other
    if not m or not n:
        return False
    pooled = (a + b) / (m + n)
    error = math.sqrt(pooled * (1 - pooled) * (1 / m + 1 / n))
    return error > 0 and abs(a / m - b / n) / error > z


def score(sitting: Sitting, questions: Mapping[str, Question], domain_of: Callable[[str], str]) -> Result:
    """Judge every answer by the questions as they were frozen. Blank is wrong here, and counted as unanswered.

    Raises KeyError when `questions` lacks one of the paper.
    """
    items = tuple(_judge(sitting, questions, i) for i in range(len(sitting.replies)))

    def shares(key: Callable[[ItemResult], str]) -> dict[str, Share]:
        groups: dict[str, list[ItemResult]] = {}
        for item in items:
            groups.setdefault(key(item), []).append(item)
        return {name: wilson(sum(i.correct for i in group), len(group)) for name, group in sorted(groups.items())}

    beliefs: dict[str, int] = {}
    for item in items:
        for belief in item.grade.misconceptions if item.grade and item.answered else ():
            beliefs[belief] = beliefs.get(belief, 0) + 1
    return Result(
        total=wilson(sum(i.correct for i in items), len(items)),
        items=items,
        by_objective=shares(lambda i: i.objective),
        by_domain=shares(lambda i: domain_of(i.objective)),
        by_style=shares(lambda i: i.style),
        misconceptions=dict(sorted(beliefs.items(), key=lambda pair: (-pair[1], pair[0]))),
        unanswered=sum(not i.answered for i in items),
        seconds=sum(i.seconds for i in items),
    )


def _judge(sitting: Sitting, questions: Mapping[str, Question], index: int) -> ItemResult:
    item, reply = sitting.paper.items[index], sitting.replies[index]
    question = questions[item.question_id]
    variant = make_variant(question, item.seed)

    def judged(response: object) -> Grade | None:
        try:
            return grade(variant, response)  # type: ignore[arg-type]
        except (Unclear, ValueError):
            return None

    verdict = judged(reply.response)
    correct = verdict is not None and verdict.correct
    changed = ""
    if reply.changes:
        before = judged(reply.first)
        was = before is not None and before.correct
        changed = ("to right" if correct else "wrong to wrong") if not was else ("" if correct else "to wrong")
    return ItemResult(
        index, item.question_id, item.objective, question.style, verdict, correct,
        reply.response is not None, reply.flagged, changed, reply.seconds,
    )  # fmt: skip
