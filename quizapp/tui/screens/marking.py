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
    """A question and the learner's note to it; None while that is not known here."""

    id: str
    note: str | None


class Marked(Reply):
    """value: (question id, what changed, words)."""


class MarkingScreen(QuizScreen):
    """Subclasses say which question is meant, what its text is, and what to do when a mark has been stored."""

    note_open = False
    _note_for = ""
    _note_known = True

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
        def job(study: Any, name: str) -> tuple[dict[str, Any], str]:
            on_now = not study.card_info(name).flagged
            study.flag(name, on_now)
            return {"flagged": on_now}, "Flagged as doubtful: Browse lists it." if on_now else "The flag is off."

        self.mark(job)

    def action_suspend(self) -> None:
        def job(study: Any, name: str) -> tuple[dict[str, Any], str]:
            on_now = not study.card_info(name).suspended
            study.suspend(name, on_now)
            words = "Suspended: it is not asked until you press s on it in Browse." if on_now else "It is asked again."
            return {"suspended": on_now}, words

        self.mark(job, puts_away=True)

    def action_bury(self) -> None:
        def job(study: Any, name: str) -> tuple[dict[str, Any], str]:
            study.bury(name)
            return {"buried": True}, "Put off until tomorrow."

        self.mark(job, puts_away=True)

    def mark(
        self, job: Callable[[Any, str], tuple[dict[str, Any], str]], name: str = "", puts_away: bool = False
    ) -> None:
        """Changes a mark of the question that is meant now, or of `name`, as it stands in the store by then.

        `puts_away`: the question may be gone afterwards.
        """
        marks = self.marks()
        chosen = name or (marks.id if marks else "")
        if chosen:
            self.ask_store(Marked, lambda study: (chosen, *job(study, chosen)))

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
            self._note_for, self._note_known = marks.id, marks.note is not None
            self.note_box.open(marks.note or "", "a note to this question, for yourself", adds=True)
            self.keys_changed()

    def note_read(self, question_id: str, note: str) -> None:
        """The note has come from the store; what was typed meanwhile goes on behind it."""
        if self.note_open and not self._note_known and question_id == self._note_for:
            self._note_known = True
            self.note_box.value = f"{note} {self.note_box.value}".strip()
            self.note_box.action_end()

    @on(Input.Submitted, "#note")
    def action_keep_note(self) -> None:
        chosen, known, text = self._note_for, self._note_known, self.note_box.value.strip()
        self.action_drop_box()

        def job(study: Any, name: str) -> tuple[dict[str, Any], str]:
            note = text if known else f"{study.card_info(name).note} {text}".strip()
            study.note(name, note)
            return {"note": note}, "The note is kept." if note else "The note is removed."

        self.mark(job, chosen)

    @on(Box.Left, "#note")
    def action_drop_box(self) -> None:
        self.note_open = False
        self.note_box.close()
        self.keys_changed()
