"""Sitting an exam: a pure state machine over a JSON-able record. Nothing is revealed before it is submitted."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from quizapp.exam.assemble import Paper
from quizapp.exam.timer import Instant, Timer, advance, start_timer


class Reply(BaseModel):
    """What stands for one question. `response` None is unanswered."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    response: Any = None
    first: Any = None
    """The first answer given, so that changes can be judged."""
    changes: int = 0
    flagged: bool = False
    struck: tuple[str, ...] = ()
    seconds: float = 0.0
    visits: int = 0


class Sitting(BaseModel):
    """One sitting, saved after each action. `at` is the question on screen."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    paper: Paper
    timer: Timer
    replies: tuple[Reply, ...]
    at: int = 0
    hide_clock: bool = False
    submitted: bool = False
    timed_out: bool = False
    origin: str = Field(default="exam")

    @property
    def unanswered(self) -> tuple[int, ...]:
        return tuple(i for i, r in enumerate(self.replies) if r.response is None)

    @property
    def flagged(self) -> tuple[int, ...]:
        return tuple(i for i, r in enumerate(self.replies) if r.flagged)


class SittingOver(Exception):
    """The sitting was submitted or its time is over; nothing may change."""


def sit(paper: Paper, now: Instant) -> Sitting:
    first = Reply(visits=1)
    rest = tuple(Reply() for _ in paper.items[1:])
    return Sitting(paper=paper, timer=start_timer(paper.minutes, now), replies=(first, *rest))


def tick(sitting: Sitting, now: Instant) -> Sitting:
    """Time passes: it is booked on the question on screen; at the deadline the sitting submits itself."""
    if sitting.submitted:
        return sitting
    before = min(sitting.timer.spent_s, sitting.timer.limit_s)
    timer = advance(sitting.timer, now)
    passed = min(timer.spent_s, timer.limit_s) - before
    current = sitting.replies[sitting.at]
    sitting = _put(sitting, sitting.at, current.model_copy(update={"seconds": current.seconds + passed}))
    return sitting.model_copy(update={"timer": timer, "submitted": timer.over, "timed_out": timer.over})


def answer(sitting: Sitting, index: int, response: Any, now: Instant) -> Sitting:
    """Store an answer, or take it back with None. Raises SittingOver after the end."""
    sitting = _running(sitting, now)
    old = sitting.replies[index]
    if response == old.response:
        return sitting
    change: dict[str, Any] = {"response": response}
    if old.first is None:
        change["first"] = response
    else:
        change["changes"] = old.changes + 1
    return _put(sitting, index, old.model_copy(update=change))


def go(sitting: Sitting, index: int, now: Instant) -> Sitting:
    sitting = _running(sitting, now)
    index = max(0, min(index, len(sitting.replies) - 1))
    if index == sitting.at:
        return sitting
    there = sitting.replies[index]
    sitting = sitting.model_copy(update={"at": index})
    return _put(sitting, index, there.model_copy(update={"visits": there.visits + 1}))


def toggle_flag(sitting: Sitting, index: int, now: Instant) -> Sitting:
    sitting = _running(sitting, now)
    old = sitting.replies[index]
    return _put(sitting, index, old.model_copy(update={"flagged": not old.flagged}))


def toggle_strike(sitting: Sitting, index: int, option: str, now: Instant) -> Sitting:
    """Strike an option out, or take the strike back; an answer that names it is left alone."""
    sitting = _running(sitting, now)
    old = sitting.replies[index]
    struck = tuple(o for o in old.struck if o != option) if option in old.struck else (*old.struck, option)
    return _put(sitting, index, old.model_copy(update={"struck": struck}))


def submit(sitting: Sitting, now: Instant) -> Sitting:
    """Hand in. Unanswered questions count as wrong. Handing in twice changes nothing."""
    sitting = tick(sitting, now)
    return sitting.model_copy(update={"submitted": True})


def _running(sitting: Sitting, now: Instant) -> Sitting:
    sitting = tick(sitting, now)
    if sitting.submitted:
        raise SittingOver("the time is over; the answers given so far were handed in")
    return sitting


def _put(sitting: Sitting, index: int, reply: Reply) -> Sitting:
    replies = list(sitting.replies)
    replies[index] = reply
    return sitting.model_copy(update={"replies": tuple(replies)})
