"""Appending to the log, and the counts of the day that go with each review."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from quizapp.store.database import Record, records

COUNTED = ("reviews", "correct", "new", "due", "tested", "retained", "duration_ms")
_ADD_TO_DAY = (
    f"INSERT INTO daily (day, {', '.join(COUNTED)}) VALUES (:day, {', '.join(f':{name}' for name in COUNTED)}) "
    f"ON CONFLICT (day) DO UPDATE SET {', '.join(f'{name} = {name} + excluded.{name}' for name in COUNTED)}"
)
_DROP_DAY = f"DELETE FROM daily WHERE day = :day AND NOT ({' OR '.join(COUNTED)})"


def next_review_id(connection: sqlite3.Connection) -> int:
    """The id the next review will get. True only inside a writing transaction: rows are never deleted."""
    return int(connection.execute("SELECT coalesce(max(id), 0) + 1 FROM review").fetchone()[0])


def add_review(connection: sqlite3.Connection, values: Mapping[str, Any]) -> None:
    """`values` are the columns of `tables.Review`; what is left out is NULL."""
    names = ", ".join(f'"{name}"' for name in values)
    connection.execute(f"INSERT INTO review ({names}) VALUES ({', '.join(f':{name}' for name in values)})", values)


def review_of(connection: sqlite3.Connection, review_id: int) -> Record | None:
    return records(connection, "SELECT * FROM review WHERE id = :id", {"id": review_id}).fetchone()


def scheduler_id(connection: sqlite3.Connection, config: str) -> int:
    """The id of a scheduler configuration, stored when it is seen for the first time."""
    row = connection.execute("SELECT id FROM scheduler WHERE config = ?", (config,)).fetchone()
    if row is not None:
        return int(row[0])
    added = connection.execute("INSERT INTO scheduler (config) VALUES (?) RETURNING id", (config,)).fetchone()
    return int(added[0])


def counts_on(connection: sqlite3.Connection, day: int) -> Record | None:
    """The row of a study day; None when nothing was answered on it."""
    return records(connection, "SELECT * FROM daily WHERE day = :day", {"day": day}).fetchone()


def add_to_day(connection: sqlite3.Connection, day: int, counts: Mapping[str, int], sign: int = 1) -> None:
    """Adds (or, with sign -1, takes back) a review's counts. A day without any is not kept."""
    if not any(counts.values()):
        return
    connection.execute(_ADD_TO_DAY, {"day": day, **{name: sign * counts[name] for name in COUNTED}})
    if sign < 0:
        connection.execute(_DROP_DAY, {"day": day})


def last_in_force(connection: sqlite3.Connection) -> Record | None:
    """The newest review that was not taken back."""
    sql = (
        "SELECT r.* FROM review r LEFT JOIN undo u ON u.review_id = r.id WHERE u.review_id IS NULL "
        "ORDER BY r.id DESC LIMIT 1"
    )
    return records(connection, sql).fetchone()


def take_back(connection: sqlite3.Connection, review_id: int, at: int, reason: str) -> None:
    connection.execute("INSERT INTO undo (review_id, at, reason) VALUES (?, ?, ?)", (review_id, at, reason))


def is_taken_back(connection: sqlite3.Connection, review_id: int) -> bool:
    return connection.execute("SELECT 1 FROM undo WHERE review_id = ?", (review_id,)).fetchone() is not None


def add_action(connection: sqlite3.Connection, card_id: int, question_id: str, at: int, what: str, value: str) -> None:
    sql = "INSERT INTO action (card_id, question_id, at, what, value) VALUES (?, ?, ?, ?, ?)"
    connection.execute(sql, (card_id, question_id, at, what, value))


def reviews_in_order(connection: sqlite3.Connection, undone: bool = False) -> Iterator[dict[str, Any]]:
    """Reviews as mappings, oldest first, with `undone_at`; those taken back only when asked for."""
    sql = (
        "SELECT r.*, u.at AS undone_at, u.reason AS undone_reason FROM review r "
        "LEFT JOIN undo u ON u.review_id = r.id " + ("" if undone else "WHERE u.review_id IS NULL ") + "ORDER BY r.id"
    )
    for row in records(connection, sql):
        yield dict(row)


def reviews_of_card(connection: sqlite3.Connection, card_id: int) -> list[Record]:
    """The card's reviews in force, newest first."""
    sql = (
        "SELECT r.* FROM review r LEFT JOIN undo u ON u.review_id = r.id "
        "WHERE r.card_id = :card_id AND u.review_id IS NULL ORDER BY r.id DESC"
    )
    return records(connection, sql, {"card_id": card_id}).fetchall()


def last_instant(connection: sqlite3.Connection) -> int | None:
    """UTC milliseconds of the newest answer, undone or not."""
    found: int | None = connection.execute("SELECT max(reviewed_at) FROM review").fetchone()[0]
    return found
