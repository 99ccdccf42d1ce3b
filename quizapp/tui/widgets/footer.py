"""A footer of one line that never runs off the screen: whole hints only, the needed ones first."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.events import Click
from textual.style import Style
from textual.widget import Widget

from quizapp.tui.actions import Hint
from quizapp.tui.text import styled

BETWEEN = "   "
MORE = "scroll_body(1)"


def fit(hints: Sequence[Hint], width: int) -> list[Hint]:
    """The hints that fit into `width` cells, in the order given: first those that are always shown, then by need."""
    chosen: set[int] = set()
    used = -len(BETWEEN)
    for at, hint in sorted(enumerate(hints), key=lambda pair: not pair[1].always):
        cells = len(BETWEEN) + Content(f"{hint.key} {hint.words}").cell_length
        if used + cells <= width:
            chosen.add(at)
            used += cells
    return [hint for at, hint in enumerate(hints) if at in chosen]


class FooterLine(Widget):
    DEFAULT_CSS = """
    FooterLine {
        height: 1; width: 1fr; padding: 0 3; text-wrap: nowrap; text-overflow: clip;
        color: $muted; background: $surface;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._hints: tuple[Hint, ...] = ()
        self.more = False
        """Whether there is something below: "more" is offered only then."""

    def show(self, hints: Sequence[Hint]) -> None:
        if tuple(hints) != self._hints:
            self._hints = tuple(hints)
            self.refresh()

    def see(self, more: bool) -> None:
        if more != self.more:
            self.more = more
            self.refresh()

    async def on_click(self, event: Click) -> None:
        if call := event.style.meta.get("act"):
            event.stop()
            await self.app.run_action(call)

    def render(self) -> Content:
        parts = []
        for key, words, call, _ in fit([one for one in self._hints if self.more or one.call != MORE], self.size.width):
            meta = Style.from_meta({"act": call if "." in call.partition("(")[0] else f"screen.{call}"})
            parts.append((styled(key, "bold $text") + styled(f" {words}")).stylize(meta))
        return Content(BETWEEN).join(parts)
