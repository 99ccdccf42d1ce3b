"""The study day: tables around rollover and daylight saving, and that days never run backwards."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.memory.day import StudyDays, UnknownZone, fsrs_instant, zone_named


def local(zone: str, text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold)


@pytest.mark.parametrize(
    ("zone", "hour", "moment", "day"),
    [
        # around the rollover hour
        ("Europe/Berlin", 4, "2026-06-10 03:59:59", "2026-06-09"),
        ("Europe/Berlin", 4, "2026-06-10 04:00:00", "2026-06-10"),
        ("Europe/Berlin", 0, "2026-06-10 00:00:00", "2026-06-10"),
        ("Europe/Berlin", 0, "2026-06-09 23:59:59", "2026-06-09"),
        ("Europe/Berlin", 23, "2026-06-10 22:59:59", "2026-06-09"),
        ("Europe/Berlin", 23, "2026-06-10 23:00:00", "2026-06-10"),
        # spring forward, 02:00 -> 03:00 on 29 March: local wall clock decides, not 24 hours
        ("Europe/Berlin", 4, "2026-03-29 03:59:59", "2026-03-28"),
        ("Europe/Berlin", 4, "2026-03-29 04:00:00", "2026-03-29"),
        ("Europe/Berlin", 4, "2026-03-30 03:59:59", "2026-03-29"),
        ("Europe/Berlin", 2, "2026-03-29 01:59:59", "2026-03-28"),
        ("Europe/Berlin", 2, "2026-03-29 03:00:00", "2026-03-29"),
        # fall back, 03:00 -> 02:00 on 25 October
        ("Europe/Berlin", 4, "2026-10-25 03:59:59", "2026-10-24"),
        ("Europe/Berlin", 4, "2026-10-25 04:00:00", "2026-10-25"),
        ("Europe/Berlin", 4, "2026-10-26 03:59:59", "2026-10-25"),
        ("America/New_York", 4, "2026-03-08 03:59:59", "2026-03-07"),
        ("America/New_York", 4, "2026-03-08 04:00:00", "2026-03-08"),
        ("America/New_York", 4, "2026-11-01 03:59:59", "2026-10-31"),
        ("America/New_York", 4, "2026-11-01 04:00:00", "2026-11-01"),
        ("Australia/Lord_Howe", 2, "2026-10-04 02:30:00", "2026-10-04"),
        ("Asia/Kathmandu", 4, "2026-06-10 04:00:00", "2026-06-10"),
        ("Asia/Kathmandu", 4, "2026-06-10 03:59:59", "2026-06-09"),
    ],
)
def test_day_of_a_local_moment(zone: str, hour: int, moment: str, day: str) -> None:
    days = StudyDays(ZoneInfo(zone), hour)
    assert date.fromordinal(days.day_of(local(zone, moment))) == date.fromisoformat(day)


def test_the_repeated_hour_does_not_begin_a_day_twice() -> None:
    days = StudyDays(ZoneInfo("Europe/Berlin"), 2)
    first = local("Europe/Berlin", "2026-10-25 02:30", fold=0)
    second = local("Europe/Berlin", "2026-10-25 02:30", fold=1)
    assert second.astimezone(UTC) - first.astimezone(UTC) == timedelta(hours=1)
    assert days.day_of(first) == days.day_of(second) == date(2026, 10, 25).toordinal()


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", "2026-03-28", 23),  # the night that loses an hour
        ("Europe/Berlin", "2026-10-24", 25),
        ("America/New_York", "2026-03-07", 23),
        ("America/New_York", "2026-10-31", 25),
        ("Australia/Lord_Howe", "2026-10-03", 23.5),
        ("Europe/Berlin", "2026-06-10", 24),
    ],
)
def test_length_of_a_day(zone: str, day: str, hours: float) -> None:
    days = StudyDays(ZoneInfo(zone), 4)
    ordinal = date.fromisoformat(day).toordinal()
    assert days.start(ordinal + 1) - days.start(ordinal) == timedelta(hours=hours)


def test_a_day_that_the_zone_skipped() -> None:
    """Samoa had no 30 December 2011: the day after the 29th is the 31st."""
    days = StudyDays(ZoneInfo("Pacific/Apia"), 4)
    late = local("Pacific/Apia", "2011-12-29 23:00").astimezone(UTC)
    assert date.fromordinal(days.day_of(late)) == date(2011, 12, 29)
    assert date.fromordinal(days.day_of(late + timedelta(hours=1, minutes=30))) == date(2011, 12, 29)
    assert date.fromordinal(days.day_of(late + timedelta(hours=6))) == date(2011, 12, 31)


def test_a_clock_set_back_over_midnight_does_not_bring_yesterday_back() -> None:
    """Newfoundland went from 00:01 to 23:01 of the day before, until 2011."""
    days = StudyDays(ZoneInfo("America/St_Johns"), 0)
    first = local("America/St_Johns", "2010-11-07 00:00:30").astimezone(UTC)
    assert date.fromordinal(days.day_of(first)) == date(2010, 11, 7)
    later = first + timedelta(minutes=10)
    assert later.astimezone(ZoneInfo("America/St_Johns")).day == 6
    assert date.fromordinal(days.day_of(later)) == date(2010, 11, 7)


@pytest.mark.parametrize("step", [14, -14, 13, -11, 5.75])
def test_zone_moves(step: int) -> None:
    """The same instant in a zone `step` hours away is at most a day apart."""
    there = timezone(timedelta(hours=step))
    noon = datetime(2026, 6, 10, 12, tzinfo=UTC)
    for hour in range(24):
        instant = noon + timedelta(hours=hour)
        here_day = StudyDays(ZoneInfo("UTC")).day_of(instant)
        moved = StudyDays(there).day_of(instant)
        expected = ((instant + timedelta(hours=step)).replace(tzinfo=None) - timedelta(hours=4)).date()
        assert date.fromordinal(moved) == expected
        assert abs(moved - here_day) <= 1


ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "America/Havana", "Australia/Lord_Howe",
     "Pacific/Apia", "Pacific/Kiritimati", "Asia/Gaza", "Africa/Casablanca", "America/Sao_Paulo", "Asia/Kathmandu"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    zone=ZONES,
    hour=st.integers(0, 23),
    at=st.datetimes(datetime(1995, 1, 1), datetime(2035, 1, 1)),
    gap=st.timedeltas(timedelta(0), timedelta(days=3)),
)
def test_days_hold_their_instants_and_never_go_back(zone: str, hour: int, at: datetime, gap: timedelta) -> None:
    days = StudyDays(ZoneInfo(zone), hour)
    first = at.replace(tzinfo=UTC)
    day = days.day_of(first)
    assert days.start(day) <= first < days.start(day + 1)
    assert days.day_of(first + gap) >= day


@settings(max_examples=300, deadline=None)
@given(days_apart=st.integers(0, 40_000), start=st.dates(date(1995, 1, 1), date(2035, 1, 1)))
def test_fsrs_counts_the_days_we_count(days_apart: int, start: date) -> None:
    first = start.toordinal()
    assert (fsrs_instant(first + days_apart) - fsrs_instant(first)).days == days_apart


@pytest.mark.parametrize(
    "name", ["Mars/Olympus", "", "../etc/passwd", "Europe/Berlin\x00", "/etc/localtime", "a" * 300]
)
def test_an_unknown_zone_says_what_to_do(name: str) -> None:
    with pytest.raises(UnknownZone, match="choose a name such as"):
        zone_named(name)


def test_every_zone_of_the_database_can_be_used() -> None:
    now = datetime(2026, 6, 10, 12, tzinfo=UTC)
    names = available_timezones()
    assert len(names) > 400
    for name in names:
        days = StudyDays(zone_named(name))
        assert abs(days.day_of(now) - date(2026, 6, 10).toordinal()) <= 1
