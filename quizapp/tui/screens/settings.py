"""Settings: every field of the schema on a line; Enter changes the marked one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input

from quizapp.tui import actions
from quizapp.tui.fields import FIELDS, Field, Unreadable
from quizapp.tui.later import later
from quizapp.tui.messages import SettingsReady, StoreFailed
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.text import Block, hanging, line, plain, styled
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.top import TopLine


class SettingsScreen(QuizScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["settings", "box.settings"])
    DEFAULT_CSS = """
    SettingsScreen #fields { height: 1fr; padding: 1 3; max-width: 100; scrollbar-size-vertical: 1; }
    SettingsScreen Box { margin: 0 2; }
    SettingsScreen #bar { height: auto; min-height: 1; max-height: 3; padding: 0 3; background: $panel; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._settings: Any = None
        self._marked = 0
        self._editing = False

    @property
    def places(self) -> Collection[str]:
        return {"box.settings"} if self._editing else {"settings"}

    @property
    def _field(self) -> Field:
        return FIELDS[self._marked]

    def body(self) -> ComposeResult:
        yield TopLine()
        with VerticalScroll(id="fields", can_focus=False):
            yield Flow(id="rows")
        yield Box(id="value")
        yield Flow(id="bar")

    def arrive(self) -> None:
        self.ask_store(SettingsReady, lambda study: study.settings())

    @on(SettingsReady)
    def _ready(self, message: SettingsReady) -> None:
        self._settings = message.value
        self.quiz.use_settings(message.value)
        self._close()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self._bar([Block(styled("! ", "bold $wrong") + plain(message.value))])

    def on_resize(self) -> None:
        self._paint()

    def action_move(self, delta: int) -> None:
        self._marked = min(max(self._marked + delta, 0), len(FIELDS) - 1)
        self._paint()

    def action_pick(self, row: int) -> None:
        """A click on a row."""
        if not self._editing:
            self._marked = row
            self.action_change()

    def action_change(self) -> None:
        if self._settings is None:
            return
        value = getattr(self._settings, self._field.name)
        if self._field.choices:
            self._save(self._field.after(value))
        else:
            self._editing = True
            self.query_one(Box).open(self._field.show(value))
            self._paint()

    @on(Input.Submitted, "#value")
    def action_close_box(self) -> None:
        try:
            value = self._field.read(self.query_one(Box).value)
        except Unreadable as unreadable:
            self._bar([Block(styled("! ", "bold $wrong") + plain(unreadable))])
            self.query_one(Box).select_all()
        else:
            self._save(value)

    def _save(self, value: Any) -> None:
        name = self._field.name
        self.ask_store(SettingsReady, lambda study: study.save_settings(**{name: value}))

    @on(Box.Left, "#value")
    def action_drop_box(self) -> None:
        self._close()

    def _close(self) -> None:
        self._editing = False
        self.query_one(Box).close()
        self._paint()

    def _paint(self) -> None:
        self.query_one(TopLine).show(styled("Settings", "bold $right"), styled("kept in the store", "$muted"))
        rows = self.query_one("#rows", Flow)
        rows.show(self._rows())
        self._bar([Block(styled(self._field.words, "$muted"))])
        self.keys_changed()
        # Two refreshes: the first gives the bar its new height, which is taken from the rows.
        later(self, self.call_after_refresh, rows.keep_in_sight, self._marked)

    def _bar(self, blocks: list[Block]) -> None:
        self.query_one("#bar", Flow).show(blocks)

    def _rows(self) -> list[Block]:
        if self._settings is None:
            return [Block(styled("Opening …", "$muted"))]
        out = []
        for n, field in enumerate(FIELDS):
            here = n == self._marked
            gutter = styled("▸ " if here else "  ", "bold $right") + styled(
                f"{field.title:<20}", "bold" if here else ""
            )
            value = line(field.show(getattr(self._settings, field.name)), "bold $right" if here else "$right")
            body = value if value.plain else styled("none", "$muted")
            out.append(hanging(body, gutter, style="on $panel" if here else "", click=f"screen.pick({n})"))
        return out
