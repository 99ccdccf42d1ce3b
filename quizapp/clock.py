"""Time is passed in. `now()` is always an aware UTC instant, read afresh at each call."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime: ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


class FileClock:
    """A clock for tests: a file holding one ISO 8601 instant with offset, read at each use so that it can move."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def now(self) -> datetime:
        text = self.path.read_text("utf-8").strip()
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is None:
            raise ValueError(f"{self.path}: '{text}' has no offset; write for example 2026-11-29T10:00:00+00:00")
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
