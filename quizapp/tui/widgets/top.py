"""The first line of a screen: where we are on the left, how it stands on the right, a meter below."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from quizapp.tui.text import styled


class TopLine(Widget):
    """`share` (0..1) draws a meter under the words; None leaves a plain rule."""

    DEFAULT_CSS = """
    TopLine { height: 2; width: 1fr; padding: 0 3; text-wrap: nowrap; text-overflow: clip; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._state: tuple[Content, Content, float | None] = (Content(""), Content(""), None)

    def show(self, left: Content, right: Content, share: float | None = None) -> None:
        was_left, was_right, was_share = self._state
        if not (left.is_same(was_left) and right.is_same(was_right) and share == was_share):
            self._state = (left, right, share)
            self.refresh()

    def render(self) -> Content:
        left, right, share = self._state
        width = self.size.width
        right = right.truncate(width, ellipsis=True)
        left = left.truncate(max(0, width - right.cell_length - 2), ellipsis=True)
        space = " " * max(0, width - left.cell_length - right.cell_length)
        return Content("\n").join([left + space + right, meter(share, width)])


def meter(share: float | None, width: int) -> Content:
    """A line of `width` cells, its first `share` heavy."""
    full = round(min(max(share or 0.0, 0.0), 1.0) * width)
    return styled("━" * full, "$right") + styled("─" * (width - full), "$line")
