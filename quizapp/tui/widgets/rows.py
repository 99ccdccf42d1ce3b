"""A list of one-line rows, drawn line by line: 100,000 questions cost no more than the twenty in sight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from textual.content import Content
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from quizapp.tui.text import styled


class Line(NamedTuple):
    """`left` is cut where room ends, `right` stays whole."""

    left: Content
    right: Content


class Lines(Sequence[Line]):
    """A line for each of `items`, made when it comes in sight."""

    def __init__(self, items: Sequence[Any], draw: Callable[[Any], Line]) -> None:
        self._items = items
        self._draw = draw

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, at: int) -> Line:  # type: ignore[override]  # no slices
        return self._draw(self._items[at])


class Rows(ScrollView, can_focus=False, inherit_bindings=False):
    """Holds the cursor; its screen moves it. Posts `Moved` when the cursor comes to stand on another row."""

    DEFAULT_CSS = "Rows { height: 1fr; width: 1fr; min-width: 8; scrollbar-size-vertical: 1; overflow-x: hidden; }"

    class Moved(Message):
        def __init__(self, index: int) -> None:
            self.index = index
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: Sequence[Line] = ()
        self.cursor = 0

    def show(self, lines: Sequence[Line], cursor: int = 0) -> None:
        self._lines = lines
        self.cursor = min(max(cursor, 0), max(0, len(self._lines) - 1))
        self.virtual_size = Size(self.size.width, len(self._lines))
        self._keep_in_sight()
        self.refresh()

    def move(self, delta: int) -> None:
        self._put(self.cursor + delta)

    def _put(self, index: int) -> None:
        index = min(max(index, 0), len(self._lines) - 1)
        if index >= 0 and index != self.cursor:
            self.cursor = index
            self._keep_in_sight()
            self.refresh()
            self.post_message(self.Moved(index))

    def _keep_in_sight(self) -> None:
        height = max(1, self.size.height)
        if not self.scroll_y <= self.cursor < self.scroll_y + height:
            self.scroll_to(y=max(0, self.cursor - height // 2), animate=False)

    def on_resize(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._lines))
        self._keep_in_sight()

    def on_click(self, event: Click) -> None:
        self._put(event.y + int(self.scroll_y))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = y + int(self.scroll_y)
        if width <= 0 or index >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        here = index == self.cursor
        content = compose_line(self._lines[index], width, here)
        return Visual.to_strips(self, content, width, 1, self.visual_style)[0]


def compose_line(one: Line, width: int, marked: bool) -> Content:
    """A row of exactly `width` cells."""
    mark = styled("▸ " if marked else "  ", "bold $right")
    right = one.right.truncate(max(0, width - 10), ellipsis=True)
    left = one.left.truncate(max(0, width - 4 - right.cell_length), ellipsis=True)
    gap = " " * max(0, width - 3 - left.cell_length - right.cell_length)
    whole = mark + left + gap + right + " "
    return whole.stylize_before("on $panel") if marked else whole
