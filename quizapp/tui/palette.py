"""The command palette, which stands a second Enter."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette
from textual.message import Message
from textual.widgets import Input, OptionList


class Palette(CommandPalette):
    """Textual's own. A second Enter or click that comes while it closes would run the command again, and close the
    screen below, or stop the app where there is none."""

    _done_with = False

    def check_message_enabled(self, message: Message) -> bool:
        choice = isinstance(message, Input.Submitted | OptionList.OptionSelected)
        return not (self._done_with and choice) and super().check_message_enabled(message)

    def dismiss(self, result: None = None) -> AwaitComplete:
        if self._done_with:
            return AwaitComplete.nothing()
        self._done_with = True
        return super().dismiss(result)
