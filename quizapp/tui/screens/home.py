"""Home: how the day stands, what to do next, and the rooms."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from quizapp import __version__
from quizapp.tui import actions
from quizapp.tui.later import later
from quizapp.tui.messages import HomeReady, StoreFailed
from quizapp.tui.modes import MODES
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.text import GAP, Block, hanging, line, plain, styled
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.tiles import Tile, Tiles
from quizapp.tui.widgets.top import TopLine

NARROW = 70
"""Columns below which the streak gives way to what is in learning."""
HEAD_ROWS = 13
"""Rows that Home needs beside its list of rooms."""

UNKNOWN = (Tile("–", "due"), Tile("–", "new today"), Tile("–", "day streak"))


class HomeScreen(QuizScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["home"])
    DEFAULT_CSS = """
    HomeScreen #home { width: 1fr; max-width: 100; height: 1fr; padding: 1 3; scrollbar-size-vertical: 1; }
    HomeScreen #next { margin: 1 0; }
    HomeScreen.-short #home { padding: 0 2; }
    HomeScreen.-short #next { margin: 0 0 1 0; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._view: Any = None
        self._failure = ""
        self._marked = 0

    @property
    def places(self) -> Collection[str]:
        if self._failure:
            return {"home", "home.failed"}
        return {"home", "home.exam"} if self._view is not None and (self._view.exam_days or 0) > 0 else {"home"}

    def body(self) -> ComposeResult:
        yield TopLine()
        with VerticalScroll(id="home", classes="scrolls", can_focus=False):
            yield Tiles(UNKNOWN)
            yield Flow([Block(styled("Opening your cards …", "$muted"))], id="next")
            yield Flow(id="rooms")

    def on_mount(self) -> None:
        super().on_mount()
        self._paint()

    def on_resize(self) -> None:
        self._paint()
        self._keep_in_sight()

    def refresh_view(self) -> None:
        """Asks for the counts again."""
        self.ask_store(HomeReady, lambda study: study.home())

    @on(HomeReady)
    def _ready(self, message: HomeReady) -> None:
        self._view, self._failure = message.value, ""
        self._paint()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self._failure = message.value
        self._paint()

    # Keys

    def action_move(self, delta: int) -> None:
        self._marked = (self._marked + delta) % len(MODES)
        self._paint()
        self._keep_in_sight()

    def action_open(self) -> None:
        self.action_open_mode(MODES[self._marked].id)

    def action_open_mode(self, mode: str) -> None:
        if self._failure:
            return
        self._marked = next(n for n, one in enumerate(MODES) if one.id == mode)
        self._paint()
        self._go(mode, None)

    def _go(self, mode: str, minutes: int | None) -> None:
        if mode == "study":
            from quizapp.tui.sitting import Plan

            self.quiz.plan = Plan(minutes)
        self.quiz.go(mode)

    def action_timed(self) -> None:
        if self.quiz.settings is not None and not self._failure:
            self._go("study", self.quiz.settings.minutes_a_day)

    def action_plan(self) -> None:
        self.quiz.open_progress("Plan")

    def action_retry(self) -> None:
        self._failure = ""
        self._paint()
        self.quiz.open_store()

    def _keep_in_sight(self) -> None:
        block = self._marked * (2 if self._roomy else 1)
        later(self, self.query_one("#rooms", Flow).keep_in_sight, block)

    # Painting: everything in place

    def _paint(self) -> None:
        view = self._view
        right = Content("")
        share = None
        if view is not None:
            today, goal = view.minutes_today, getattr(self.quiz.settings, "minutes_a_day", None)
            right = styled(_today(today, goal), "$muted")
            share = today / goal if goal else None
        self.query_one(TopLine).show(
            styled("quizapp", "bold $right") + styled(f"  {__version__}", "$muted"), right, share
        )
        self.query_one(Tiles).show(_tiles(view, self.size.width < NARROW))
        self.query_one("#next", Flow).show(self._next())
        self.query_one("#rooms", Flow).show(self._rooms())
        self.keys_changed()

    def _next(self) -> list[Block]:
        if self._failure:
            return [
                Block(styled("! The store could not be opened", "bold $wrong")),
                Block(plain(self._failure)),
                Block(styled("Press r to try again.", "$muted")),
            ]
        if self._view is None:
            return [Block(styled("Opening your cards …", "$muted"))]
        words = [Block(line(self._view.headline, "bold"))]
        if exam := self._exam():
            words.append(Block(styled(exam, "bold $wrong")))
        more = _asides(self._view)
        return [*words, Block(styled(more, "$muted"))] if more else words

    def _exam(self) -> str:
        """On the exam's day and after it; before, a tile counts the days."""
        date = getattr(self.quiz.settings, "exam_date", None)
        if date is None or self._view.exam_days is None or self._view.exam_days > 0:
            return ""
        if self._view.exam_days == 0:
            return "The exam is today."
        return f"The exam was on {date:%d %b}: set the next date in Settings (t)."

    @property
    def _roomy(self) -> bool:
        return self.size.height >= 2 * len(MODES) + HEAD_ROWS

    def _rooms(self) -> list[Block]:
        width = max(len(mode.title) for mode in MODES) + 3
        out: list[Block] = []
        for n, mode in enumerate(MODES):
            here = n == self._marked
            gutter = styled("▸ " if here else "  ", "bold $right") + styled(mode.key, "bold $right") + "   "
            words = styled(mode.title.ljust(width), "bold") + styled(mode.words, "$muted")
            out.append(
                hanging(words, gutter, style="on $panel" if here else "", click=f"screen.open_mode('{mode.id}')")
            )
            if self._roomy:
                out.append(GAP)
        return out


def _tiles(view: Any, narrow: bool) -> list[Tile]:
    """What waits to be asked now stands first and is never a nought while there is something."""
    if view is None:
        return list(UNKNOWN)
    out = [Tile(str(view.due), "due", "$right" if view.due else "$muted")]
    if view.learning:
        out.insert(len(out) if view.due else 0, Tile(str(view.learning), "learning now", "$right"))
    out.append(Tile(str(view.new), "new today", "$text" if view.new else "$muted"))
    if not (narrow and view.learning):
        out.append(Tile(str(view.streak_days), "day streak", "$text" if view.streak_days else "$muted"))
    if view.exam_days is not None and view.exam_days > 0:
        out.append(Tile(str(view.exam_days), "day to exam" if view.exam_days == 1 else "days to exam", "$wrong"))
    return out


def _today(minutes: float, goal: int | None) -> str:
    done = f"{minutes:.0f}"
    return f"today {done} of {goal} min" if goal else f"today {done} min"


def _asides(view: Any) -> str:
    parts = [
        (view.reviews_today, "answered today"),
        (view.flagged, "flagged"),
        (view.suspended, "suspended"),
        (view.buried, "wait for tomorrow (put off or sibling)"),
    ]
    return " · ".join(f"{count:,} {words}" for count, words in parts if count)
