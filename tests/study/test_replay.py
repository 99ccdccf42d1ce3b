"""The replay notices a log that was tampered with, in either state of a review."""

import sqlite3
from contextlib import closing

import pytest

from quizapp.study import replay
from study.helpers import ahead, open_study, small_bank


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("before = after", "begins at"),
        ("after = replace(after, '\"reps\":2', '\"reps\":9')", "replayed to"),
        ("rating = 1", "replayed to"),
        ("day = day + 3", "day "),
    ],
)
def test_a_changed_log_is_reported(tmp_path, change: str, said: str) -> None:
    with open_study(tmp_path, small_bank(1)) as study:
        for _ in range(2):
            study.answer(study.next_card(), "right")
            ahead(study, minutes=15)
        assert replay.check(study.database).ok
    with closing(sqlite3.connect(tmp_path / "quizapp.db")) as connection:
        connection.execute("DROP TRIGGER review_no_update")
        connection.execute(f"UPDATE review SET {change} WHERE id = 2")
        connection.commit()
    with open_study(tmp_path, small_bank(1), zone=None) as study:
        report = replay.check(study.database)
        assert not report.ok
        assert any(said in difference for difference in report.differences)
