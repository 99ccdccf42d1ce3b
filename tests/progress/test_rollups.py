"""The rollups equal the log recounted from nothing: after any answers, undo, override, exam and practice rows."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from study.helpers import START, ahead, open_study, rows, small_bank

from quizapp.clock import FixedClock
from quizapp.memory.state import CardState
from quizapp.progress import bins
from quizapp.study import practice, replay
from quizapp.study.study import Study

STEP = st.tuples(
    st.sampled_from(["right", "wrong", "blank", "undo", "override", "practise", "wait", "key"]),
    st.sampled_from([None, "sure", "unsure", "guess"]),
    st.integers(0, 3),
)


def recount(home: Path) -> dict[tuple[str, str, int], list[int]]:
    """By hand, from the rows of the log alone."""
    found: dict[tuple[str, str, int], list[int]] = {}

    def add(kind: str, key: str, day: int, hits: int) -> None:
        entry = found.setdefault((kind, key, day), [0, 0])
        entry[0] += 1
        entry[1] += hits

    sql = (
        "SELECT question_id, day, rating, correct, confidence, misconceptions, duration_ms, origin, before FROM review "
        "WHERE id NOT IN (SELECT review_id FROM undo) AND origin NOT IN ('keep', 'forget')"
    )
    for name, day, rating, correct, confidence, beliefs, duration, origin, before in rows(home, sql):
        state = CardState.from_json(before)
        add("question", name, 0, correct)
        add("time", origin, day, duration)
        if state.review is None:
            add("first", name, 0, correct)
        if confidence:
            add("confidence", confidence, day, correct)
        for belief in set(json.loads(beliefs)):
            add("misconception", belief, day, 0)
        if state.last_day is not None and day > state.last_day:
            if state.state == "review" and rating:
                add("retention", "mature" if state.interval >= 21 else "young", day, int(rating > 1))
            if rating or origin == "exam":
                at = sum((day - state.last_day) / state.stability >= edge for edge in bins.EDGES)
                add("recall", f"{at:02}", 0, correct)
    return found


def take(study: Study, step: tuple[str, str | None, int]) -> None:
    what, confidence, number = step
    if what == "wait":
        ahead(study, minutes=11) if number == 0 else ahead(study, days=number * 4)
    elif what == "undo":
        study.undo()
    elif what == "practise":
        practice.answer(
            study, practice.card(study, f"q00{number % 3}"), "wrong" if number else "right", confidence, 900
        )  # type: ignore[arg-type]
    elif what == "override":
        newest = study.database
        with newest.reading() as connection:
            from quizapp.store.log import last_in_force

            last = last_in_force(connection)
        if last is not None and last.rating is not None:
            study.override(last.id, ["again", "hard", "good", "easy"][number])  # type: ignore[arg-type]
    elif what == "key":
        study.settle_key(f"q00{number % 3}", keep=number > 1)
    else:
        card = study.next_card()
        if card is not None:
            study.answer(card, None if what == "blank" else what, confidence, 500 + number)  # type: ignore[arg-type]


def stored(home: Path) -> dict[tuple[str, str, int], list[int]]:
    return {(kind, key, day): [n, hits] for kind, key, day, n, hits in rows(home, "SELECT * FROM rollup")}


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEP, min_size=5, max_size=40))
def test_counts_equal_the_log_recomputed_from_scratch(steps: list[tuple[str, str | None, int]]) -> None:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        with open_study(home, small_bank(3), FixedClock(START), learn_ahead_minutes=0) as study:
            for step in steps:
                take(study, step)
            assert stored(home) == recount(home)
            report = replay.check(study.database)
            assert report.ok, report.differences
            days = Counter[int]()
            for (kind, _, day), (count, _) in recount(home).items():
                days[day] += count if kind == "time" else 0
            assert sum(days.values()) >= study.stats()["reviews"]


def test_undoing_everything_leaves_no_rollup(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(2)) as study:
        for _ in range(2):
            study.answer(study.next_card(), "wrong", "sure", 1_000)
            ahead(study, minutes=2)
        assert stored(tmp_path)["misconception", "mix-up", START.toordinal()] == [2, 0]
        while study.undo():
            pass
        assert stored(tmp_path) == {}


def test_a_replay_rebuilds_the_rollups_and_a_check_sees_a_wrong_one(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(2)) as study:
        study.answer(study.next_card(), "right", "sure", 1_000)
        before = stored(tmp_path)
        with closing(sqlite3.connect(tmp_path / "quizapp.db")) as connection:
            connection.execute("UPDATE rollup SET hits = hits + 1 WHERE kind = 'first'")
            connection.commit()
        (said,) = replay.check(study.database).differences
        assert "tally ('first', 'q00" in said
        replay.rebuild(study.database)
        assert stored(tmp_path) == before


def test_the_migration_fills_the_rollups_from_an_older_log(tmp_path: Path) -> None:
    bank = small_bank(3)
    with open_study(tmp_path, bank, FixedClock(START)) as study:
        for n in range(24):
            card = study.next_card()
            if card is not None:
                study.answer(card, ["right", "wrong"][n % 5 == 0], ["sure", None, "guess"][n % 3], 700 + n)  # type: ignore[arg-type]
            ahead(study, days=n % 4, minutes=20)
            practice.answer(study, practice.card(study, "q001"), "wrong", "sure", 300)
        study.undo()
        before = stored(tmp_path)
    assert {kind for kind, _, _ in before} == {
        "question", "first", "retention", "confidence", "misconception", "recall", "time",
    }  # fmt: skip
    with closing(sqlite3.connect(tmp_path / "quizapp.db")) as connection:
        connection.execute("DROP TABLE rollup")
        connection.execute("UPDATE alembic_version SET version_num = '0003'")
        connection.commit()
    with open_study(tmp_path, bank, FixedClock(START + timedelta(days=90)), zone=None) as study:
        assert stored(tmp_path) == before
        assert replay.check(study.database).ok


def test_bins_in_sql_and_in_python_agree(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for elapsed in (0, 1, 2, 7, 30, 400, 4000):
            for stability in (0.001, 0.4, 1.0, 2.3065, 15.69, 64.0, 3000.0):
                sql = f"SELECT {bins.sql(str(elapsed), repr(stability))}"
                assert connection.execute(sql).fetchone()[0] == bins.bin_of(elapsed, stability)
    assert bins.recall(1.0, 0.1542) == 0.9
