"""What the store's thread tells the screens: one class an answer, each carrying one `value`."""

from __future__ import annotations

from typing import Any

from textual.message import Message


class Reply(Message):
    def __init__(self, value: Any) -> None:
        self.value = value
        super().__init__()


class StoreOpened(Reply):
    """value: (settings, whether it is read-only, warnings, the folder of the store)."""


class StoreFailed(Reply):
    """value: one sentence that says what went wrong and the way out."""


class HomeReady(Reply):
    """value: HomeView."""


class CardReady(Reply):
    """value: Card or None when nothing is left."""


class Answered(Reply):
    """value: Outcome, committed."""


class Rerated(Reply):
    """value: Outcome after an override."""


class Undone(Reply):
    """value: what was taken back, or None."""


class RowsReady(Reply):
    """value: rows of Browse."""


class InfoReady(Reply):
    """value: what is known of one card."""


class SettingsReady(Reply):
    """value: the settings as they are now."""
