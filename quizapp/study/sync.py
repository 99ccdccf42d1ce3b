"""Brings the cards in line with the bank: new questions get a card, vanished ones become orphans and keep theirs."""

from __future__ import annotations

import zlib

from sqlalchemy import text

from quizapp.bank.load import Bank
from quizapp.bank.schema import Question
from quizapp.store.database import Database

_COLUMNS = ("topic", "kind", "style", "family", "position")


def position_of(question: Question) -> int:
    """Easy questions come first; within a difficulty the id's checksum mixes the topics, the same way every time."""
    return (question.difficulty << 32) | zlib.crc32(question.id.encode())


def sync_cards(database: Database, bank: Bank) -> None:
    """Writes only what differs, in one transaction. Progress, flags and notes are never touched."""
    wanted = {
        key: (bank.topic.get(key, ""), q.kind, q.style, q.family, position_of(q)) for key, q in bank.questions.items()
    }
    with database.read() as session:
        rows = session.execute(text(f"SELECT question_id, orphan, {', '.join(_COLUMNS)} FROM card")).all()
    there = {row[0]: (bool(row[1]), tuple(row[2:])) for row in rows}
    added = [key for key in wanted if key not in there]
    changed = [key for key, values in wanted.items() if key in there and there[key] != (False, values)]
    gone = [key for key, (orphan, _) in there.items() if not orphan and key not in wanted]
    if database.read_only or not (added or changed or gone):
        return
    with database.write() as session:
        if added:
            session.execute(
                text(
                    "INSERT OR IGNORE INTO card (question_id, topic, kind, style, family, position, orphan, suspended, "
                    "flagged, flag_reason, note, state, interval, reps, lapses, leech) "
                    "VALUES (:id, :topic, :kind, :style, :family, :position, 0, 0, 0, '', '', 'new', 0, 0, 0, 0)"
                ),
                [{"id": key, **dict(zip(_COLUMNS, wanted[key], strict=True))} for key in added],
            )
        if changed:
            session.execute(
                text(
                    "UPDATE card SET topic = :topic, kind = :kind, style = :style, family = :family, "
                    "position = :position, orphan = 0 WHERE question_id = :id"
                ),
                [{"id": key, **dict(zip(_COLUMNS, wanted[key], strict=True))} for key in changed],
            )
        if gone:
            session.execute(text("UPDATE card SET orphan = 1 WHERE question_id = :id"), [{"id": key} for key in gone])
