"""What can go wrong with a store, each as one sentence that names the thing and the way out."""

from __future__ import annotations


class StoreError(Exception):
    """The store cannot be opened, read or written. `str(error)` is for the person."""


class ReadOnly(StoreError):
    """The store can be read but not written."""


class DiskFull(StoreError):
    """The disk takes no more, or fails; what it holds may still be read."""


class Damaged(StoreError):
    """The file is not (or no longer) a sound SQLite database."""


class Conflict(StoreError):
    """The card was answered elsewhere since it was opened; nothing was stored. Ask for the next card."""


class WrongAddress(StoreError):
    """`--db` names something that is not a SQLite file: wrong usage."""
