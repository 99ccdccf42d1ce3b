"""The study day: a calendar day of an IANA zone that begins at a rollover hour, never a block of 86,400 seconds.

A day is known by its ordinal (`date.toordinal()`), so elapsed days are a subtraction and stay right across
daylight-saving changes, leap days and moves between zones.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


class UnknownZone(ValueError):
    """The zone's name is not in the time zone database; the message says what to do."""


def zone_named(name: str) -> ZoneInfo:
    """The zone called `name`, e.g. `Europe/Berlin`.

    Raises UnknownZone for a name that the installed time zone database does not have.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownZone(
            f"time zone {name!r} is unknown here; choose a name such as 'Europe/Berlin' or 'UTC' in Settings"
        ) from error


@dataclass(frozen=True)
class StudyDays:
    """Turns instants into study days and back, for one zone and rollover hour (0 to 23)."""

    zone: tzinfo
    rollover_hour: int = 4

    def start(self, day: int) -> datetime:
        """The UTC instant at which study day `day` begins.

        Where the clock skips the rollover hour the day begins when it has skipped; where it repeats it, the first
        time.
        """
        wall = datetime.combine(date.fromordinal(day), time(self.rollover_hour), tzinfo=self.zone)
        return wall.astimezone(UTC)

    def day_of(self, instant: datetime) -> int:
        """The ordinal of the study day that holds `instant` (aware)."""
        wall = instant.astimezone(self.zone).replace(tzinfo=None)
        day = (wall - timedelta(hours=self.rollover_hour)).toordinal()
        # The wall clock can run twice over the rollover hour, and a zone can skip a whole date (Samoa, 2011):
        # the instants at which days begin decide, so that the count never goes back while time goes on.
        if self.start(day + 1) <= instant:
            return day + 1
        if self.start(day) > instant:
            return day - 1
        return day


def fsrs_instant(day: int) -> datetime:
    """The day-aligned instant that FSRS is given for a review on study day `day`.

    `fsrs` counts elapsed days in blocks of 24 hours. Midnights in UTC make that count equal to ours.
    """
    return datetime.combine(date.fromordinal(day), time(), tzinfo=UTC)
