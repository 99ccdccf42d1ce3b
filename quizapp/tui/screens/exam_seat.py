"""A running exam's screen below its keys: time passes, changes are stored, the end comes. No widgets here.

Every change is made on the sitting at once and stored in the store's thread; while something is on its way to the disk
the top line says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import on

from quizapp.exam import sitting as room
from quizapp.exam.sitting import Sitting, SittingOver
from quizapp.exam.timer import Instant
from quizapp.store.errors import Conflict
from quizapp.study.exam_values import Desk
from quizapp.tui.later import later
from quizapp.tui.messages import Reply, StoreFailed
from quizapp.tui.screens import exam_words as words
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.screens.exam_result import Looked, ResultScreen, looked_at

SAVE_EVERY_S = 5.0
WARN_S = (1800, 300)
LAST_S = 2
"""In these last seconds what stands in the answer box is stored without being asked."""


class Saved(Reply):
    """value: None; the sitting is on the disk."""


class HandedIn(Reply):
    """value: Looked."""


class SeatScreen(QuizScreen):
    """`page` is ask, grid, hand, leave, over (being handed in) or stuck (that failed).

    `exams` works in the store's thread only.
    """

    def __init__(self, exams: Any, desk: Desk) -> None:
        super().__init__()
        self.exams = exams
        self.desk = desk
        self.sitting: Sitting = desk.sitting
        self.page = "ask"
        self.unsaved = 0
        self.problem = ""
        self._looked: Looked | None = None
        self._saved_at: Instant = desk.sitting.timer.last

    # What a screen with keys and widgets adds

    def ask(self) -> None:
        """Shows the question that the sitting is at."""
        raise NotImplementedError

    def paint(self) -> None:
        raise NotImplementedError

    def paint_top(self) -> None:
        raise NotImplementedError

    def keep_typed(self, whatever: bool = False) -> bool:
        """Stores what stands in the answer box; `whatever`: what cannot be read, too."""
        raise NotImplementedError

    def on_mount(self) -> None:
        super().on_mount()
        later(self, self._begin)  # not before: keys are set up for a mounted screen only
        self.set_interval(1.0, self.tick)

    def _begin(self) -> None:
        """Fresh, or back after a while: the time since it was last on screen counts, but on no question."""
        self.sitting = room.resume(self.sitting, self.exams.now())
        if self.sitting.submitted:
            self.hand_in()
        else:
            self.ask()

    # Time

    def tick(self) -> None:
        """Paints the clock; saves every few seconds; hands in at the deadline."""
        if self.page in ("over", "stuck") or not self.is_attached:
            return
        now = self.exams.now()
        before = self.sitting.timer.left_s
        if before <= LAST_S:
            self.keep_typed(whatever=True)
        self.sitting = room.tick(self.sitting, now)
        if self.sitting.submitted:
            self.hand_in()
            return
        self._warn_of_time(before)
        if abs(now.boot_s - self._saved_at.boot_s) >= SAVE_EVERY_S or now.boot_id != self._saved_at.boot_id:
            self.save()
        self.paint_top()

    def _warn_of_time(self, before: float) -> None:
        for limit in WARN_S:
            if self.sitting.timer.left_s <= limit < before:
                self.quiz.tell(f"{words.clock(self.sitting.timer.left_s)} left in this exam.", bad=True)
                break

    def change(self, change: Callable[[Sitting, Instant], Sitting]) -> bool:
        """Makes a change and sends it to the disk; False when the time was over."""
        now = self.exams.now()
        try:
            self.sitting = change(self.sitting, now)
        except SittingOver:
            self.sitting = room.tick(self.sitting, now)
            self.hand_in()
            return False
        self.save()
        return True

    def save(self) -> None:
        self.unsaved += 1
        self._saved_at = self.sitting.timer.last
        desk, sitting = self.desk, self.sitting
        self.ask_store(Saved, lambda _study: self.exams.save(desk, sitting))

    @on(Saved)
    def _is_saved(self) -> None:
        self.unsaved = max(0, self.unsaved - 1)
        self.problem = ""
        self.paint_top()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self.unsaved = max(0, self.unsaved - 1)
        self.problem = message.value
        if self.page == "over":
            self.page = "stuck"
        self.paint()

    def hand_in(self) -> None:
        """Handed in, by the candidate or by the clock."""
        self.page = "over"
        self.paint()
        desk, sitting, exams = self.desk, self.sitting, self.exams

        def job(study: Any) -> Looked:
            try:
                return looked_at(study, exams.submit(desk, sitting))
            except Conflict:
                if desk.number not in [past.number for past in exams.history()]:
                    raise
                # another window has handed it in: its result is the result
                return looked_at(study, exams.result(desk.number))

        self.ask_store(HandedIn, job)

    @on(HandedIn)
    def _handed_in(self, message: HandedIn) -> None:
        self._looked = message.value
        if self.sitting.timed_out:
            self.quiz.tell("The time is over. What you had answered was handed in.", bad=True)
        self._show_result()

    def arrive(self) -> None:
        self._show_result()

    def _show_result(self) -> None:
        """At once, or when help or the palette above has been closed."""
        if self._looked is not None and self.app.screen is self:
            self.app.switch_screen(ResultScreen(self._looked))
