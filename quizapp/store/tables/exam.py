"""Sittings of mock exams. A running one is saved after each action; a submitted one is never changed again."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Index, text
from sqlmodel import Field, SQLModel


class SittingRow(SQLModel, table=True):
    """Instants are UTC milliseconds."""

    __tablename__ = "sitting"

    id: int | None = Field(default=None, primary_key=True)
    blueprint: str
    title: str
    open: bool = True
    started_at: int
    saved_at: int
    """The last action or tick that was saved."""
    submitted_at: int | None = None
    version: int = 0
    """Counts the saves, so that two windows cannot sit the same exam."""
    paper: str
    """`quizapp.exam.assemble.Paper` as JSON: which questions, which variants, in which order."""
    questions: str
    """The questions themselves as they were worded and keyed when the paper was made: JSON by id."""
    record: str
    """The rest of `quizapp.exam.sitting.Sitting` as JSON: replies, clock, where the candidate is."""
    summary: str | None = None
    """What it came to, as JSON; written once, at submit."""

    # At most one exam runs at a time.
    __table_args__: Any = (Index("sitting_running", "open", unique=True, sqlite_where=text("open = 1")),)
