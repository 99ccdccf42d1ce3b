"""Big numbers with a word below each: how the day stands, at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content
from textual.widget import Widget

from quizapp.tui.text import styled

FIGURES = {
    "0": ("╭─╮", "│ │", "╰─╯"),
    "1": ("╶╮ ", " │ ", "╶┴╴"),
    "2": ("╶─╮", "╭─╯", "╰─╴"),
    "3": ("╶─╮", " ─┤", "╶─╯"),
    "4": ("╷ ╷", "╰─┤", "  ╵"),
    "5": ("╭─╴", "╰─╮", "╶─╯"),
    "6": ("╭─╴", "├─╮", "╰─╯"),
    "7": ("╶─╮", "  │", "  ╵"),
    "8": ("╭─╮", "├─┤", "╰─╯"),
    "9": ("╭─╮", "╰─┤", "╶─╯"),
    "–": ("   ", "╶─╴", "   "),
}
GAP = 5


class Tile(NamedTuple):
    number: str
    """Digits, or `–` for not known."""
    words: str
    style: str = "$text"


class Tiles(Widget):
    """Four rows of figures and words; a single line of words where the screen is low or narrow."""

    DEFAULT_CSS = """
    Tiles { height: 4; width: 1fr; text-wrap: nowrap; text-overflow: clip; }
    .-short Tiles, .-narrow Tiles { height: 1; }
    """

    def __init__(self, tiles: Sequence[Tile] = ()) -> None:
        super().__init__()
        self._tiles = tuple(tiles)

    def show(self, tiles: Sequence[Tile]) -> None:
        self._tiles = tuple(tiles)
        self.refresh()

    def render(self) -> Content:
        if self.size.height < 4:
            return Content(" · ").join([styled(f"{t.number} {t.words}", t.style) for t in self._tiles])
        columns = [_column(tile) for tile in self._tiles]
        return Content("\n").join([Content("").join(row) for row in zip(*columns, strict=True)])


def _column(tile: Tile) -> list[Content]:
    """Four lines of one width."""
    figures = [FIGURES.get(figure, ("   ",) * 3) for figure in tile.number]
    width = max(3 * len(figures), len(tile.words)) + GAP
    lines = [styled("".join(figure[row] for figure in figures).ljust(width), tile.style) for row in range(3)]
    return [*lines, styled(tile.words.ljust(width), "$muted")]
