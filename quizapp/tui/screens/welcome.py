"""The first run: four questions about the learner's day, each answered by a guess that Enter keeps."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input

from quizapp.tui import actions
from quizapp.tui.fields import WELCOME, Unreadable
from quizapp.tui.messages import SettingsReady, StoreFailed
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.text import GAP, Block, hanging, line, plain, styled
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.top import TopLine


class WelcomeScreen(QuizScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["welcome"])
    DEFAULT_CSS = """
    WelcomeScreen #welcome { height: 1fr; padding: 1 3; max-width: 100; }
    WelcomeScreen Box { max-width: 48; margin-top: 1; }
    WelcomeScreen #words { margin-top: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []
        self._at = 0
        self._problem = ""

    @property
    def places(self) -> Collection[str]:
        return {"welcome"}

    def body(self) -> ComposeResult:
        yield TopLine()
        with VerticalScroll(id="welcome", can_focus=False):
            yield Flow(
                [
                    Block(styled("Welcome.", "bold")),
                    Block(
                        styled(
                            "Four questions about your days. Enter keeps what stands there; Settings changes it later."
                        )
                    ),
                ]
            )
            yield Flow(id="steps", classes="scrolls")
            yield Box(id="value")
            yield Flow(id="words")

    def arrive(self) -> None:
        settings = self.quiz.settings
        if settings is not None and not self._texts:
            self._texts = [field.show(getattr(settings, field.name)) for field in WELCOME]
            self._step(0)

    def _step(self, at: int) -> None:
        self._at = at
        self.query_one(Box).open(self._texts[at], "nothing")
        self._paint()

    @on(Input.Submitted, "#value")
    def action_forward(self) -> None:
        self._texts[self._at] = self.query_one(Box).value
        try:
            WELCOME[self._at].read(self._texts[self._at])
        except Unreadable as unreadable:
            self._problem = str(unreadable)
            self.query_one(Box).select_all()
            self._paint()
            return
        self._problem = ""
        if self._at + 1 < len(WELCOME):
            self._step(self._at + 1)
        else:
            self._finish()

    def action_backward(self) -> None:
        if self._at:
            self._texts[self._at] = self.query_one(Box).value
            self._step(self._at - 1)

    def action_skip(self) -> None:
        """Keeps every guess from here on."""
        settings = self.quiz.settings
        self._texts[self._at :] = [field.show(getattr(settings, field.name)) for field in WELCOME[self._at :]]
        self._finish()

    def _finish(self) -> None:
        values: dict[str, Any] = {
            field.name: field.read(text) for field, text in zip(WELCOME, self._texts, strict=True)
        }
        self.ask_store(SettingsReady, lambda study: study.save_settings(**values, first_run_done=True))

    @on(SettingsReady)
    def _saved(self, message: SettingsReady) -> None:
        self.quiz.use_settings(message.value)
        self.quiz.go_home()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self._problem = message.value
        wrong = next((n for n, field in enumerate(WELCOME) if field.name in message.value.casefold()), 0)
        self._step(wrong)

    def _paint(self) -> None:
        self.query_one(TopLine).show(
            styled("quizapp", "bold $right"), styled("first run", "$muted"), self._at / len(WELCOME)
        )
        rows = []
        for n, (field, text) in enumerate(zip(WELCOME, self._texts, strict=True)):
            mark = "▸ " if n == self._at else "✓ " if n < self._at else "  "
            gutter = styled(mark, "bold $right") + styled(f"{field.title:<20}", "bold" if n == self._at else "")
            rows.append(hanging(line(text, "$right") if text.strip() else styled("none", "$muted"), gutter))
        self.query_one("#steps", Flow).show([GAP, *rows])
        problem = [Block(styled("! ", "bold $wrong") + plain(self._problem))] if self._problem else []
        self.query_one("#words", Flow).show([*problem, Block(styled(WELCOME[self._at].words, "$muted"))])
        self.keys_changed()
