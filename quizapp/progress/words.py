"""Sentences that the pages of Progress, `quizapp progress` and the page to share have in common. Plain text."""

from __future__ import annotations

from datetime import date
from typing import Any

from quizapp.progress.readiness import TARGET_ANSWERS
from quizapp.text import percent


def due_words(ahead: dict[str, Any]) -> str:
    """`5 due (3 of them from days before), 10 in learning`, of the forecast.

    Due are reviews whose day has come. What is in learning comes back within a day and is told apart, everywhere.
    """
    before, due = ahead["backlog"], ahead["backlog"] + ahead["days"][0]["due"] - ahead["learning"]
    told = f"{due:,} due" + (f" ({before:,} of them from days before)" if before else "")
    return f"{told}, {ahead['learning']:,} in learning" if ahead["learning"] else told


def exam_words(exam: dict[str, Any] | None) -> str:
    """Where there is no exam ahead to plan for; empty where there is one. `exam` is the document's key."""
    if exam is None:
        return "No exam ahead."
    if exam["days"] > 0:
        return ""
    if exam["days"] == 0:
        return "The exam is today."
    return f"The exam was on {date.fromisoformat(exam['date']):%d %b %Y}."


def when_words(exam: dict[str, Any] | None) -> str:
    """What `low` to `high` of readiness are the marks of."""
    on_the_day = exam is not None and exam["days"] == 0
    return "of the marks today, the day of the exam" if on_the_day else "of the marks if the exam were today"


TIME_WORDS = "Running out of time is not in it: every question counts as answered."


def target_words(ready: dict[str, Any]) -> str:
    """The chance of the learner's own line; empty without one."""
    target, questions = ready["target"], ready["one_exam"]["questions"]
    if target is None:
        return ""
    if target["chance"] is None:
        return f"Your target of {percent(target['share'])}: its chance is told from {TARGET_ANSWERS} first answers on."
    cases = _chance(target["chance"])
    return f"Your target of {percent(target['share'])}: one exam of {questions} questions reaches it in {cases}."


def _chance(chance: float) -> str:
    """`63 of 100 cases`; nothing is told as impossible or as certain."""
    if chance < 0.005:
        return "fewer than 1 of 100 cases"
    return "more than 99 of 100 cases" if chance >= 0.995 else f"{chance * 100:.0f} of 100 cases"


def flatter_words(evidence: dict[str, Any]) -> str:
    """Where what was answered is easier than what is left; empty where the means do not differ by a tenth."""
    answered, unseen = evidence["difficulty"]["answered"], evidence["difficulty"]["unseen"]
    if answered is None or unseen is None or round(answered, 1) >= round(unseen, 1):
        return ""
    return (
        f"First answers may flatter: the questions answered so far are easier (difficulty {answered:.1f} of 5) "
        f"than those never seen ({unseen:.1f})."
    )


def limit_words(plan: dict[str, Any]) -> str:
    """Where the plan of a day asks for more new questions than the setting leaves; empty where it keeps to it."""
    if plan["new"] <= plan["new_left"]:
        return ""
    return (
        f"{plan['new']:,} new are more than the {plan['new_left']:,} that 'New a day' leaves for today: "
        "the plan goes by the exam's date and your minutes. Study keeps to the limit."
    )
