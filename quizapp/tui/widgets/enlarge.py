"""Shown instead of everything else when the terminal is below 40 × 12."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

MIN_WIDTH, MIN_HEIGHT = 40, 12


class Enlarge(Widget):
    """`note` is one more line, for what must stay in sight (an exam's clock)."""

    DEFAULT_CSS = "Enlarge { display: none; width: 1fr; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.note = ""

    def render(self) -> Content:
        size = self.app.size
        lines = [
            f"Please enlarge to {MIN_WIDTH} × {MIN_HEIGHT}",
            f"now {size.width} × {size.height}",
            "nothing is lost",
            self.note,
        ]
        return Content("\n".join(line for line in lines if line))
