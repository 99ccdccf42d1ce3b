"""What each screen is made of, against numbers worked out by hand; and the JSON document as a whole."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from study.helpers import ahead, bank_of, open_study, single, small_bank

from quizapp.bank.schema import Misconception
from quizapp.clock import FixedClock
from quizapp.memory.forecast import due_forecast
from quizapp.memory.pace import Pace
from quizapp.progress.calibration import calibration
from quizapp.progress.mastery import Part
from quizapp.progress.misconceptions import table
from quizapp.progress.readiness import fit, quantile, readiness, what_raises
from quizapp.progress.retention import retention
from quizapp.progress.shares import Share
from quizapp.study import practice
from quizapp.study.progress import Progress

DECAY = 0.1542
ONLY = ("o",)
KEYS = {"retention", "forecast", "mastery", "calibration", "misconceptions", "claims", "readiness"}


def test_wilson_matches_the_published_formula() -> None:
    low, high = Share(8, 10).interval(1.959964)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    assert Share(0, 0).interval() == (0.0, 1.0)
    assert Share(0, 0).rate is None


def test_retention_by_period_and_age() -> None:
    rows = [
        ("young", 100, 4, 3),
        ("mature", 94, 10, 9),
        ("mature", 93, 10, 1),
        ("young", 60, 5, 5),
        ("young", 101, 1, 0),
    ]
    found = retention(rows, 100)
    assert (found["today"]["young"]["right"], found["today"]["young"]["total"]) == (3, 4)
    assert (found["week"]["mature"]["right"], found["week"]["mature"]["total"]) == (9, 10)
    assert (found["month"]["both"]["right"], found["month"]["both"]["total"]) == (13, 24)
    assert found["all"]["both"]["total"] == 30
    assert found["today"]["mature"]["rate"] is None


def test_brier_of_a_perfect_and_of_a_boastful_learner() -> None:
    found = calibration({"sure": (100, 95), "guess": (20, 7)})
    assert found["brier"] == pytest.approx((95 * 0.05**2 + 5 * 0.95**2 + 7 * 0.65**2 + 13 * 0.35**2) / 120)
    assert [one["verdict"] for one in found["levels"]] == ["as stated", "too few to say", "as stated"]
    assert calibration({"sure": (100, 60)})["levels"][2]["verdict"] == "overconfident"
    assert calibration({"unsure": (100, 95)})["levels"][1]["verdict"] == "underconfident"
    assert calibration({})["brier"] is None


def test_beliefs_that_are_kept_come_first() -> None:
    rows = table({"old": (9, 0), "kept": (3, 0), "once": (1, 0)}, {"kept": (2, 0), "once": (1, 0)}, {"kept": 4},
                 {"kept": 12}, {"kept": "Batch size is slots"})  # fmt: skip
    assert [(row["id"], row["kept"]) for row in rows] == [("kept", True), ("once", False), ("old", False)]
    assert (rows[0]["share"], rows[0]["name"], rows[1]["share"]) == (0.25, "Batch size is slots", None)


def test_forecast_keeps_the_backlog_apart() -> None:
    found = due_forecast({7: 2, 9: 3, 10: 4, 12: 1, 99: 6}, 5, 10, 3, Pace(25.0))
    assert (found["backlog"], [day["due"] for day in found["days"]], found["later"]) == (5, [9, 0, 1], 6)
    assert found["seconds_a_card"] == 30.0  # one in ten comes again, twice
    assert found["minutes_today"] == 6.6  # 9 due at 30 s, 5 in learning at 25 s


def test_readiness_narrows_with_evidence_and_follows_the_truth() -> None:
    part = Part(questions=100, chance=0.25)
    part.seen.update({10: 80})
    weights = {"o": 1.0}
    empty = readiness({ONLY: Part(questions=100, chance=0.25)}, weights, fit({}, {ONLY: part}, DECAY), DECAY)
    assert empty.high - empty.low > 0.4
    good = Part(100, 0, 0.25, part.seen.copy(), (80, 76))
    poor = Part(100, 0, 0.25, part.seen.copy(), (80, 24))
    many = {24: (400, 368), 20: (200, 190)}
    strong = readiness({ONLY: good}, weights, fit(many, {ONLY: good}, DECAY), DECAY)
    weak = readiness({ONLY: poor}, weights, fit({24: (400, 200), 20: (200, 110)}, {ONLY: poor}, DECAY), DECAY)
    assert strong.high - strong.low < 0.12
    assert strong.low > weak.high
    assert strong.exam_low < strong.low <= strong.middle <= strong.high < strong.exam_high <= 1
    assert weak.factor < 0.5 < strong.factor
    faded = Part(100, 0, 0.25, Counter({10: 20, 34: 60}), (80, 24))
    best = what_raises(weak, {ONLY: faded}, weights, DECAY, Pace(30))
    assert {one["what"] for one in best} == {"learn", "review"}
    assert best[0]["gain"] >= best[-1]["gain"] > 0


def test_a_quantile_of_one_normal() -> None:
    assert quantile([(1.0, 0.5, 0.1)], 0.95) == pytest.approx(0.6645, abs=1e-4)


def test_the_document_of_an_empty_store_has_every_key(tmp_path: Path) -> None:
    with open_study(tmp_path) as study:
        found = json.loads(json.dumps(Progress(study).all()))
    assert found.keys() >= KEYS
    assert found["readiness"]["evidence"]["first_answers"] == 0
    assert 0 <= found["readiness"]["low"] < found["readiness"]["high"] <= 1
    assert found["calendar"] == []
    assert found["claims"]["total"] > 50
    assert found["claims"]["proved"] == []


def test_the_document_counts_what_was_done_and_undo_takes_it_back(tmp_path: Path) -> None:
    bank = bank_of([single(f"q{n:03}", objectives=["o1" if n < 3 else "o2"]) for n in range(5)])
    bank.misconceptions["mix-up"] = Misconception(name="Mixing up", belief="They are one.", truth="They differ.")
    with open_study(tmp_path, bank, exam_date="2026-06-20") as study:
        progress = Progress(study)
        before = progress.all()
        for response in ("wrong", "right", "right"):
            study.answer(study.next_card(), response, "sure", 6_000)  # type: ignore[arg-type]
            ahead(study, minutes=1)
        practice.answer(study, practice.card(study, "q000"), "wrong", "guess", 3_000)
        found = progress.all()
        assert found["calendar"] == [
            {
                "date": "2026-06-10",
                "reviews": study.stats()["reviews"],
                "correct": 2,
                "minutes": found["time"]["by_origin"]["study"],
            }
        ]
        assert found["time"]["by_origin"].keys() == {"study", "practice"}
        assert found["calibration"]["answers"] == 4
        (belief,) = found["misconceptions"]
        assert (belief["name"], belief["times"], belief["kept"]) == ("Mixing up", 2, True)
        evidence = found["readiness"]["evidence"]
        assert (evidence["first_answers"], evidence["first_right"]) == (2, 1)
        assert found["readiness"]["without_study_until_exam"]["date"] == "2026-06-20"
        seen = {row["id"]: row["seen"] for row in found["mastery"]["objectives"]}
        assert sum(seen.values()) == 2  # the first came again after a minute
        while study.undo():
            pass
        again = progress.all()
    for document in (before, again):
        document.pop("as_of")
    assert again == before


@pytest.mark.parametrize(
    ("zone", "at", "date"),
    [
        ("America/New_York", datetime(2026, 11, 1, 3, 59), "2026-10-31"),  # the night the clock goes back
        ("America/New_York", datetime(2026, 11, 1, 4, 0), "2026-11-01"),
        ("America/New_York", datetime(2026, 3, 8, 4, 0), "2026-03-08"),  # the night it goes forward
        ("Europe/Berlin", datetime(2026, 10, 25, 23, 30), "2026-10-25"),
        ("Pacific/Kiritimati", datetime(2026, 6, 1, 5, 0), "2026-06-01"),
    ],
)
def test_the_calendar_goes_by_local_study_days(tmp_path: Path, zone: str, at: datetime, date: str) -> None:
    clock = FixedClock(at.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC))
    with open_study(tmp_path, small_bank(1), clock, zone=zone) as study:
        study.answer(study.next_card(), "right", None, 1_000)  # type: ignore[arg-type]
        found = Progress(study).all()
    assert [day["date"] for day in found["calendar"]] == [date]
    assert found["today"] == date


def test_no_negative_time_when_the_clock_goes_back(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(2)) as study:
        study.answer(study.next_card(), "right", None, -5_000)  # type: ignore[arg-type]
        ahead(study, days=-3)
        study.answer(study.next_card(), "right", None, 10**9)  # type: ignore[arg-type]
        found = Progress(study).all()
    assert found["time"]["minutes"] == 10.0
    assert found["forecast"]["backlog"] >= 0
