"""Running text with gutters: stems, options, explanations and tables of keys are all drawn by this one widget.

It wraps its blocks itself, so that the second line of an option stands under the first, and it is updated in place: a
sitting of 300 questions uses the same few widgets.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content, Span
from textual.events import Click
from textual.geometry import Size
from textual.style import Style
from textual.widget import Widget

from quizapp.tui.text import Block, break_address


class Flow(Widget):
    """Shows blocks; `show` replaces them. Holds no rules and posts nothing but the clicks that blocks ask for."""

    DEFAULT_CSS = """
    Flow { width: 1fr; height: auto; text-wrap: nowrap; text-overflow: clip; }
    """

    def __init__(self, blocks: Sequence[Block] = (), *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._blocks: tuple[Block, ...] = tuple(blocks)
        self._laid: tuple[int, list[Content], list[int]] | None = None

    def show(self, blocks: Sequence[Block]) -> None:
        blocks = tuple(blocks)
        if len(blocks) != len(self._blocks) or not all(map(Block.looks_like, blocks, self._blocks)):
            lines_before = len(self._laid[1]) if self._laid else -1
            width = self._laid[0] if self._laid else 0
            self._blocks, self._laid = blocks, None
            self.refresh(layout=not width or len(self._lay(width)[0]) != lines_before)

    @property
    def text(self) -> str:
        """What is shown, as plain text, unwrapped."""
        return "\n".join((block.first.plain + block.body.plain).rstrip() for block in self._blocks)

    def row_of(self, block: int) -> tuple[int, int]:
        """(first row, number of rows) of a block at the present width."""
        if self._laid is None or not self._blocks:
            return 0, 1
        starts = [*self._laid[2], len(self._laid[1])]
        block = min(block, len(self._blocks) - 1)
        return starts[block], starts[block + 1] - starts[block]

    def keep_in_sight(self, block: int) -> None:
        """Scrolls the container no further than needed to see the whole block; for the first one to its top."""
        around = self.parent
        assert isinstance(around, Widget)
        first, rows = self.row_of(block)
        top, height = self.virtual_region.y + first, around.scrollable_content_region.height
        if block == 0:
            around.scroll_home(animate=False, immediate=True)
        elif top < around.scroll_y:
            around.scroll_to(y=top, animate=False, immediate=True)
        elif top + rows > around.scroll_y + height:
            around.scroll_to(y=top + rows - height, animate=False, immediate=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self._lay(width)[0])) if self._blocks else 0

    def render(self) -> Content:
        return Content("\n").join(self._lay(self.size.width or 1)[0])

    async def on_click(self, event: Click) -> None:
        if call := event.style.meta.get("act"):
            event.stop()
            await self.app.run_action(call)

    def _lay(self, width: int) -> tuple[list[Content], list[int]]:
        if self._laid is None or self._laid[0] != width:
            lines: list[Content] = []
            starts: list[int] = []
            for block in self._blocks:
                starts.append(len(lines))
                lines += _lay_block(block, width)
            self._laid = (width, lines, starts)
        return self._laid[1], self._laid[2]


def _lay_block(block: Block, width: int) -> list[Content]:
    room = max(2, width - max(block.first.cell_length, block.rest.cell_length))
    body = block.body
    if block.steps:
        pieces = break_address(body, room)
    else:
        pieces = (body.wrap(room) or [Content("")]) if block.wrap else [body.truncate(room, ellipsis=True)]
    lines = [(block.rest if at else block.first) + piece.rstrip_end(room) for at, piece in enumerate(pieces)]
    if block.style or block.click:
        lines = [one.extend_right(max(0, width - one.cell_length)) for one in lines]
    if block.style:
        lines = [Content(one.plain, spans=[Span(0, len(one.plain), block.style), *one.spans]) for one in lines]
    if block.click:
        meta = Style.from_meta({"act": block.click})
        lines = [one.stylize(meta) for one in lines]
    return lines
