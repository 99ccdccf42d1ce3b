"""Answering one question: the draft, the keys that change it, and the box for what is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import on
from textual.widgets import Input

from quizapp.bank.errors import Unclear
from quizapp.bank.number import parse_quantity
from quizapp.bank.variant import plain_number
from quizapp.tui.draft import Draft, Entry, Match
from quizapp.tui.screens.marking import MarkingScreen
from quizapp.tui.text import Block, plain, styled
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.sheet import QuestionSheet


def read_words(text: str, unit: str, whole: bool = False) -> str:
    """How a typed number is understood, with its unit. Raises Unclear when it can be read two ways."""
    quantity = parse_quantity(text, unit, whole)
    return quantity.note.removeprefix("read as ") or f"{plain_number(quantity.value)} {unit}".rstrip()


class AskingScreen(MarkingScreen):
    """Subclasses say when a question is asked (`phase` "ask"), what an answer leads to, and how they are painted."""

    def __init__(self) -> None:
        super().__init__()
        self.phase = "loading"
        self.draft: Draft | None = None
        self.blank_asked = False

    def _judge(self, response: Any, confidence: str | None) -> None:
        """Stores an answer; None is "I don't know"."""
        raise NotImplementedError

    def _paint(self) -> None:
        raise NotImplementedError

    @property
    def sheet(self) -> QuestionSheet:
        return self.query_one(QuestionSheet)

    @property
    def asks_confidence(self) -> bool:
        return bool(getattr(self.quiz.settings, "ask_confidence", True))

    # Answering

    def action_choose(self, number: int) -> None:
        self._change(lambda draft: draft.digit(number))

    def action_move(self, delta: int) -> None:
        self._change(lambda draft: draft.move(delta))

    def action_toggle(self) -> None:  # type: ignore[override]  # Textual's own toggles a class
        self._change(lambda draft: draft.toggle())

    def action_shift(self, delta: int) -> None:
        self._change(lambda draft: draft.shift(delta))

    def action_mark(self, row: int) -> None:
        """A click on a left side."""
        if isinstance(self.draft, Match) and self.phase == "ask":
            self.draft.cursor = row
            self._change(lambda draft: None)

    def _change(self, change: Callable[[Draft], None]) -> None:
        if self.draft is not None and self.phase == "ask":
            change(self.draft)
            self.sheet.paint(self.draft)
            self._paint()

    def action_submit(self, confidence: str) -> None:
        if self.draft is None or self.phase != "ask":
            return
        if self.draft.missing and isinstance(self.draft, Entry):
            self.action_edit()  # "type a number" is of no use while letters are keys
        elif self.draft.missing:
            self._warn(self.draft.missing)
        else:
            self._judge(self.draft.response, confidence if self.asks_confidence else None)

    def action_blank(self) -> None:
        self._judge(None, None)

    # The answer box

    @on(Input.Submitted, "#answer")
    def action_read(self) -> None:
        """Reads what the box says; what cannot be read is asked about."""
        draft, text = self.draft, self.sheet.box.value.strip()
        if not isinstance(draft, Entry) or self.phase != "ask":
            return
        if not text:
            if self.blank_asked:
                self.action_blank()
            else:
                self.blank_asked = True
                self.say("Nothing is typed. Press Enter again if you don't know.")
            return
        try:
            draft.words = read_words(text, draft.unit, draft.whole) if draft.numeric else ""
        except Unclear as unclear:
            self._warn(str(unclear))
            self.sheet.box.select_all()
            return
        draft.text = draft.value = text
        if self.asks_confidence:
            self.action_leave_box()
        else:
            self._judge(text, None)

    @on(Input.Changed, "#answer")
    def _typed(self) -> None:
        self.blank_asked = False

    @on(Box.Left, "#answer")
    def action_leave_box(self) -> None:
        self.sheet.box.rest()
        self._paint()

    def action_edit(self) -> None:
        if isinstance(self.draft, Entry):
            self.draft.value = None
            self.sheet.box.open(self.draft.text or self.sheet.box.value, self.sheet.box.placeholder)
            self._paint()

    # Words

    def say(self, words: str) -> None:
        self._bar([Block(plain(words))])

    def _warn(self, words: str) -> None:
        self._bar([Block(styled("! ", "bold $wrong") + plain(words))])

    def _bar(self, blocks: list[Block]) -> None:
        self.query_one("#bar", Flow).show(blocks)
