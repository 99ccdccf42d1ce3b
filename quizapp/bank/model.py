"""A loaded bank: questions by id and the tables that they refer to."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from quizapp.bank.errors import BankError
from quizapp.bank.schema import (
    Match,
    Misconception,
    Multiple,
    Numeric,
    Objective,
    Order,
    Question,
    Short,
    Single,
    Source,
)


@dataclass
class Bank:
    """Every question here is whole, and every id it names is in `sources`, `misconceptions`, `objectives`, `lessons`.

    `topic`, `file` and `line` are by question id; `exams` holds each blueprint as written, by its id.
    """

    questions: dict[str, Question] = field(default_factory=dict)
    topic: dict[str, str] = field(default_factory=dict)
    file: dict[str, str] = field(default_factory=dict)
    line: dict[str, int] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    misconceptions: dict[str, Misconception] = field(default_factory=dict)
    objectives: dict[str, Objective] = field(default_factory=dict)
    lessons: dict[str, str] = field(default_factory=dict)
    exams: dict[str, dict[str, Any]] = field(default_factory=dict)
    borrowed: set[str] = field(default_factory=set)
    """Sources and misconceptions that another bank lent: not its own to use up."""
    errors: list[BankError] = field(default_factory=list)

    def content_hash(self, question_id: str) -> str:
        """Changes with any field of the question. Raises KeyError for an unknown id."""
        return content_hash(self.questions[question_id])

    def key_hash(self, question_id: str) -> str:
        """Changes only with what decides right and wrong. Raises KeyError for an unknown id."""
        return key_hash(self.questions[question_id])


def content_hash(question: Question) -> str:
    return _digest(question.model_dump(mode="json"))


def key_hash(question: Question) -> str:
    """Hash of the key: correct option ids; formula, parameters and tolerance; the order; the pairs; accepted texts."""
    return _digest([question.kind, _key(question)])


def _key(question: Question) -> Any:
    match question:
        case Single() | Multiple():
            return sorted((o.id, o.correct) for o in question.options)
        case Numeric():
            decisive = {"params", "answer", "unit", "tolerance_rel", "tolerance_abs", "decimals"}
            return question.model_dump(mode="json", include=decisive)
        case Order():
            return [item.id for item in question.items]
        case Match():
            return [sorted(p.id for p in question.pairs), sorted(d.id for d in question.extra)]
        case Short():
            return [sorted(question.accept), question.exact]


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
