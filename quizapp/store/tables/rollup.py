"""Tallies of the log, kept in the transaction of each answer, rebuilt by a replay, read by the progress screens."""

from __future__ import annotations

from sqlmodel import Field, SQLModel


class Rollup(SQLModel, table=True):
    """One count. `quizapp.study.tallying` says what each kind counts and what its key is."""

    __tablename__ = "rollup"

    kind: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    day: int = Field(primary_key=True)
    """Study day; 0 where a kind is not kept by day."""
    count: int
    hits: int
    """How many of `count` were right (or, of time, the milliseconds)."""
