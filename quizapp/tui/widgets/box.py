"""A box for typing, at rest a hidden one. Only what is typed here is not a key."""

from __future__ import annotations

from collections import deque

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
    Box > .input--selection { text-style: reverse; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, select_on_focus=False)
        self.cursor_blink = False
        self.typing = False
        """Whether it has the keys. (`has_focus` lags behind by a message.)"""
        self._seen: deque[Key] = deque(maxlen=50)
        self._spare = 0
        """Backspaces that one may still press who deletes a selected text letter by letter: they must not lead out."""

    def validate_value(self, value: str) -> str:
        """What is typed or pasted is foreign text too: a pasted escape sequence must not reach the terminal."""
        return clean(value).replace("\n", " ")

    class OfBox(Message):
        def __init__(self, box: Box) -> None:
            self.box = box
            super().__init__()

        @property
        def control(self) -> Box:
            return self.box

    class Left(OfBox):
        """Backspace in the empty box: the learner wants out."""

    class Turned(OfBox):
        """← or → in the empty box, where there is nothing to move in: `delta` is -1 or 1."""

        def __init__(self, box: Box, delta: int) -> None:
            self.delta = delta
            super().__init__(box)

    async def _on_key(self, event: Key) -> None:
        """Enter and Backspace act in the order they were typed: as bindings, what is typed next would overtake them."""
        self._seen.append(event)
        if event.key != "backspace":
            self._spare = 0
        if event.key in ("left", "right") and not self.value:
            event.stop()
            event.prevent_default()
            self.post_message(self.Turned(self, 1 if event.key == "right" else -1))
        elif event.key in ("enter", "backspace"):
            event.stop()
            event.prevent_default()
            if event.key == "enter":
                await self.action_submit()
            else:
                self.action_delete_left()

    def action_delete_left(self) -> None:
        if self.value:
            self._spare = max(0, len(self.selected_text) - 1)
            super().action_delete_left()
        elif self._spare:
            self._spare -= 1
        else:
            self.post_message(self.Left(self))

    def open(self, value: str = "", placeholder: str = "", adds: bool = False) -> None:
        """Shows the box with `value` in it and takes the keys.

        The value is selected: the first key typed replaces it, an arrow or End keeps it. `adds`: typing goes on behind.
        """
        self.placeholder = placeholder
        self.value = value
        self.cursor_position = len(value)
        if not adds:
            self.select_all()
        self.add_class("-open")
        self.typing = True
        self.app.call_later(self._take_keys)

    def overlooked(self, event: Key) -> bool:
        """Whether a key is this box's, but was sent elsewhere: typed ahead, before the box had opened."""
        return self.typing and not any(one is event for one in self._seen)

    def _take_keys(self) -> None:
        """A moment after it was opened; by then it may have been put to rest again, and the keys are its screen's."""
        if self.typing and self.is_attached:
            self.screen.set_focus(self)

    def rest(self) -> None:
        """Gives the keys back; the box stays in sight."""
        self.typing = False
        self.screen.set_focus(None)

    def close(self) -> None:
        self.rest()
        self.remove_class("-open")
        self.value = ""
