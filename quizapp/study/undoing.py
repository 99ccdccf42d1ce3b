"""Undo as the learner means it: the last thing done in this window, be it an answer, a suspension or a bury.

These take a question out of sight. A flag or a note is changed back where it is seen.

The journal is kept in memory. When it has run out, the newest answer of the store is taken back, across restarts.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal, NamedTuple

from quizapp.store.database import Database, Record
from quizapp.store.errors import Conflict
from quizapp.study import answering, marking
from quizapp.study.moment import Moment

REMEMBERED = 1000


@dataclass
class Given:
    """An answer, or a decision about a changed key. A rating chosen afterwards gives it another review."""

    review_id: int


class Mark(NamedTuple):
    """A suspension or a bury; `before` is what its columns held."""

    question_id: str
    what: Literal["suspend", "bury"]
    before: dict[str, object]

    @property
    def words(self) -> str:
        """What taking it back means."""
        if self.what == "suspend":
            return "It is suspended again." if self.before["suspended"] else "The suspension is taken back."
        return "It is put off again." if self.before["buried_on"] else "It is no longer put off until tomorrow."


class Journal:
    """What was done in this window, the newest last."""

    def __init__(self) -> None:
        self._steps: deque[Given | Mark] = deque(maxlen=REMEMBERED)

    def answered(self, review_id: int) -> None:
        self._steps.append(Given(review_id))

    def rerated(self, old: int, new: int) -> None:
        for step in self._steps:
            if isinstance(step, Given) and step.review_id == old:
                step.review_id = new

    def marked(self, question_id: str, what: Literal["suspend", "bury"], before: dict[str, object]) -> None:
        self._steps.append(Mark(question_id, what, before))

    def undo(self, database: Database, moment: Moment) -> Record | Mark | None:
        """Takes the newest step back: the review or the mark that it was. None: there is nothing to take back.

        Raises Conflict for an answer whose card has moved on elsewhere; the next undo passes it over.
        """
        while self._steps:
            step = self._steps[-1]
            if isinstance(step, Mark):
                marking.mark(database, moment, step.question_id, step.what, step.before)
                self._steps.pop()
                return step
            try:
                review = answering.undo_answer(database, moment, step.review_id)
            except Conflict:
                self._steps.pop()
                raise
            self._steps.pop()
            if review is not None:
                return review
        return answering.undo_last(database, moment)
