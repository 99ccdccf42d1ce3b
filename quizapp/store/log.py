"""Appending to the log, and the counts of the day that go with each review."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import func, text
from sqlmodel import Session, col, select

from quizapp.store.tables import Action, Daily, Review, SchedulerRow, Undo

COUNTED = ("reviews", "correct", "new", "due", "tested", "retained", "duration_ms")


def next_review_id(session: Session) -> int:
    """The id the next review will get. True only inside a writing transaction: rows are never deleted."""
    return int(session.execute(select(func.max(Review.id))).scalar() or 0) + 1


def scheduler_id(session: Session, config: str) -> int:
    """The id of a scheduler configuration, stored when it is seen for the first time."""
    row = session.exec(select(SchedulerRow).where(col(SchedulerRow.config) == config)).first()
    if row is None:
        row = SchedulerRow(config=config)
        session.add(row)
        session.flush()
    assert row.id is not None
    return row.id


def add_to_day(session: Session, day: int, counts: dict[str, int], sign: int = 1) -> None:
    """Adds (or, with sign -1, takes back) a review's counts. A day without any is not kept."""
    if not any(counts.values()):
        return
    row = session.get(Daily, day)
    if row is None:
        row = Daily(day=day)
        session.add(row)
    for name in COUNTED:
        setattr(row, name, getattr(row, name) + sign * counts[name])
    if not any(getattr(row, name) for name in COUNTED):
        session.delete(row)


def last_in_force(session: Session) -> Review | None:
    """The newest review that was not taken back."""
    query = (
        select(Review)
        .outerjoin(Undo, col(Undo.review_id) == col(Review.id))
        .where(col(Undo.review_id).is_(None))
        .order_by(col(Review.id).desc())
        .limit(1)
    )
    return session.exec(query).first()


def take_back(session: Session, review_id: int, at: int, reason: str) -> None:
    session.add(Undo(review_id=review_id, at=at, reason=reason))


def add_action(session: Session, card_id: int, question_id: str, at: int, what: str, value: str) -> None:
    session.add(Action(card_id=card_id, question_id=question_id, at=at, what=what, value=value))


def reviews_in_order(session: Session, undone: bool = False) -> Iterator[dict[str, Any]]:
    """Reviews as mappings, oldest first, with `undone_at`; those taken back only when asked for."""
    sql = (
        "SELECT r.*, u.at AS undone_at, u.reason AS undone_reason FROM review r "
        "LEFT JOIN undo u ON u.review_id = r.id " + ("" if undone else "WHERE u.review_id IS NULL ") + "ORDER BY r.id"
    )
    result = session.execute(text(sql), execution_options={"yield_per": 2000})
    for row in result.mappings():
        yield dict(row)


def last_instant(session: Session) -> int | None:
    """UTC milliseconds of the newest answer, undone or not."""
    return session.execute(select(func.max(Review.reviewed_at))).scalar()
