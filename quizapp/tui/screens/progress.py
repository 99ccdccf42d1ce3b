"""Progress: pages that are turned with ← and →, all made of one reading of the store."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.events import Resize

from quizapp.study.practice import Choice
from quizapp.tui import actions
from quizapp.tui.later import later
from quizapp.tui.messages import Reply, StoreFailed
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.screens.progress_drills import DRILLS
from quizapp.tui.screens.progress_pages import PAGES
from quizapp.tui.text import Block, plain, styled
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.top import TopLine

PLAN, BELIEFS = ([name for name, _ in PAGES].index(name) for name in ("Plan", "Beliefs"))
"""Numbers of pages, from 0."""


class ProgressReady(Reply):
    """value: what `quizapp.study.progress.Progress.all` returns."""


class PlanReady(Reply):
    """value: what `quizapp.study.planning.day_plan` returns."""


class ProgressScreen(QuizScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["progress"])
    DEFAULT_CSS = """
    ProgressScreen #page { height: 1fr; padding: 1 3 0 3; scrollbar-size-vertical: 1; }
    ProgressScreen #page Flow { max-width: 110; }
    ProgressScreen.-short #page { padding: 0 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.page = 0
        self.marked = 0
        """Of the rows of this page that can be drilled."""
        self._found: dict[str, Any] | None = None
        self._failure = ""
        self._block = 0
        """In which the marked row begins."""
        self._reader: Any = None

    @property
    def places(self) -> Collection[str]:
        if self._rows:
            return {"progress.rows"}
        return {"progress.page", "progress.plan"} if self.page == PLAN and self._planned else {"progress.page"}

    @property
    def _rows(self) -> list[Choice]:
        """What the rows of this page drill."""
        drills = DRILLS.get(PAGES[self.page][0])
        return drills(self._found) if drills and self._found else []

    @property
    def _planned(self) -> list[str]:
        """Questions of today's plan."""
        plan = (self._found or {}).get("plan")
        return plan["questions"] if plan else []

    def body(self) -> ComposeResult:
        yield TopLine()
        with VerticalScroll(id="page", classes="scrolls", can_focus=False):
            yield Flow(id="words")

    def arrive(self) -> None:
        """The reader is kept; it lives in the store's thread."""
        if self.quiz.page_wanted:
            self.page = [name for name, _ in PAGES].index(self.quiz.page_wanted)
            self.quiz.page_wanted = ""

        def job(study: Any) -> dict[str, Any]:
            from quizapp.study.progress import Progress

            if self._reader is None:
                self._reader = Progress(study)
            found: dict[str, Any] = self._reader.all()
            return found

        self.ask_store(ProgressReady, job)
        self._paint()

    @on(ProgressReady)
    def _ready(self, message: ProgressReady) -> None:
        self._found, self._failure = message.value, ""
        self.marked = min(self.marked, max(0, len(self._rows) - 1))
        self._paint()

        def job(study: Any) -> Any:
            from quizapp.study.planning import day_plan

            return day_plan(study, self._reader)

        self.ask_store(PlanReady, job)

    @on(PlanReady)
    def _plan_ready(self, message: PlanReady) -> None:
        if self._found is not None:
            self._found["plan"] = message.value
            self._paint()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self._failure = message.value
        self._paint()

    @on(Resize)
    def _resized(self) -> None:
        later(self, self._paint)

    # Keys

    def action_turn(self, delta: int) -> None:
        self.page, self.marked = (self.page + delta) % len(PAGES), 0
        self._paint()
        self.query_one("#page").scroll_home(animate=False)

    def action_page(self, number: int) -> None:
        if number <= len(PAGES):
            self.action_turn(number - 1 - self.page)

    def action_move(self, delta: int) -> None:
        """At the first and the last row the page scrolls on: there are words before and after them."""
        if 0 <= self.marked + delta < len(self._rows):
            self.action_mark(self.marked + delta)
        else:
            self.action_scroll_body(delta)

    def action_mark(self, number: int) -> None:
        self.marked = min(max(number, 0), len(self._rows) - 1)
        self._paint()
        later(self, self._reveal)

    def _reveal(self) -> None:
        page, words = self.query_one("#page", VerticalScroll), self.query_one("#words", Flow)
        first, rows = words.row_of(self._block)
        if not page.scroll_y <= first <= page.scroll_y + page.size.height - rows - 1:
            page.scroll_to(y=max(0, first - page.size.height // 2), animate=False)

    def action_drill(self) -> None:
        self._practise(self._rows[self.marked])

    def action_follow(self) -> None:
        """Starts today's plan."""
        self._practise(Choice("ids", ",".join(self._planned), "today's plan"))

    def _practise(self, choice: Choice) -> None:
        from quizapp.tui.screens.practice_run import PracticeScreen

        self.app.push_screen(PracticeScreen(choice))

    # Painting

    def _paint(self) -> None:
        if not self.is_mounted:
            return
        name, page = PAGES[self.page]
        left = styled("Progress", "bold $right") + styled(f"  {name}", "$muted")
        right = styled(f"{self.page + 1} of {len(PAGES)}", "$muted")
        self.query_one(TopLine).show(left, right, (self.page + 1) / len(PAGES))
        words = self.query_one("#words", Flow)
        if self._failure:
            words.show([Block(styled("! ", "bold $wrong") + plain(self._failure))])
        elif self._found is None:
            words.show([Block(styled("Reading the log …", "$muted"))])
        else:
            width = min(110, self.query_one("#page").scrollable_content_region.width or 74)
            blocks = page(self._found, width, self.marked)
            click = f"screen.mark({self.marked})"
            self._block = next((number for number, block in enumerate(blocks) if block.click == click), 0)
            words.show(blocks)
        self.keys_changed()
