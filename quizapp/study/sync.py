"""Brings the cards in line with the bank: new questions get a card, vanished ones become orphans and keep theirs."""

from __future__ import annotations

import sqlite3
import zlib
from typing import Any

from quizapp.bank.load import Bank
from quizapp.bank.schema import Question
from quizapp.store.database import Database

_COLUMNS = ("topic", "kind", "style", "family", "position")


def position_of(question: Question) -> int:
    """Easy questions come first; within a difficulty the id's checksum mixes the topics, the same way every time."""
    return (question.difficulty << 32) | zlib.crc32(question.id.encode())


def checksum(bank: Bank) -> int:
    """31 bits over everything of the bank that cards hold; never 0."""
    topic = bank.topic
    said = "\n".join(
        f"{key}\0{topic.get(key)}\0{q.kind}\0{q.style}\0{q.family}\0{q.difficulty}" for key, q in bank.questions.items()
    )
    return zlib.crc32(said.encode("utf-8", "surrogatepass")) & 0x7FFF_FFFF or 1


def sync_cards(database: Database, bank: Bank, wanted: int) -> bool:
    """Writes only what differs, in one transaction. Progress, flags and notes are never touched.

    `wanted` is the bank's checksum. SQLite keeps a number for its user in the file's header: ours is the checksum of
    the bank that the cards are in line with, so that an unchanged bank costs no look at the cards. False when the
    cards are not in line and cannot be brought there, because the store is read-only.
    """
    with database.reading() as connection:
        if connection.execute("PRAGMA user_version").fetchone()[0] == wanted:
            return True
    if database.read_only:
        return False
    with database.writing() as connection:
        for sql, rows in _differences(connection, bank):
            connection.executemany(sql, rows)
        connection.execute(f"PRAGMA user_version = {wanted}")
    return True


def _differences(connection: sqlite3.Connection, bank: Bank) -> list[tuple[str, list[dict[str, Any]]]]:
    wanted = {
        key: (bank.topic.get(key, ""), q.kind, q.style, q.family, position_of(q)) for key, q in bank.questions.items()
    }
    there = {
        row[0]: (bool(row[1]), tuple(row[2:]))
        for row in connection.execute(f"SELECT question_id, orphan, {', '.join(_COLUMNS)} FROM card")
    }

    def values(key: str) -> dict[str, Any]:
        return {"id": key, **dict(zip(_COLUMNS, wanted[key], strict=True))}

    added = [values(key) for key in wanted if key not in there]
    changed = [values(key) for key in wanted if key in there and there[key] != (False, wanted[key])]
    gone = [{"id": key} for key, (orphan, _) in there.items() if not orphan and key not in wanted]
    insert = (
        "INSERT INTO card (question_id, topic, kind, style, family, position, orphan, suspended, flagged, flag_reason, "
        "note, state, interval, reps, lapses, leech) "
        "VALUES (:id, :topic, :kind, :style, :family, :position, 0, 0, 0, '', '', 'new', 0, 0, 0, 0)"
    )
    update = (
        "UPDATE card SET topic = :topic, kind = :kind, style = :style, family = :family, position = :position, "
        "orphan = 0 WHERE question_id = :id"
    )
    orphan = "UPDATE card SET orphan = 1 WHERE question_id = :id"
    return [(sql, rows) for sql, rows in ((insert, added), (update, changed), (orphan, gone)) if rows]
