"""Rows of the labs: how each stands, their log, the questions a pass calls up, and the answers that claims need."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from quizapp.store.database import Record, records


def lab_rows(connection: sqlite3.Connection) -> dict[str, Record]:
    """How every lab that was begun stands, by its id: the columns of `tables.LabRow`."""
    return {row.lab: row for row in records(connection, "SELECT lab, record, stage, passed_at FROM lab")}


def keep_lab(connection: sqlite3.Connection, lab: str, record: str, stage: str, passed_at: int | None) -> None:
    connection.execute(
        "INSERT INTO lab (lab, record, stage, passed_at) VALUES (?, ?, ?, ?) ON CONFLICT (lab) "
        "DO UPDATE SET record = excluded.record, stage = excluded.stage, passed_at = excluded.passed_at",
        (lab, record, stage, passed_at),
    )


def add_event(connection: sqlite3.Connection, lab: str, attempt: int, at: int, what: str, value: str) -> None:
    sql = "INSERT INTO lab_event (lab, attempt, at, what, value) VALUES (?, ?, ?, ?, ?)"
    connection.execute(sql, (lab, attempt, at, what, value))


def call_up(connection: sqlite3.Connection, question_ids: Iterable[str], lab: str, at: int) -> None:
    """From `at` on these questions are asked before anything new, whether they were answered before or not."""
    sql = "INSERT INTO lab_followup (question_id, lab, at) VALUES (?, ?, ?) ON CONFLICT (question_id) "
    sql += "DO UPDATE SET lab = excluded.lab, at = excluded.at"
    connection.executemany(sql, [(question_id, lab, at) for question_id in question_ids])


def answers_to(connection: sqlite3.Connection, question_ids: Iterable[str]) -> dict[str, tuple[bool, str | None]]:
    """(right, confidence) of the newest answer in force to each question that has one."""
    sql = (
        "SELECT r.question_id, r.correct, r.confidence FROM card c JOIN review r ON r.id = c.review "
        "WHERE r.rating IS NOT NULL AND c.question_id IN (SELECT value FROM json_each(?))"
    )
    rows = connection.execute(sql, (json.dumps(list(question_ids)),))
    return {question_id: (bool(correct), confidence) for question_id, correct, confidence in rows}
