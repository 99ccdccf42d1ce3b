"""Bugs that others shipped in statistics, forecasts, deadlines and optimisers (public threads named), one test each."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from study.helpers import ahead, bank_of, open_study, rows, single, small_bank

from quizapp.clock import FixedClock
from quizapp.memory.curve import Curve
from quizapp.memory.exam_date import land
from quizapp.memory.optimise import Answer, items_of
from quizapp.memory.scheduler import SchedulerConfig
from quizapp.study import fitting, practice
from quizapp.study.planning import day_plan
from quizapp.study.progress import Progress


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Auckland"])
def test_the_calendar_loses_no_day_over_a_year_of_clock_changes(tmp_path: Path, zone: str) -> None:
    """ankitects/anki#371, #416, #2456: days counted by 86,400 seconds shift or vanish at a clock change."""
    clock = FixedClock(datetime(2026, 1, 1, 12, tzinfo=ZoneInfo(zone)).astimezone(UTC))
    expected = []
    with open_study(tmp_path, small_bank(1), clock, zone=zone) as study:
        for month, day in ((3, 7), (3, 8), (3, 9), (3, 28), (3, 29), (4, 5), (9, 27), (10, 4), (10, 25), (11, 1)):
            for hour, minute in ((4, 1), (23, 59)):
                clock.instant = datetime(2026, month, day, hour, minute, tzinfo=ZoneInfo(zone)).astimezone(UTC)
                practice.answer(study, practice.card(study, "q000"), "right", None, 1_000)
            expected.append(f"2026-{month:02}-{day:02}")
        found = Progress(study).all()
        counted = rows(tmp_path, "SELECT day, sum(count) FROM rollup WHERE kind = 'time' GROUP BY day ORDER BY day")
        assert [(date.fromordinal(day).isoformat(), count) for day, count in counted] == [(day, 2) for day in expected]
        assert {one["date"] for one in found["calendar"]} <= set(expected)
        assert found["calendar"][0]["date"] == expected[0]


def test_counts_never_go_below_nothing_after_undo(tmp_path: Path) -> None:
    """ankidroid/Anki-Android#6587: a negative number of reviews after undo."""
    with open_study(tmp_path, small_bank(2)) as study:
        study.answer(study.next_card(), "right", "sure", 500)  # type: ignore[arg-type]
        study.undo()
        study.undo()
        found = Progress(study).all()
    assert found["calendar"] == []
    assert found["time"]["minutes"] == 0
    assert all(level["total"] == 0 for level in found["calibration"]["levels"])


def test_the_forecast_counts_what_the_queue_would_ask(tmp_path: Path) -> None:
    """ankitects/anki#1633: the overview and the session disagree. Suspended cards and orphans are in neither."""
    bank = small_bank(6)
    with open_study(tmp_path, bank, learn_ahead_minutes=0) as study:
        for n in range(6):
            study.answer(practice.card(study, f"q{n:03}"), "right", "sure", 500)
        ahead(study, days=30)
        study.suspend("q000", True)
        forecast = Progress(study).all()["forecast"]
        assert forecast["backlog"] + forecast["days"][0]["due"] == study.counts().due_all == 5
    with open_study(tmp_path, bank_of([q for q in bank.questions.values() if q.id != "q001"]), study.clock) as study:  # type: ignore[arg-type]
        forecast = Progress(study).all()["forecast"]
        assert forecast["backlog"] + forecast["days"][0]["due"] == study.counts().due_all == 4


def test_a_denominator_is_what_was_answered_not_what_the_bank_holds_now(tmp_path: Path) -> None:
    """PrairieLearn#424, alphaonelabs#589: shares over the current bank, or with blanks left out."""
    with open_study(tmp_path, small_bank(2)) as study:
        study.answer(study.next_card(), None, "unsure", 500)  # type: ignore[arg-type]
        found = Progress(study).all()
        assert (found["calibration"]["levels"][1]["right"], found["calibration"]["levels"][1]["total"]) == (0, 1)
        assert found["readiness"]["evidence"]["first_answers"] == 1
    more = bank_of([single(f"q{n:03}") for n in range(2, 9)])
    with open_study(tmp_path, more, study.clock) as study:  # type: ignore[arg-type]
        found = Progress(study).all()
        assert found["calibration"]["levels"][1]["total"] == 1  # the answer stays answered
        assert found["readiness"]["evidence"]["questions"] == 7
        assert found["readiness"]["evidence"]["seen"] == 0


def test_an_optimiser_never_makes_things_worse_and_says_when_there_is_too_little(tmp_path: Path) -> None:
    """ankitects/anki#2972 (optimised parameters worse than the old ones), fsrs-rs#211 (too few reviews)."""
    with open_study(tmp_path, small_bank(2)) as study:
        study.answer(study.next_card(), "right", None, 500)  # type: ignore[arg-type]
        found = fitting.optimise(study)
        assert not found["adopted"]
        assert "512 are needed" in found["why"]
        assert study.settings().fits == ()


def test_answers_on_both_sides_of_midnight_are_one_study_day() -> None:
    """srs-benchmark#149: next-day reviews under 24 hours read as same-day ones, and the other way round."""
    assert items_of([[Answer(1, 100, 3), Answer(2, 100, 3)]]) == []
    assert items_of([[Answer(1, 100, 3), Answer(2, 101, 3)]]) == [(2, [(3, 0), (3, 1)])]


def test_aiming_at_an_exam_never_asks_for_yesterday() -> None:
    """fsrs4anki-helper#356: moving cards to easier days moved some to yesterday."""
    curve = Curve(SchedulerConfig().parameters)
    for left in range(-3, 12):
        for days in range(1, 40):
            assert 1 <= land(days, 1_000, 1_000 + left, lambda n: curve.recall(1.0, n), 0.99) <= days


def test_an_exam_that_has_passed_plans_nothing_and_moves_nothing(tmp_path: Path) -> None:
    """A deadline left behind must not hold the schedule back for ever."""
    with open_study(tmp_path, small_bank(2), exam_date="2026-06-01") as study:
        assert day_plan(study) is None
        found = Progress(study).all()
        assert found["readiness"]["without_study_until_exam"] is None
        outcome = study.answer(study.next_card(), "right", "sure", 500)  # type: ignore[arg-type]
    with open_study(tmp_path / "plain", small_bank(2)) as study:
        plain = study.answer(study.next_card(), "right", "sure", 500)  # type: ignore[arg-type]
    assert (outcome.interval_days, outcome.state_after.stability) == (plain.interval_days, plain.state_after.stability)
