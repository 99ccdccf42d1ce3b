"""Sitting an exam: a pure state machine over a JSON-able record. Nothing is revealed before it is submitted."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from quizapp.exam.assemble import Paper
from quizapp.exam.timer import Instant, Timer, advance, start_timer


class Reply(BaseModel):
    """What stands for one question. `response` None is unanswered.

    A change of mind counts when the candidate leaves the question, not while they are still moving the mark: `settled`
    is the answer that stood when they last left it, `first` the one that stood when they left it first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    response: Any = None
    complete: bool = True
    """False while a part is missing: two of three ticks, one pair of four."""
    unread: str = ""
    """What was typed and cannot be read: it is kept, but the question counts as unanswered until it can be read."""
    first: Any = None
    settled: Any = None
    changes: int = 0
    flagged: bool = False
    struck: tuple[str, ...] = ()
    seconds: float = 0.0
    visits: int = 0

    def left(self) -> Reply:
        """The reply when the candidate turns away from the question."""
        if self.first is None:
            if self.response is None or not self.complete:
                return self
            return self.model_copy(update={"first": self.response, "settled": self.response})
        if self.response == self.settled:
            return self
        return self.model_copy(update={"settled": self.response, "changes": self.changes + 1})


class Sitting(BaseModel):
    """One sitting, saved after each action. `at` is the question on screen."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    paper: Paper
    timer: Timer
    replies: tuple[Reply, ...]
    at: int = 0
    away_s: float = 0.0
    """Seconds of the exam's time during which it was not on screen: killed, closed, or left for another room."""
    hide_clock: bool = False
    submitted: bool = False
    timed_out: bool = False

    @property
    def unanswered(self) -> tuple[int, ...]:
        return tuple(i for i, r in enumerate(self.replies) if r.response is None)

    @property
    def incomplete(self) -> tuple[int, ...]:
        return tuple(i for i, r in enumerate(self.replies) if r.response is not None and not r.complete)

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
    timer, passed = _passed(sitting, now)
    current = sitting.replies[sitting.at]
    sitting = _put(sitting, sitting.at, current.model_copy(update={"seconds": current.seconds + passed}))
    return _clocked(sitting, timer)


def resume(sitting: Sitting, now: Instant) -> Sitting:
    """Back on screen after a kill or a visit elsewhere: the time since counts, but on no question."""
    if sitting.submitted:
        return sitting
    timer, passed = _passed(sitting, now)
    return _clocked(sitting.model_copy(update={"away_s": sitting.away_s + passed}), timer)


def answer(
    sitting: Sitting, index: int, response: Any, now: Instant, complete: bool = True, unread: str = ""
) -> Sitting:
    """Store an answer, or take it back with None; then `unread` is what was typed instead and cannot be read.

    Raises SittingOver after the end.
    """
    sitting = _running(sitting, now)
    change = {"response": response, "complete": complete or response is None, "unread": unread}
    return _put(sitting, index, sitting.replies[index].model_copy(update=change))


def go(sitting: Sitting, index: int, now: Instant) -> Sitting:
    """Turn to another question; an index beyond the paper stops at its end."""
    sitting = _running(sitting, now)
    index = max(0, min(index, len(sitting.replies) - 1))
    if index == sitting.at:
        return sitting
    sitting = _put(sitting, sitting.at, sitting.replies[sitting.at].left())
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


def toggle_clock(sitting: Sitting) -> Sitting:
    return sitting.model_copy(update={"hide_clock": not sitting.hide_clock})


def submit(sitting: Sitting, now: Instant) -> Sitting:
    """Hand in. Unanswered questions count as wrong. Handing in twice changes nothing."""
    sitting = tick(sitting, now)
    return sitting if sitting.submitted else _handed_in(sitting)


def _passed(sitting: Sitting, now: Instant) -> tuple[Timer, float]:
    """The clock at `now`, and how many of the exam's seconds have gone since it was last read."""
    before = min(sitting.timer.spent_s, sitting.timer.limit_s)
    timer = advance(sitting.timer, now)
    return timer, min(timer.spent_s, timer.limit_s) - before


def _clocked(sitting: Sitting, timer: Timer) -> Sitting:
    sitting = sitting.model_copy(update={"timer": timer})
    return _handed_in(sitting).model_copy(update={"timed_out": True}) if timer.over else sitting


def _handed_in(sitting: Sitting) -> Sitting:
    sitting = _put(sitting, sitting.at, sitting.replies[sitting.at].left())
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
