"""Cards (one a question) and the counts of each study day. Both can be rebuilt from the log."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Index, text
from sqlmodel import Field, SQLModel


class CardRow(SQLModel, table=True):
    """What is known of one question: what the bank says, what the learner marked, what memory holds.

    The third part mirrors `quizapp.memory.state.CardState` field by field.
    """

    __tablename__ = "card"

    id: int | None = Field(default=None, primary_key=True)
    question_id: str = Field(unique=True)
    topic: str
    kind: str
    style: str
    family: str | None = None
    position: int
    """Order in which new cards come: easy ones first, topics mixed."""
    orphan: bool = False
    """Its question is in no bank now; the progress is kept for when it comes back."""

    suspended: bool = False
    flagged: bool = False
    flag_reason: str = ""
    buried_on: int | None = None
    """Study day for which the learner put it off."""
    note: str = ""

    state: str = "new"
    step: int | None = None
    stability: float | None = None
    difficulty: float | None = None
    due_at: int | None = None
    due_day: int | None = None
    last_at: int | None = None
    last_day: int | None = None
    interval: int = 0
    reps: int = 0
    lapses: int = 0
    leech: bool = False
    key: str | None = None
    review: int | None = None

    # Partial indexes hold just the cards that can be asked, in the order in which they are.
    __table_args__: Any = (
        Index("card_new", "position", sqlite_where=text("state = 'new' AND suspended = 0 AND orphan = 0")),
        Index(
            "card_due", "due_day", "position", sqlite_where=text("state = 'review' AND suspended = 0 AND orphan = 0")
        ),
        Index(
            "card_learning",
            "due_at",
            "buried_on",
            sqlite_where=text("state IN ('learning', 'relearning') AND suspended = 0 AND orphan = 0"),
        ),
        Index("card_family", "family", sqlite_where=text("family IS NOT NULL")),
        Index("card_family_day", "last_day", "family", sqlite_where=text("family IS NOT NULL")),
        Index(
            "card_marked", "question_id", sqlite_where=text("suspended = 1 OR flagged = 1 OR leech = 1 OR orphan = 1")
        ),
        Index("card_buried", "buried_on", sqlite_where=text("buried_on IS NOT NULL")),
    )


class Daily(SQLModel, table=True):
    """Counts of one study day, kept in the transaction of each answer."""

    __tablename__ = "daily"

    day: int = Field(primary_key=True)
    reviews: int = 0
    correct: int = 0
    new: int = 0
    """First answers of cards: what the daily limit for new cards counts."""
    due: int = 0
    """Answers of cards in review: what the daily limit for reviews counts."""
    tested: int = 0
    """Answers of cards in review at least a day after the last one: true retention's denominator."""
    retained: int = 0
    """Those of them not rated again."""
    duration_ms: int = 0
