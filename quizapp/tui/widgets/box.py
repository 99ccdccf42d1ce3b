"""A box for typing, at rest a hidden one. Only what is typed here is not a key."""

from __future__ import annotations

from textual.events import Key
from textual.message import Message
from textual.widgets import Input

from quizapp.text import clean


class Box(Input):
    """One line of input without blinking. Opened and closed by its screen."""

    DEFAULT_CSS = """
    Box { display: none; border: round $line; background: $background; padding: 0 1; }
    Box:focus { border: round $right; background-tint: $background 0%; }
    Box.-open { display: block; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, select_on_focus=False)
        self.cursor_blink = False
        self.typing = False
        """Whether it has the keys. (`has_focus` lags behind by a message.)"""

    def validate_value(self, value: str) -> str:
        """What is typed or pasted is foreign text too: a pasted escape sequence must not reach the terminal."""
        return clean(value).replace("\n", " ")

    class Left(Message):
        """Backspace in the empty box: the learner wants out."""

        def __init__(self, box: Box) -> None:
            self.box = box
            super().__init__()

        @property
        def control(self) -> Box:
            return self.box

    async def _on_key(self, event: Key) -> None:
        """Enter and Backspace act in the order they were typed: as bindings, what is typed next would overtake them."""
        if event.key in ("enter", "backspace"):
            event.stop()
            event.prevent_default()
            if event.key == "enter":
                await self.action_submit()
            else:
                self.action_delete_left()

    def action_delete_left(self) -> None:
        if self.value:
            super().action_delete_left()
        else:
            self.post_message(self.Left(self))

    def open(self, value: str = "", placeholder: str = "") -> None:
        """Shows the box with `value` in it and takes the keys."""
        self.placeholder = placeholder
        self.value = value
        self.cursor_position = len(value)
        self.add_class("-open")
        self.typing = True
        self.focus()

    def rest(self) -> None:
        """Gives the keys back; the box stays in sight."""
        self.typing = False
        self.screen.set_focus(None)

    def close(self) -> None:
        self.rest()
        self.remove_class("-open")
        self.value = ""
