"""What an answer given outside of Study may do to a card's memory: the rule of `docs/exam-rule.md`.

An exam shows nothing until it is handed in and practice takes cards ahead of their day, so neither may lengthen an
interval beyond what a due review would, and no question that went unanswered may cost a card its stability.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from quizapp.memory.state import CardState

Feed = Literal["nothing", "log", "review"]
RUSHED_S = 5.0
"""An exam answer given in less time than this is a guess against the clock: it never counts as a review."""
ORIGINS = ("exam", "practice")


def of_exam(before: CardState, day: int, answered: bool, seconds: float) -> Feed:
    """An exam's answer is a review only of a card that is due on `day`; it never introduces a new card."""
    if not answered:
        return "nothing"
    due = before.state == "review" and before.due_day is not None and before.due_day <= day
    return "review" if due and seconds >= RUSHED_S else "log"


def of_practice(before: CardState, day: int, until: int) -> Feed:
    """Practice shows the reasons at once, so it may introduce a new card; a card that is not due is only logged.

    `until` is the instant (UTC milliseconds) up to which cards in learning may be asked.
    """
    if before.state == "new":
        return "review"
    if before.state == "review":
        return "review" if before.due_day is not None and before.due_day <= day else "log"
    return "review" if before.due_at is not None and before.due_at <= until else "log"


def logged(before: CardState, day: int, correct: bool) -> CardState:
    """The state after an answer that is only logged: a wrong one makes the card due today, nothing else changes."""
    if not correct and before.state == "review" and before.due_day is not None and before.due_day > day:
        return replace(before, due_day=day)
    return before
