"""The first run: which exam, and the learner's day; each is answered by a guess that Enter keeps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input

from quizapp.study.exam_values import short_title
from quizapp.tui import actions
from quizapp.tui.fields import WELCOME, Field, Unreadable
from quizapp.tui.messages import Reply, SettingsReady, StoreFailed
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.text import GAP, Block, hanging, line, plain, styled
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.top import TopLine


class ExamsReady(Reply):
    """value: titles of the bank's exams that have a mock, by id."""


def exam_titles(study: Any) -> dict[str, str]:
    from quizapp.study.progress import Progress

    return {name: short_title(blueprint.title) for name, blueprint in Progress(study).offered.items()}


def exam_step(titles: Mapping[str, str]) -> Field:
    """The setting `exam` as a choice among the exams there are."""
    words = "What readiness and today's plan are about. Space shows the next one."
    return Field("exam", "Exam", words, show=lambda name: titles.get(name, name), choices=tuple(titles))


class WelcomeScreen(QuizScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["welcome"])
    DEFAULT_CSS = """
    WelcomeScreen #welcome { height: 1fr; padding: 1 3; max-width: 100; }
    WelcomeScreen Box { max-width: 48; margin-top: 1; }
    WelcomeScreen #words { margin-top: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._steps: tuple[Field, ...] = ()
        self._texts: list[str] = []
        """What stands at each step: as it was typed, or the choice itself."""
        self._at = 0
        self._problem = ""

    @property
    def places(self) -> Collection[str]:
        return {"welcome", "welcome.choice"} if self._steps and self._field.choices else {"welcome"}

    @property
    def _field(self) -> Field:
        return self._steps[self._at]

    def body(self) -> ComposeResult:
        yield TopLine()
        with VerticalScroll(id="welcome", can_focus=False):
            yield Flow(
                [
                    Block(styled("Welcome.", "bold")),
                    Block(
                        styled(
                            "A few questions about your exam and your days. Enter keeps what stands there; "
                            "Settings changes it later."
                        )
                    ),
                ]
            )
            yield Flow(id="steps", classes="scrolls")
            yield Box(id="value")
            yield Flow(id="words")

    def arrive(self) -> None:
        if self.quiz.settings is not None and not self._steps:
            self.ask_store(ExamsReady, exam_titles)

    @on(ExamsReady)
    def _exams_ready(self, message: ExamsReady) -> None:
        self._begin(message.value)

    def _begin(self, titles: Mapping[str, str]) -> None:
        """Which exam is asked only where there is a choice."""
        self._steps = (exam_step(titles), *WELCOME) if len(titles) > 1 else WELCOME
        self._texts = [self._guess(field) for field in self._steps]
        self._step(0)

    def _guess(self, field: Field) -> str:
        value = getattr(self.quiz.settings, field.name)
        if field.choices:
            return str(value if value in field.choices else field.choices[0])
        return field.show(value)

    def _step(self, at: int) -> None:
        self._at = at
        if self._field.choices:
            self.query_one(Box).close()
        else:
            self.query_one(Box).open(self._texts[at], "nothing")
        self._paint()

    def _keep(self) -> None:
        """What the box says stands at this step."""
        if not self._field.choices:
            self._texts[self._at] = self.query_one(Box).value

    def action_change(self) -> None:
        self._texts[self._at] = self._field.after(self._texts[self._at])
        self._paint()

    @on(Input.Submitted, "#value")
    def action_forward(self) -> None:
        if not self._steps:
            return
        self._keep()
        try:
            self._field.read(self._texts[self._at])
        except Unreadable as unreadable:
            self._problem = str(unreadable)
            self.query_one(Box).select_all()
            self._paint()
            return
        self._problem = ""
        if self._at + 1 < len(self._steps):
            self._step(self._at + 1)
        else:
            self._finish()

    def action_backward(self) -> None:
        if self._at:
            self._keep()
            self._step(self._at - 1)

    def action_skip(self) -> None:
        """Keeps every guess from here on."""
        self._texts[self._at :] = [self._guess(field) for field in self._steps[self._at :]]
        self._finish()

    def _finish(self) -> None:
        values: dict[str, Any] = {
            field.name: field.read(text) for field, text in zip(self._steps, self._texts, strict=True)
        }
        self.ask_store(SettingsReady, lambda study: study.save_settings(**values, first_run_done=True))

    @on(SettingsReady)
    def _saved(self, message: SettingsReady) -> None:
        self.quiz.use_settings(message.value)
        self.quiz.go_home()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        if not self._steps:
            self._begin({})
        self._problem = message.value
        wrong = next((n for n, field in enumerate(self._steps) if field.name in message.value.casefold()), 0)
        self._step(wrong)

    def _paint(self) -> None:
        self.query_one(TopLine).show(
            styled("quizapp", "bold $right"), styled("first run", "$muted"), self._at / len(self._steps)
        )
        rows = []
        for n, (field, text) in enumerate(zip(self._steps, self._texts, strict=True)):
            mark = "▸ " if n == self._at else "✓ " if n < self._at else "  "
            gutter = styled(mark, "bold $right") + styled(f"{field.title:<20}", "bold" if n == self._at else "")
            shown = line(field.show(text) if field.choices else text, "$right")
            rows.append(hanging(shown if shown.plain else styled("none", "$muted"), gutter))
        self.query_one("#steps", Flow).show([GAP, *rows])
        problem = [Block(styled("! ", "bold $wrong") + plain(self._problem))] if self._problem else []
        self.query_one("#words", Flow).show([*problem, Block(styled(self._field.words, "$muted"))])
        self.keys_changed()
