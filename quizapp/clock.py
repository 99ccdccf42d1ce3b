"""Time is passed in. `now()` is always an aware UTC instant, read afresh at each call."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime: ...


FIRST_YEAR, LAST_YEAR = 1971, 8999
"""Days before and after now are counted and shown in every time zone: at the ends of `datetime` that overflows."""


class WrongClock(ValueError):
    """A clock that cannot be right, or cannot be read: one sentence with the way out."""


class SystemClock:
    def now(self) -> datetime:
        now = datetime.now(UTC)
        if not FIRST_YEAR <= now.year <= LAST_YEAR:
            raise WrongClock(f"the clock of this computer says {now:%Y-%m-%d}; set its date and time")
        return now


class FileClock:
    """A clock for tests: a file holding one ISO 8601 instant with offset, read at each use so that it can move."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def now(self) -> datetime:
        example = "write for example 2026-11-29T10:00:00+00:00"
        try:
            text = self.path.read_text("utf-8").strip()
            instant = datetime.fromisoformat(text)
        except ValueError as error:  # not UTF-8, or not a time
            raise WrongClock(f"{self.path}: {error}; {example}") from error
        if instant.tzinfo is None:
            raise WrongClock(f"{self.path}: '{text}' has no offset; {example}")
        if not FIRST_YEAR <= instant.year <= LAST_YEAR:
            raise WrongClock(f"{self.path}: '{text}' is outside the years {FIRST_YEAR} to {LAST_YEAR}; {example}")
        return instant.astimezone(UTC)


class FixedClock:
    """A clock that a test sets by hand."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant.astimezone(UTC)

    def now(self) -> datetime:
        return self.instant


def clock_from_environment() -> Clock:
    path = os.environ.get("QUIZAPP_CLOCK")
    return FileClock(Path(path)) if path else SystemClock()
