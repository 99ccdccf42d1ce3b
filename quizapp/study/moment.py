"""The time at which a use case runs, read once, with the rules that turn it into days and schedules."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from quizapp.memory.day import StudyDays
from quizapp.memory.scheduler import Scheduler
from quizapp.memory.state import CardState
from quizapp.settings import Settings
from quizapp.store.database import Record


def milliseconds(instant: datetime) -> int:
    return round((instant - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))


def instant(at: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)


@dataclass(frozen=True)
class Moment:
    now: datetime
    days: StudyDays
    scheduler: Scheduler
    settings: Settings

    @property
    def at(self) -> int:
        return milliseconds(self.now)

    @property
    def today(self) -> int:
        return self.days.day_of(self.now)

    @property
    def local_date(self) -> date:
        """The date on the wall, which is not yet the study day's before the rollover hour."""
        return self.now.astimezone(self.days.zone).date()

    @property
    def ahead(self) -> int:
        """Until when a card in learning may be asked early."""
        return self.at + self.settings.learn_ahead_minutes * 60_000

    def due_at(self, state: CardState | Record) -> datetime | None:
        """When the card is due: an instant, or the beginning of its study day. None for a new card."""
        if state.due_at is not None:
            return instant(state.due_at)
        return None if state.due_day is None else self.days.start(state.due_day)

    def due_text(self, due: datetime) -> str:
        """`now`, `in 10 minutes`, `tomorrow`, `in 4 days (Thu 3 Dec)`: days are study days."""
        if due <= self.now:
            return "now"
        ahead = self.days.day_of(due) - self.today
        if ahead == 0:
            minutes = max(1, round((due - self.now).total_seconds() / 60))
            if minutes < 60:
                return f"in {minutes} minute{'s' if minutes > 1 else ''}"
            return f"at {due.astimezone(self.days.zone):%H:%M}"
        if ahead == 1:
            return "tomorrow"
        day = datetime.fromordinal(self.today + ahead)
        year = f" {day.year}" if day.year != datetime.fromordinal(self.today).year else ""
        return f"in {ahead} days ({day:%a} {day.day} {day:%b}{year})"
