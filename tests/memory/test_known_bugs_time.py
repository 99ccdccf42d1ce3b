"""Bugs that others shipped in counting days (docs/known-bugs.md, rows 1 to 5): clock changes of every kind."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest

from quizapp.memory.day import StudyDays

ZONES = [
    "Europe/Berlin", "America/New_York", "America/Los_Angeles",
    "Australia/Sydney", "Pacific/Auckland",  # south of the equator: summer begins in September or October
    "America/Santiago", "Africa/Cairo", "America/Havana", "Asia/Beirut",  # the clock changes at midnight
    "Australia/Lord_Howe",  # by half an hour
    "Africa/Casablanca",  # twice a year, by the moon
]  # fmt: skip
STEP = timedelta(minutes=10)


@cache
def changes(zone: str) -> tuple[datetime, ...]:
    """The instants of 2026 at which the zone's clock changes, to the hour."""
    found, at = [], datetime(2026, 1, 1, tzinfo=UTC)
    before = at.astimezone(ZoneInfo(zone)).utcoffset()
    while at.year == 2026:
        at += timedelta(hours=1)
        offset = at.astimezone(ZoneInfo(zone)).utcoffset()
        if offset != before:
            found.append(at)
        before = offset
    return tuple(found)


def first_wall(zone: str, day: date, hour: int) -> time:
    """The wall time at which a day begins: the hour itself, or the first one after it that the clock shows."""
    minutes = hour * 60
    while True:
        wall = datetime.combine(day, time(minutes // 60, minutes % 60), tzinfo=ZoneInfo(zone))
        if wall.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) == wall.replace(tzinfo=None):
            return wall.time()
        minutes += 10


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("hour", [0, 1, 2, 3, 4])
def test_each_day_begins_once_and_at_the_hour_on_the_wall(zone: str, hour: int) -> None:
    """ankitects/anki#371, #416, #420, Anki-Android#3770, #5912: an hour or a day off after the clock has changed."""
    days = StudyDays(ZoneInfo(zone), hour)
    assert len(changes(zone)) >= 2
    for change in changes(zone):
        at, seen = change - timedelta(days=3), {}
        last = days.day_of(at)
        while at < change + timedelta(days=3):
            at += STEP
            day = days.day_of(at)
            assert day in (last, last + 1)
            if day > last:
                seen[date.fromordinal(day)] = at.astimezone(ZoneInfo(zone))
            last = day
        assert len(seen) >= 5
        for day, begun in seen.items():
            assert begun.date() == day
            assert begun.time() == first_wall(zone, day, hour)
            assert begun.fold == 0


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_has_its_365_days_whatever_the_clock_does(zone: str) -> None:
    """Anki-Android#5912: the winter's hour was kept all summer. Noon, the rollover hour and the minute before it."""
    days, first = StudyDays(ZoneInfo(zone), 4), date(2026, 1, 1).toordinal()
    for day in range(first, first + 365):
        for wall, meant in ((time(12), day), (time(4), day), (time(3, 59), day - 1)):
            local = datetime.combine(date.fromordinal(day), wall, tzinfo=ZoneInfo(zone))
            assert days.day_of(local.astimezone(UTC)) == meant
