"""What the pages of Progress are built of: headings, figures with a title beside them, rows that can be marked."""

from __future__ import annotations

from textual.content import Content

from quizapp.text import counted, percent
from quizapp.tui.text import Block, hanging, styled

LEAST_TITLE = 20
"""Cells: in less a title wraps above its figures, not beside them."""


def share_words(share: float | None) -> str:
    """A share of things counted: one that is not quite nothing or not quite all does not say it is."""
    if share is not None and 0 < share <= 0.005:
        return "<1 %"
    return ">99 %" if share is not None and 0.995 <= share < 1 else percent(share)


def hours(minutes: float) -> str:
    return f"{minutes / 60:,.1f} hours" if minutes >= 90 else counted(round(minutes), "minute")


def head(words: str) -> Block:
    return Block(styled(words, "bold"))


def faint(words: str) -> Block:
    return Block(styled(words, "$muted"))


def drawn(content: Content) -> Block:
    return Block(content, wrap=False)


def bar_room(width: int) -> int:
    """Cells of a bar that has figures and a title beside it; where they need all the room there is none."""
    return 16 if width >= 90 else 8 if width >= 44 else 0


class Marks:
    """The rows of a page that can be marked, numbered as they are made. A click on one marks it."""

    def __init__(self, marked: int) -> None:
        self._marked = marked
        self._count = 0

    def row(self, body: Content, lead: Content | str = "", width: int | None = None) -> list[Block]:
        """`lead` is the number or the figures before the body; with `width` a body that has no room beside it wraps
        above it.
        """
        here, click = self._count == self._marked, f"screen.mark({self._count})"
        self._count += 1
        style = "on $panel" if here else ""
        mark = styled("▸ " if here else "  ", "bold $right")
        lead = lead if isinstance(lead, Content) else styled(lead, "$right")
        if width is None or width - lead.cell_length - 2 >= LEAST_TITLE:
            return [hanging(body, mark + lead, style, click)]
        return [hanging(body, mark, style, click), Block(styled("  ") + lead, wrap=False, style=style, click=click)]

    def here(self) -> bool:
        """Whether the next row is the marked one."""
        return self._count == self._marked
