"""What is typed faster than the screen can follow is taken in the order in which it was typed."""

from __future__ import annotations

from textual import on
from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Input

from quizapp.tui import themes
from quizapp.tui.widgets.box import Box


class OneBox(App[None]):
    kept: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(themes.theme(themes.DARK))
        self.theme = themes.DARK

    def compose(self) -> ComposeResult:
        yield Box(id="box")

    def on_mount(self) -> None:
        self.query_one(Box).open()

    @on(Input.Submitted)
    def keep(self, event: Input.Submitted) -> None:
        self.kept = event.value


async def test_enter_and_backspace_are_not_overtaken_by_what_is_typed_next() -> None:
    app = OneBox()
    async with app.run_test() as pilot:
        await pilot.pause()
        for key in ("6", "7", "backspace", "2", "enter", "3"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert app.kept == "62"
