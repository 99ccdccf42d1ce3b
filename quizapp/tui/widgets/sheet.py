"""The sheet a question is written on. The same few widgets serve every question, in place."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from quizapp.bank.variant import Variant
from quizapp.tui import sheets
from quizapp.tui.draft import Draft, Entry
from quizapp.tui.later import later
from quizapp.tui.text import Block
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.flow import Flow


class QuestionSheet(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Stem, options or box, and after the answer the verdict. Holds no rules: its screen says what to show."""

    DEFAULT_CSS = """
    QuestionSheet { height: 1fr; padding: 1 2 0 3; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    QuestionSheet Flow { max-width: 96; }
    QuestionSheet #options { margin-top: 1; }
    QuestionSheet Box { max-width: 48; margin-top: 1; }
    QuestionSheet #verdict { margin-top: 1; display: none; }
    .-short QuestionSheet { padding: 0 2; }
    """

    def compose(self) -> ComposeResult:
        yield Flow(id="stem")
        yield Flow(id="options")
        yield Box(id="answer")
        yield Flow(id="verdict")

    @property
    def box(self) -> Box:
        return self.query_one(Box)

    def ask(self, variant: Variant, draft: Draft) -> None:
        """Shows a question to be answered."""
        self.query_one("#stem", Flow).show(sheets.stem(variant))
        self._show_verdict(())
        self.paint(draft)
        if isinstance(draft, Entry):
            self.box.open(
                draft.text, f"{sheets.kind_words(variant.question)}{f' in {draft.unit}' if draft.unit else ''}"
            )
        else:
            self.box.close()
        self.scroll_home(animate=False)

    def paint(self, draft: Draft) -> None:
        """Shows the draft as it is now, its marked row in sight."""
        options = self.query_one("#options", Flow)
        rows = sheets.options(draft)
        options.display = bool(rows)
        options.show(rows)
        if draft.cursor is not None and rows:
            later(self, self._reveal_row, draft.cursor * (2 if len(rows) > len(draft.rows()) else 1))

    def _reveal_row(self, block: int) -> None:
        options = self.query_one("#options", Flow)
        first, rows = options.row_of(block)
        top = options.virtual_region.y + first
        if top < self.scroll_y or top + rows > self.scroll_y + self.size.height:
            self.scroll_to(y=max(0, top + rows - self.size.height + 1), animate=False)

    def reveal(self, variant: Variant, verdict: Sequence[Block]) -> None:
        """Shows a question with its verdict, which is brought into sight."""
        self.query_one("#stem", Flow).show(sheets.stem(variant))
        self.query_one("#options", Flow).display = False
        self.box.close()
        self._show_verdict(verdict)
        self.scroll_home(animate=False)
        later(self, self._reveal_verdict)

    def say(self, blocks: Sequence[Block]) -> None:
        """Shows words instead of a question: loading, done."""
        self.query_one("#stem", Flow).show(blocks)
        self.query_one("#options", Flow).display = False
        self.box.close()
        self._show_verdict(())
        self.scroll_home(animate=False)

    def _show_verdict(self, blocks: Sequence[Block]) -> None:
        verdict = self.query_one("#verdict", Flow)
        verdict.display = bool(blocks)
        verdict.show(blocks)

    def _reveal_verdict(self) -> None:
        top = self.query_one("#verdict", Flow).virtual_region.y
        if top + 6 > self.size.height:
            self.scroll_to(y=max(0, top - 1), animate=False)
