"""What can be drilled from the pages of Progress: one choice of Practice for each row that can be marked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quizapp.study.practice import Choice

STEPS_SHOWN = 4


def _of_readiness(found: dict[str, Any]) -> list[Choice]:
    ready = found["readiness"]
    kinds = {"learn": "new", "review": "faded"}
    steps = [
        Choice(kinds[step["what"]], step["objective"], f"{kinds[step['what']]}: {step['objective']} {step['title']}")
        for step in ready["raise"][:STEPS_SHOWN]
    ]
    return steps + [_objective(row) for row in ready["objectives"]]


def _of_mastery(found: dict[str, Any]) -> list[Choice]:
    told = found["mastery"]
    topics = [Choice("topic", row["id"], f"by topic: {row['title']}") for row in told["topics"]]
    return [_objective(row) for row in told["objectives"]] + topics


def _objective(row: dict[str, Any]) -> Choice:
    return Choice("objective", row["id"], f"by objective: {row['id']} {row['title']}")


def _of_beliefs(found: dict[str, Any]) -> list[Choice]:
    return [Choice("pair", row["id"], row["name"]) for row in found["misconceptions"]]


DRILLS: dict[str, Callable[[dict[str, Any]], list[Choice]]] = {
    "Readiness": _of_readiness,
    "Mastery": _of_mastery,
    "Beliefs": _of_beliefs,
}
"""By the name of a page: the choices of its rows, in their order."""
