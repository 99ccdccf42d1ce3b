"""Flag, suspend, bury, note and copy: the keys that Study and Browse share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from textual import on
from textual.widgets import Input

from quizapp.tui.messages import Reply
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.widgets.box import Box


class Marks(NamedTuple):
    """What the learner has said of a question."""

    id: str
    flagged: bool
    suspended: bool
    note: str


class Marked(Reply):
    """value: (question id, what changed, words)."""


class MarkingScreen(QuizScreen):
    """Subclasses say which question is meant, what its text is, and what to do when a mark has been stored."""

    note_open = False

    def marks(self) -> Marks | None:
        raise NotImplementedError

    def copy_text(self) -> str:
        raise NotImplementedError

    def marked(self, question_id: str, changes: dict[str, Any]) -> None:
        """A mark is in the store now."""
        raise NotImplementedError

    def say(self, words: str) -> None:
        raise NotImplementedError

    def action_flag(self) -> None:
        if marks := self.marks():
            on_now = not marks.flagged
            words = "Flagged as doubtful: Browse lists it." if on_now else "The flag is off."
            self._store_mark(marks.id, {"flagged": on_now}, words, lambda study: study.flag(marks.id, on_now))

    def action_suspend(self) -> None:
        if marks := self.marks():
            on_now = not marks.suspended
            words = "Suspended: it is not asked until you press s on it in Browse." if on_now else "It is asked again."
            self._store_mark(marks.id, {"suspended": on_now}, words, lambda study: study.suspend(marks.id, on_now))

    def action_bury(self) -> None:
        if marks := self.marks():
            self._store_mark(marks.id, {"buried": True}, "Put off until tomorrow.", lambda study: study.bury(marks.id))

    def _store_mark(self, question_id: str, changes: dict[str, Any], words: str, job: Callable[[Any], Any]) -> None:
        def run(study: Any) -> tuple[str, dict[str, Any], str]:
            job(study)
            return question_id, changes, words

        self.ask_store(Marked, run)

    @on(Marked)
    def _marked(self, message: Marked) -> None:
        question_id, changes, words = message.value
        self.marked(question_id, changes)
        self.say(words)

    def action_copy(self) -> None:
        if self.marks():
            self.app.copy_to_clipboard(self.copy_text())
            self.say("Copied, if this terminal lets programs copy (OSC 52).")

    # The note box

    @property
    def note_box(self) -> Box:
        return self.query_one("#note", Box)

    def action_note(self) -> None:
        if marks := self.marks():
            self.note_open = True
            self.note_box.open(marks.note, "a note to this question, for yourself", adds=True)
            self.keys_changed()

    @on(Input.Submitted, "#note")
    def action_keep_note(self) -> None:
        marks, text = self.marks(), self.note_box.value.strip()
        self.action_drop_box()
        if marks:
            words = "The note is kept." if text else "The note is removed."
            self._store_mark(marks.id, {"note": text}, words, lambda study: study.note(marks.id, text))

    @on(Box.Left, "#note")
    def action_drop_box(self) -> None:
        self.note_open = False
        self.note_box.close()
        self.keys_changed()
