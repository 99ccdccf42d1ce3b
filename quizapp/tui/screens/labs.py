"""The labs: what each proves, how long it takes, how it stands. Nothing is locked; what helps before is named."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll

from quizapp.tui import actions
from quizapp.tui.messages import Reply, StoreFailed
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.text import GAP, Block, hanging, line, plain, styled
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.rows import Line, Rows
from quizapp.tui.widgets.top import TopLine

ORIGIN = (
    "The lessons are the two texts on batching that the Claims page checks. Numbers follow the catalogue: those "
    "that are missing between are planned."
)


class LabsReady(Reply):
    """value: list of LabLine."""


class LabsScreen(QuizScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["labs"])
    DEFAULT_CSS = """
    LabsScreen #panes { height: 1fr; layout: vertical; }
    LabsScreen #list { padding: 0 2 0 1; height: 12; }
    LabsScreen #preview { height: 1fr; border-top: solid $line; padding: 0 3; scrollbar-size-vertical: 1; }
    LabsScreen.-wide #panes { layout: horizontal; }
    LabsScreen.-wide #list { height: 1fr; width: 3fr; }
    LabsScreen.-wide #preview { height: 1fr; width: 2fr; border-top: none; border-left: solid $line; padding: 0 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._labs: list[Any] = []
        self._failure = ""

    @property
    def places(self) -> Collection[str]:
        return {"labs"}

    def body(self) -> ComposeResult:
        yield TopLine()
        with Container(id="panes"):
            yield Rows(id="list")
            with VerticalScroll(id="preview", classes="scrolls", can_focus=False):
                yield Flow(id="about")

    def arrive(self) -> None:
        def job(study: Any) -> Any:
            from quizapp.study.labs import Labs

            return Labs(study).lab_list()

        self.ask_store(LabsReady, job)

    @on(LabsReady)
    def _ready(self, message: LabsReady) -> None:
        self._labs, self._failure = message.value, ""
        rows = self.query_one(Rows)
        rows.show([_line(lab) for lab in self._labs], rows.cursor)
        self._paint()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self._failure = message.value
        self._paint()

    def action_move(self, delta: int) -> None:
        self.query_one(Rows).move(delta)

    def action_open(self) -> None:
        at = self.query_one(Rows).cursor
        if at < len(self._labs):
            self.quiz.open_lab(self._labs[at].id, "labs")

    @on(Rows.Moved)
    def _paint(self) -> None:
        done = sum(lab.passed_at is not None for lab in self._labs)
        right = styled(f"{done} of {len(self._labs)} passed", "$muted") if self._labs else styled("")
        share = done / len(self._labs) if self._labs else None
        self.query_one(TopLine).show(styled("Labs", "bold $right"), right, share)
        self.query_one("#about", Flow).show(self._about())
        self.keys_changed()

    def _about(self) -> list[Block]:
        if self._failure:
            return [Block(styled("! ", "bold $wrong") + plain(self._failure))]
        at = self.query_one(Rows).cursor
        if at >= len(self._labs):
            return [Block(styled("Opening the labs …", "$muted"))]
        lab = self._labs[at]
        out = [Block(line(lab.claim, "bold")), GAP]
        claims = f"{len(lab.claims)} claims of the lessons" if len(lab.claims) > 1 else "a claim of the lessons"
        out.append(Block(styled(f"tests {claims} · {lab.family} · about {lab.minutes} minutes", "$muted")))
        if lab.path:
            titles = {one.id: one.title for one in self._labs}
            names = ", ".join(f"{name[:2]} {titles.get(name, '')}" for name in lab.path)
            out.append(hanging(line(names, "$muted"), styled("easier after  ", "$muted")))
        if lab.passed_at is not None and lab.state != "passed":
            out.append(Block(styled("passed before; begun again", "$muted")))
        return [*out, GAP, Block(styled(ORIGIN, "$muted"))]


def _line(lab: Any) -> Line:
    mark = "✓ " if lab.passed_at is not None else "· " if lab.state == "new" else "▪ "
    left = styled(mark, "bold $right" if lab.passed_at is not None else "$muted")
    left += styled(f"{lab.id[:2]}  ", "$muted") + line(lab.title)
    right = styled(lab.state_words, "$right" if lab.state == "passed" else "$muted")
    return Line(left, right + styled(f"  {lab.minutes:>3} min", "$muted"))
