"""The learner's own pace and the minutes of a day, from the rollups: every screen asks here."""

from __future__ import annotations

import sqlite3

from quizapp.memory.pace import Pace

_STUDY = "SELECT sum(count), sum(hits) FROM rollup WHERE kind = 'time' AND key <> 'exam'"
"""A mock exam has a clock of its own and shows no reasons: it is no measure of study."""


def pace_of(connection: sqlite3.Connection) -> Pace:
    answers, milliseconds = connection.execute(_STUDY).fetchone()
    return Pace.of(answers or 0, (milliseconds or 0) / 1000)


def minutes_on(connection: sqlite3.Connection, day: int) -> float:
    """Minutes of answering in Study and Practice on a study day, mock exams apart."""
    _, milliseconds = connection.execute(f"{_STUDY} AND day = ?", (day,)).fetchone()
    return (milliseconds or 0) / 60_000
