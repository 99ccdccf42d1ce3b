"""The keys of the screen one came from, straight from the action table."""

from __future__ import annotations

from collections.abc import Collection

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from quizapp.tui import actions
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.text import GAP, Block, hanging, styled
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.top import TopLine

KEYS_WIDTH = 22


class HelpScreen(QuizScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["help"])
    DEFAULT_CSS = """
    HelpScreen #help { height: 1fr; max-width: 100; padding: 0 3; }
    """

    def __init__(self, came_from: Collection[str]) -> None:
        super().__init__()
        self._came_from = frozenset(came_from)
        self._box = any("box" in place or place == "welcome" for place in came_from)
        """Whether a box has the keys: letters are text there."""

    @property
    def places(self) -> Collection[str]:
        return {"help"}

    def body(self) -> ComposeResult:
        yield TopLine()
        with VerticalScroll(id="help", classes="scrolls", can_focus=False):
            yield Flow(self._lines())

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(TopLine).show(styled("Keys", "bold $right"), styled("q closes this", "$muted"))

    def action_back(self) -> None:
        self.dismiss()

    def _lines(self) -> list[Block]:
        out: list[Block] = []
        for group, members in actions.by_group().items():
            mine = [a for a in members if a.active(self._came_from)]
            if not mine:
                continue
            out += [GAP, Block(styled(group, "bold $right"))]
            for action in mine:
                keys = actions.key_words(action, self.quiz.own_keys, self._box)
                out.append(hanging(styled(action.words), styled(f"  {keys:<{KEYS_WIDTH}}", "bold")))
        out += [
            GAP,
            Block(styled("Hold Shift while dragging to select text with the mouse in most terminals.", "$muted")),
        ]
        return out
