"""The questions of an exam at a glance: a strip of one glyph each, and a grid with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from textual.content import Content, Span
from textual.widget import Widget

from quizapp.tui.text import Block, styled

CELL = 6
"""Width of a cell of the grid."""
ANSWERED, INCOMPLETE, OPEN, FLAG = "■", "◧", "·", "!"
FLAGGED = {ANSWERED: "▲", INCOMPLETE: "◭", OPEN: "△"}
"""In the strip a question has one glyph, which says both."""
LEGEND = f"{ANSWERED} answered   {INCOMPLETE} a part is missing   {OPEN} not answered   {FLAG} flagged (top ▲◭△)"


class Cell(NamedTuple):
    """How one question stands."""

    answered: bool
    complete: bool
    flagged: bool

    @property
    def glyph(self) -> str:
        return OPEN if not self.answered else ANSWERED if self.complete else INCOMPLETE


class Strip(Widget):
    """First the words of a top line, then one glyph a question: the one on screen stands out."""

    DEFAULT_CSS = """
    Strip { height: 2; width: 1fr; padding: 0 3; text-wrap: nowrap; text-overflow: clip; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._state: tuple[Content, Content, tuple[Cell, ...], int] = (Content(""), Content(""), (), 0)

    def show(self, left: Content, right: Content, cells: Sequence[Cell], at: int) -> None:
        state = (left, right, tuple(cells), at)
        if state != self._state:
            self._state = state
            self.refresh()

    def render(self) -> Content:
        left, right, cells, at = self._state
        width = self.size.width
        right = right.truncate(width, ellipsis=True)
        left = left.truncate(max(0, width - right.cell_length - 2), ellipsis=True)
        space = " " * max(0, width - left.cell_length - right.cell_length)
        return Content("\n").join([left + space + right, strip(cells, at, width)])


def strip(cells: Sequence[Cell], at: int, width: int) -> Content:
    """At most `width` glyphs, those around `at`. Neighbours that look alike share a span: painted at every key."""
    room = min(width, len(cells))
    first = min(max(0, at - room // 2), len(cells) - room)
    glyphs, looks = [], []
    for index in range(first, first + room):
        cell = cells[index]
        look = "$wrong" if cell.flagged else "$right" if cell.answered else "$muted"
        glyphs.append(FLAGGED[cell.glyph] if cell.flagged else cell.glyph)
        looks.append(f"bold reverse {look}" if index == at else look)
    spans, start = [], 0
    for look, alike in groupby(looks):
        end = start + len(list(alike))
        spans.append(Span(start, end, look))
        start = end
    return Content("".join(glyphs), spans=spans)


def columns(width: int) -> int:
    """Cells of the grid in a row of `width`: ten, fewer where the terminal is narrow."""
    return max(1, min(10, (width + 1) // (CELL + 1)))


def grid(cells: Sequence[Cell], marked: int, columns: int) -> list[Block]:
    """In each cell the number, the glyph and the flag."""
    out = []
    for start in range(0, len(cells), columns):
        parts = []
        for index in range(start, min(start + columns, len(cells))):
            cell = cells[index]
            words = f" {index + 1:>2}{cell.glyph}{FLAG if cell.flagged else ' '} "
            look = "$wrong" if cell.flagged else "$right" if cell.answered else "$text"
            parts.append(styled(words, f"bold reverse {look}" if index == marked else look))
        out.append(Block(Content(" ").join(parts), wrap=False))
    return out
