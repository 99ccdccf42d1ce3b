"""Bugs that others shipped in due dates, undo, counts and imports (docs/known-bugs.md, rows 7, 10 to 14, 28 to 41)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from quizapp.clock import FixedClock
from quizapp.memory.day import zone_named
from quizapp.memory.state import STATE_FIELDS
from quizapp.study import fitting, replay
from quizapp.study.export import COLUMNS, export_lines
from study.helpers import START, ahead, bank_of, dump, open_study, rows, single, small_bank


@pytest.mark.parametrize(
    "zone",
    ["Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Auckland",
     "America/Santiago", "Etc/GMT+12"],
)  # fmt: skip
@pytest.mark.parametrize("wall", ["2026-04-03 23:30", "2026-04-04 01:00", "2026-09-25 12:00", "2026-10-03 03:59"])
def test_due_is_the_local_rollover_and_not_midnight_in_utc(tmp_path: Path, zone: str, wall: str) -> None:
    """ubermenchh/anki-cli#21: due a day early, by UTC's midnight, and written so. Here clocks change as well."""
    local = zone_named(zone)
    clock = FixedClock(datetime.fromisoformat(wall).replace(tzinfo=local))
    with open_study(tmp_path, small_bank(1), clock, zone=zone) as study:
        outcome = study.answer(study.next_card(), "right", "sure")  # type: ignore[arg-type]
        today = (datetime.fromisoformat(wall) - timedelta(hours=4)).date()
        due = outcome.due_at.astimezone(local)
        assert (due.hour, due.minute) == (4, 0)
        assert due.date() == today + timedelta(days=outcome.interval_days)
        assert rows(tmp_path, "SELECT due_day, last_day FROM card") == [(due.date().toordinal(), today.toordinal())]
        clock.instant = outcome.due_at - timedelta(seconds=1)
        assert study.next_card() is None
        clock.instant = outcome.due_at
        assert study.next_card() is not None


def test_instants_are_kept_in_utc_and_told_in_the_learners_zone(tmp_path: Path) -> None:
    """py-fsrs#23: times in UTC confuse those who live elsewhere."""
    with open_study(tmp_path, small_bank(1), zone="Asia/Kathmandu", learn_ahead_minutes=0) as study:  # UTC+5:45
        study.clock.instant = datetime(2026, 6, 10, 10, 0, tzinfo=UTC)  # type: ignore[attr-defined]
        outcome = study.answer(study.next_card(), "right")  # type: ignore[arg-type]
        assert rows(tmp_path, "SELECT reviewed_at FROM review") == [(study.clock.now().timestamp() * 1000,)]
        (line,) = export_lines(study.database, "jsonl")
        assert json.loads(line)["reviewed_at"] == "2026-06-10T10:00:00.000+00:00"
        assert study.moment().due_text(outcome.due_at + timedelta(hours=2)) == "at 17:55"
        ahead(study, minutes=10)
        outcome = study.answer(study.next_card(), "right")  # type: ignore[arg-type]
        due = study.moment().today + outcome.interval_days
        assert f"({date.fromordinal(due):%a} {date.fromordinal(due).day} " in outcome.next_due_text


def test_elapsed_days_are_derived_and_stored_nowhere(tmp_path: Path) -> None:
    """py-fsrs#24, ts-fsrs#144: a stored number of elapsed days went stale."""
    with open_study(tmp_path):
        pass
    columns = {name for (name,) in rows(tmp_path, "SELECT name FROM pragma_table_info('card') UNION "
                                                  "SELECT name FROM pragma_table_info('review')")}  # fmt: skip
    assert {"last_day", "due_day", "reviewed_at"} <= columns
    assert not [name for name in {*columns, *STATE_FIELDS, *COLUMNS} if "elapsed" in name or "ago" in name]


def test_an_app_left_open_overnight_begins_the_new_day(tmp_path: Path) -> None:
    """ankitects/anki#4089: the time of opening was taken for now."""
    with open_study(tmp_path, small_bank(9), new_per_day=3) as study:
        for _ in range(3):
            study.answer(study.next_card(), "right", "sure")  # type: ignore[arg-type]
        assert (study.next_card(), study.home().reviews_today) == (None, 3)
        ahead(study, hours=19)  # 05:00, nothing was opened anew
        assert study.home().reviews_today == 0
        card = study.next_card()
        assert card is not None
        study.answer(card, "right", "sure")
    days = rows(tmp_path, "SELECT day, count(*) FROM review GROUP BY day ORDER BY day")
    assert days == [(START.toordinal(), 3), (START.toordinal() + 1, 1)]


def test_undo_meets_the_answer_and_nothing_hidden_whatever_else_was_changed_since(tmp_path: Path) -> None:
    """fsrs4anki-helper#547, Anki-Android#14482, #16119: undo met a hidden rescheduling or later edits first."""
    with open_study(tmp_path, small_bank(4)) as study:
        card = study.next_card()
        assert card is not None
        answered = study.answer(card, "right", "sure")
        before = dump(tmp_path, ["card"])
        study.save_settings(desired_retention=0.8, exam_date=date(2026, 7, 1))
        fitting.optimise(study)
        assert dump(tmp_path, ["card"]) == before  # nothing is rescheduled behind the learner's back
        study.note("q002", "kept")
        study.flag("q003", True)
        undone = study.undo()
        assert undone is not None
        assert undone.review_id == answered.review_id
        assert study.card_info(card.question.id).state == "new"
        assert study.settings().desired_retention == 0.8
        assert (study.card_info("q003").flagged, study.card_info("q002").note) == (True, "kept")
        assert study.undo() is None


def test_a_rating_chosen_afterwards_is_part_of_its_answer_for_undo(tmp_path: Path) -> None:
    """fsrs4anki-helper#547: one answer is one step, though a rating of one's own wrote a second row."""
    with open_study(tmp_path, small_bank(2)) as study:
        before = dump(tmp_path, ["card", "daily"])
        outcome = study.answer(study.next_card(), "right", "sure")  # type: ignore[arg-type]
        study.override(outcome.review_id, "hard")
        study.undo()
        assert dump(tmp_path, ["card", "daily"]) == before
        assert study.undo() is None


def test_a_card_put_off_twice_is_counted_once_and_never_below_nothing(tmp_path: Path) -> None:
    """ankitects/anki#4752: a buried count of -1. By hand and by a sibling, with undo, over the rollover and a zone."""
    bank = bank_of([single("a1", family="a"), single("a2", family="a"), single("b")])
    with open_study(tmp_path, bank) as study:
        first = next(one for one in ("a1", "a2") if study.next_card(exclude=["b"]).question.id == one)  # type: ignore[union-attr]
        other = ({"a1", "a2"} - {first}).pop()
        study.bury(other)
        assert study.counts().buried == 1
        study.answer(study.next_card(exclude=["b"]), "right", "sure")  # type: ignore[arg-type]
        assert study.counts().buried == 1  # by hand and by its sibling
        study.bury(other, on=False)
        assert study.counts().buried == 1
        study.suspend(other, True)
        assert study.counts().buried == 0
        study.suspend(other, False)
        study.undo()
        assert study.counts().buried == 0
        study.bury(other)
        for zone in ("Pacific/Kiritimati", "Etc/GMT+12", "UTC"):
            study.save_settings(zone=zone)
            assert study.counts().buried in (0, 1)
            assert (
                study.counts().buried
                == study.stats()["buried"]
                == sum(study.card_info(q).buried for q in bank.questions)
            )
        ahead(study, days=1)
        assert study.counts().buried == 0


def test_cards_are_rebuilt_from_the_log_and_no_lapse_is_lost(tmp_path: Path) -> None:
    """fsrs4anki-helper#648: whichever copy was changed last won, and lapses of the other were gone."""
    bank = small_bank(4)
    with open_study(tmp_path, bank, learn_ahead_minutes=0) as study:
        for n in range(40):
            card = study.next_card()
            if card is None:
                ahead(study, days=9)
            else:
                study.answer(card, "wrong" if n % 3 == 0 else "right", None, 500)
                ahead(study, minutes=11)
        before = dump(tmp_path, ["card", "daily", "rollup"])
        lapses = rows(tmp_path, "SELECT sum(lapses) FROM card")
        assert lapses[0][0] > 2
        with closing(sqlite3.connect(tmp_path / "quizapp.db")) as connection:  # as a copy that knows less
            connection.execute("UPDATE card SET lapses = 0, reps = 1, stability = 1.0")
            connection.execute("DELETE FROM daily")
            connection.commit()
        assert not replay.check(study.database).ok
        replay.rebuild(study.database)
        assert dump(tmp_path, ["card", "daily", "rollup"]) == before
        assert replay.check(study.database).ok


def test_a_bank_read_again_from_anywhere_adds_nothing_and_touches_no_progress(tmp_path: Path) -> None:
    """anki-apkg-export#37, Stvad/CrowdAnki#192: a second import doubled every note, or took its progress away."""
    home = tmp_path / "home"
    first = bank_of([single(f"q{n}") for n in range(3)])
    with open_study(home, first) as study:
        study.answer(study.next_card(), "right", "sure")  # type: ignore[arg-type]
        study.flag("q1", True, "why")
        study.suspend("q2", True)
    columns = "question_id, state, stability, difficulty, due_day, reps, lapses, flagged, flag_reason, suspended"
    progress = f"SELECT {columns} FROM card ORDER BY 1"
    before, log = rows(home, progress), dump(home, ["review", "daily"])
    for edit in ({}, {"ask": "Reworded?"}, {"difficulty": 4, "style": "scenario", "tags": ["moved"]}, {"family": "f"}):
        for there in ("201", "21", "0", "120"):  # in another order; some are gone for a while
            with open_study(home, bank_of([single(f"q{n}", **edit) for n in there]), zone=None) as study:
                assert study.counts().total == len(there)
            assert rows(home, progress) == before
            assert dump(home, ["review", "daily"]) == log
