"""The claims of the lessons: what you believed, what you predicted, what was measured, and whether the claim holds."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll

from quizapp.tui import actions
from quizapp.tui.lab_form import shown
from quizapp.tui.lab_words import VERDICTS
from quizapp.tui.messages import Reply, StoreFailed
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.text import GAP, Block, hanging, inline, line, plain, styled
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.rows import Line, Rows
from quizapp.tui.widgets.top import TopLine

FILTERS: dict[str, Callable[[Any], bool]] = {
    "all": lambda view: True,
    "does not hold": lambda view: view.claim.verdict == "does-not-hold",
    "answered": lambda view: bool(view.believed or predicted(view)),
    "proved": lambda view: view.proved,
}
ORIGIN = (
    "From two lessons on LLM batching: a long one on the three schemes with a worked scenario of eight requests, and a "
    "short one on continuous batching. Each figure is computed anew."
)
TALL = 24
"""Rows from which on the origin stands above the list; on a smaller screen it comes last."""
MARKS = {"holds": "✓", "rounded": "≈", "holds-when": "?", "does-not-hold": "✗"}


def predicted(view: Any) -> bool:
    """Whether anything was said in a lab on it; opening one says nothing yet."""
    return any(lab.rows for lab in view.measured)


class ClaimsReady(Reply):
    """value: list of ClaimView."""


class ExactReady(Reply):
    """value: (claim id, the recomputed value)."""


class ClaimsScreen(QuizScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["claims"])
    DEFAULT_CSS = """
    ClaimsScreen #origin { height: auto; padding: 0 3; margin: 0 0 1 0; }
    ClaimsScreen #panes { height: 1fr; layout: vertical; }
    ClaimsScreen #list { padding: 0 2 0 1; height: 1fr; }
    ClaimsScreen #preview { height: 1fr; border-top: solid $line; padding: 0 3; scrollbar-size-vertical: 1; }
    ClaimsScreen.-wide #panes { layout: horizontal; }
    ClaimsScreen.-wide #list { width: 3fr; }
    ClaimsScreen.-wide #preview { width: 2fr; border-top: none; border-left: solid $line; padding: 0 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._all: list[Any] = []
        self._views: list[Any] = []
        self._filter = "all"
        self._exact: dict[str, float] = {}
        self._failure = ""

    @property
    def places(self) -> Collection[str]:
        return {"claims"}

    def body(self) -> ComposeResult:
        yield TopLine()
        yield Flow(id="origin")
        with Container(id="panes"):
            yield Rows(id="list")
            with VerticalScroll(id="preview", classes="scrolls", can_focus=False):
                yield Flow(id="about")

    def arrive(self) -> None:
        def job(study: Any) -> Any:
            from quizapp.study.labs import Labs

            return Labs(study).claims_view()

        self.ask_store(ClaimsReady, job)

    @on(ClaimsReady)
    def _ready(self, message: ClaimsReady) -> None:
        self._all, self._failure = message.value, ""
        self._narrow()

    def _narrow(self) -> None:
        chosen = self._current.claim.id if self._current else None
        self._views = [view for view in self._all if FILTERS[self._filter](view)]
        at = next((n for n, view in enumerate(self._views) if view.claim.id == chosen), 0)
        self.query_one(Rows).show([_line(view) for view in self._views], at)
        self._look()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self._failure = message.value
        self._paint()

    @property
    def _current(self) -> Any:
        at = self.query_one(Rows).cursor
        return self._views[at] if at < len(self._views) else None

    def action_move(self, delta: int) -> None:
        self.query_one(Rows).move(delta)

    def action_filter(self) -> None:
        names = list(FILTERS)
        self._filter = names[(names.index(self._filter) + 1) % len(names)]
        self._narrow()

    def action_open(self) -> None:
        if self._current is not None and self._current.claim.labs:
            self.quiz.open_lab(self._current.claim.labs[0], "claims")

    @on(Rows.Moved)
    def _look(self) -> None:
        """Recomputes the marked claim's value, in the store's thread: some run the engine."""
        view = self._current
        if view is not None and view.claim.id not in self._exact:
            claim = view.claim
            self.ask_store(ExactReady, lambda study: (claim.id, claim.exact.value()))
        self._paint()
        self.query_one("#preview").scroll_home(animate=False)

    @on(ExactReady)
    def _computed(self, message: ExactReady) -> None:
        name, value = message.value
        self._exact[name] = value
        self._paint()

    # Painting

    def _paint(self) -> None:
        left = styled("Claims", "bold $right") + styled(f"  {self._filter}", "$muted")
        proved = sum(view.proved for view in self._all)
        right = styled(f"{len(self._views)} of {len(self._all)} · {proved} proved", "$muted")
        self.query_one(TopLine).show(left, right, proved / len(self._all) if self._all else None)
        origin = self.query_one("#origin", Flow)
        origin.display = self._tall
        origin.show([Block(styled(ORIGIN, "$muted"))])
        self.query_one("#about", Flow).show(self._about())
        self.keys_changed()

    @property
    def _tall(self) -> bool:
        return self.size.height >= TALL

    def _about(self) -> list[Block]:
        if self._failure:
            return [Block(styled("! ", "bold $wrong") + plain(self._failure))]
        view = self._current
        if view is None:
            return [Block(styled("No claim fits. Press v for another filter.", "$muted"))]
        claim = view.claim
        exact = self._exact.get(claim.id)
        found = "computing …" if exact is None else f"{exact:,.6g} {claim.unit}"
        out = [
            Block(inline(claim.statement, "bold")),
            GAP,
            hanging(line(f"{claim.stated:,.6g} {claim.unit}"), styled("stated     ", "$muted")),
            hanging(line(found, "bold"), styled("exact      ", "$muted")),
            hanging(_verdict(claim) + styled(" ") + inline(claim.note), styled("verdict    ", "$muted")),
        ]
        out += _believed(view) + _measured(view)
        if claim.labs:
            out.append(hanging(line(", ".join(claim.labs)), styled("labs       ", "$muted")))
        out.append(hanging(line(claim.source, "$muted"), styled("lesson     ", "$muted")))
        return out if self._tall else [*out, GAP, Block(styled(ORIGIN, "$muted"))]


def _verdict(claim: Any) -> Any:
    good = claim.verdict in ("holds", "rounded")
    return styled(f"{MARKS[claim.verdict]} {VERDICTS[claim.verdict]}.", "bold $right" if good else "bold $wrong")


def _believed(view: Any) -> list[Block]:
    out = []
    for one in view.believed:
        mark = "✓ right" if one.correct else "✗ wrong"
        words = styled(mark, "$right" if one.correct else "$wrong")
        words += styled(f", {one.confidence}" if one.confidence else "", "$muted")
        out.append(hanging(words + styled("  ") + line(one.question_id, "$muted"), styled("believed   ", "$muted")))
    if not out and view.questions:
        none = f"{len(view.questions)} question{'s' if len(view.questions) > 1 else ''} on it, none answered yet"
        out.append(hanging(styled(none, "$muted"), styled("believed   ", "$muted")))
    return out


def _measured(view: Any) -> list[Block]:
    out = []
    for lab in view.measured:
        for row in lab.rows:
            said = line(shown(row.said.value, row.ask)) + styled(f" ({row.said.confidence} % sure)", "$muted")
            if row.was is not None:
                said += styled(" · measured ", "$muted") + line(shown(row.was, row.ask), "bold $right")
            out.append(hanging(inline(row.ask.ask, "$muted"), styled(f"{lab.lab[:2]} asked   ", "$muted")))
            out.append(hanging(said, styled("predicted  ", "$muted")))
    return out


def _line(view: Any) -> Line:
    good = view.claim.verdict in ("holds", "rounded")
    mark = styled(f"{MARKS[view.claim.verdict]} ", "bold $right" if good else "bold $wrong")
    words = "proved" if view.proved else "predicted" if predicted(view) else "answered" if view.believed else ""
    return Line(mark + inline(view.claim.statement), styled(words, "$right" if view.proved else "$muted"))
