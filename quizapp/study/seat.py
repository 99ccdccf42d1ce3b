"""A candidate's seat for front ends that work line by line: each action is stored before the next line is read."""

from __future__ import annotations

from collections.abc import Callable

from quizapp.bank.response import Response
from quizapp.bank.variant import Variant
from quizapp.exam import sitting as room
from quizapp.exam.sitting import Reply, Sitting, SittingOver
from quizapp.exam.timer import Instant
from quizapp.study.exam_values import Desk, Finished
from quizapp.study.exams import Exams


class Seat:
    """Once `finished` is set the exam is handed in and no action does anything any more."""

    def __init__(self, exams: Exams, desk: Desk) -> None:
        self._exams = exams
        self.desk = desk
        self.sitting: Sitting = desk.sitting
        self.finished: Finished | None = None

    @property
    def at(self) -> int:
        """The question that is asked, from 0."""
        return self.sitting.at

    @property
    def count(self) -> int:
        return len(self.sitting.replies)

    @property
    def asks(self) -> str:
        """What is known of the kinds of question in the real exam; empty when the bank says nothing."""
        return self._exams.asks(self.desk.blueprint)

    @property
    def reply(self) -> Reply:
        return self.sitting.replies[self.at]

    @property
    def variant(self) -> Variant:
        return self.desk.variant(self.at)

    def look(self) -> float:
        """Brings the clock up to date; returns the seconds left. At the deadline the exam is handed in."""
        self._do(room.tick)
        return self.sitting.timer.left_s

    def answer(self, response: Response, complete: bool = True) -> None:
        """None takes the answer back."""
        self._do(lambda sitting, now: room.answer(sitting, self.at, response, now, complete))

    def go(self, index: int) -> None:
        self._do(lambda sitting, now: room.go(sitting, index, now))

    def flag(self) -> None:
        self._do(lambda sitting, now: room.toggle_flag(sitting, self.at, now))

    def strike(self, option: str) -> None:
        self._do(lambda sitting, now: room.toggle_strike(sitting, self.at, option, now))

    def hand_in(self) -> Finished:
        if self.finished is None:
            self.finished = self._exams.submit(self.desk, self.sitting)
            self.sitting = self.finished.desk.sitting
        return self.finished

    def _do(self, change: Callable[[Sitting, Instant], Sitting]) -> None:
        """Changes and stores. Raises StoreError when it cannot be stored; the sitting is then as it was."""
        if self.finished is not None:
            return
        now = self._exams.now()
        try:
            changed = change(self.sitting, now)
        except SittingOver:
            changed = room.tick(self.sitting, now)
        if changed.submitted:
            self.sitting = changed
            self.hand_in()
        else:
            self._exams.save(self.desk, changed)
            self.sitting = changed
