"""Practice: choose how, then what; the questions come in a screen like Study's."""

from __future__ import annotations

from collections.abc import Collection

from textual import on
from textual.app import ComposeResult

from quizapp.study.practice import Choice, Value, Way, values, ways
from quizapp.tui import actions
from quizapp.tui.messages import Reply, StoreFailed
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.screens.practice_run import PracticeScreen
from quizapp.tui.text import Block, line, plain, styled
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.rows import Line, Rows
from quizapp.tui.widgets.top import TopLine


class WaysReady(Reply):
    """value: ways with their counts."""


class ValuesReady(Reply):
    """value: (kind, values)."""


class PracticeRoom(QuizScreen, inherit_bindings=False):
    """Two levels in one list: ways of practising, then the values of one of them."""

    BINDINGS = actions.bindings(["practice"])
    DEFAULT_CSS = """
    PracticeRoom Rows { padding: 0 2 0 1; margin: 1 0; }
    PracticeRoom #bar { background: $panel; padding: 0 3; height: auto; min-height: 1; max-height: 3; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.ways: list[tuple[Way, int]] = []
        self.way: Way | None = None
        """The one whose values are shown."""
        self.values: list[Value] = []
        self._at = 0

    @property
    def places(self) -> Collection[str]:
        return {"practice"}

    def body(self) -> ComposeResult:
        yield TopLine()
        yield Rows(id="list")
        yield Flow(id="bar")

    def arrive(self) -> None:
        """Counts may have changed meanwhile; the level and the mark stay."""
        self.ask_store(WaysReady, ways)
        if self.way is not None:
            self._fetch(self.way.kind)
        self._paint()

    def _fetch(self, kind: str) -> None:
        self.ask_store(ValuesReady, lambda study: (kind, values(study, kind)))

    @on(WaysReady)
    def _ways_ready(self, message: WaysReady) -> None:
        self.ways = message.value
        self._paint()

    @on(ValuesReady)
    def _values_ready(self, message: ValuesReady) -> None:
        kind, found = message.value
        if self.way is not None and self.way.kind == kind:
            self.values = found
            self._paint()
            if not found:
                self._say("There is nothing to choose here: the questions are suspended. Browse brings them back (s).")

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self.query_one("#bar", Flow).show([Block(styled("! ", "bold $wrong") + plain(message.value))])

    # Keys

    def action_move(self, delta: int) -> None:
        self.query_one(Rows).move(delta)

    @on(Rows.Moved)
    def _moved(self) -> None:
        self._paint_bar()

    def action_open(self) -> None:
        at = self.query_one(Rows).cursor
        if self.way is not None:
            if at < len(self.values):
                one = self.values[at]
                self._start(Choice(self.way.kind, one.value, f"{self.way.title.lower()}: {one.title}"))
        elif at < len(self.ways):
            way, count = self.ways[at]
            if way.asks:
                self.way, self.values, self._at = way, [], at
                self._fetch(way.kind)
                self._paint(0)
            elif count:
                self._start(Choice(way.kind, "", way.title.lower()))
            else:
                self._say("There is nothing of this kind now.")

    def _start(self, choice: Choice) -> None:
        self.app.push_screen(PracticeScreen(choice))

    def action_back(self) -> None:
        if self.way is None:
            self.quiz.go_home()
        else:
            self.way = None
            self._paint(self._at)

    # Painting

    def _paint(self, cursor: int | None = None) -> None:
        rows = self.query_one(Rows)
        lines = self._value_lines() if self.way is not None else self._way_lines()
        rows.show(lines, rows.cursor if cursor is None else cursor)
        left = styled("Practice", "bold $right")
        if self.way is not None:
            left += styled(f"  {self.way.title}", "$muted")
        self.query_one(TopLine).show(left, styled(""))
        self._paint_bar()
        self.keys_changed()

    def _way_lines(self) -> list[Line]:
        return [
            Line(
                styled(way.title.ljust(20), "bold" if count else "$muted") + styled(way.words, "$muted"),
                styled("›" if way.asks else f"{count:,}", "$muted"),
            )
            for way, count in self.ways
        ]

    def _value_lines(self) -> list[Line]:
        return [
            Line(
                line(one.title) + (styled("  ") + line(one.words, "$muted") if one.words else ""),
                styled(f"{one.known}  {one.count:>5,}" if one.known else f"{one.count:,}", "$muted"),
            )
            for one in self.values
        ]

    def _paint_bar(self) -> None:
        told = "A card that is not due keeps its interval whatever you answer; a wrong answer brings it back today."
        if self.way is not None and self.way.kind == "explain":
            told = "Read only: key and reasons, nothing is graded or logged."
        if self.way is not None and self.way.kind == "objective":
            told = "Your exam's come first. Right: of those seen, in the last answer. At the end how many there are."
        self._say(told)

    def _say(self, told: str) -> None:
        self.query_one("#bar", Flow).show([Block(styled(told, "$muted"))])
