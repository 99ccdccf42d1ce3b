"""What the use cases of mock exams take and give: plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from quizapp.bank.schema import Question
from quizapp.bank.variant import Variant, make_variant
from quizapp.exam.blueprint import Blueprint
from quizapp.exam.sitting import Sitting

INTERVAL = 0.9
"""Confidence of every interval that is shown."""


def short_title(title: str) -> str:
    """What tells papers apart: `NCA-GENL, inference serving`, without the objectives in brackets."""
    return title.partition(" (")[0]


@dataclass(frozen=True)
class Offer:
    """A mock exam that can be sat, or why it cannot."""

    blueprint: Blueprint
    lengths: tuple[int, ...]
    """Numbers of questions to choose from, ascending; empty when no mock is offered."""
    usual: int
    """The length to begin with: the real exam's, where the bank can fill it."""
    pool: int
    """Questions of the bank that may come."""
    unseen: int
    """Of those, never answered."""
    says: tuple[str, ...]
    """What the candidate must know beforehand, one sentence each: coverage, what the vendor does not publish."""
    choice_only: bool = False
    """Whether only choice questions come, with one or several right options."""
    mixed: bool = False
    """Whether the bank has other kinds for this exam, so that there is a choice."""


@dataclass(frozen=True)
class Desk:
    """A sitting with its frozen questions. `number` names it in the store."""

    number: int
    title: str
    blueprint: str
    started_at: datetime
    sitting: Sitting
    questions: Mapping[str, Question]

    def variant(self, index: int) -> Variant:
        """The question at `index` (from 0) exactly as the paper froze it."""
        item = self.sitting.paper.items[index]
        return make_variant(self.questions[item.question_id], item.seed)


@dataclass(frozen=True)
class Finished:
    """A sitting that was handed in. `summary` has the keys of `quizapp exam result --json`."""

    desk: Desk
    summary: Mapping[str, Any]
    changed_since: frozenset[str] = frozenset()
    """Questions whose key the bank has changed, or that have left it, since the paper was made."""


@dataclass(frozen=True)
class Past:
    """One line of the history."""

    number: int
    title: str
    blueprint: str
    started_at: datetime
    right: int
    total: int
    low: float
    high: float
    timed_out: bool

    @property
    def rate(self) -> float:
        return self.right / self.total if self.total else 0.0
