"""The log: append-only (triggers refuse to change or delete its rows). Cards and counts follow from it."""

from __future__ import annotations

from sqlmodel import Field, SQLModel


class SchedulerRow(SQLModel, table=True):
    """A configuration under which reviews were scheduled."""

    __tablename__ = "scheduler"

    id: int | None = Field(default=None, primary_key=True)
    config: str = Field(unique=True)
    """`SchedulerConfig` as canonical JSON."""


class Review(SQLModel, table=True):
    """One change of a card's memory state: an answer, or a decision to begin again."""

    __tablename__ = "review"

    id: int | None = Field(default=None, primary_key=True)
    card_id: int = Field(foreign_key="card.id", index=True)
    question_id: str
    seed: int
    """With the question id it names the variant that was shown."""
    content: str
    """Hash of the question as it was worded then."""
    reviewed_at: int = Field(index=True)
    """UTC milliseconds."""
    day: int
    """Study day that the answer counts for."""
    duration_ms: int
    response: str
    """The response as JSON (option ids, typed text, pairs); `null` for blank."""
    score: float
    correct: bool
    blank: bool
    confidence: str | None = None
    rating: int | None = None
    """1 again, 2 hard, 3 good, 4 easy; none for a decision."""
    rating_reason: str
    misconceptions: str = "[]"
    """JSON list of the beliefs that the chosen wrong parts stand for."""
    origin: str
    """study, plain, lab, exam … ; keep or forget for a decision after a changed key."""
    before: str
    after: str
    scheduler_id: int = Field(foreign_key="scheduler.id")
    replaces: int | None = Field(default=None, foreign_key="review.id")
    """The review whose rating the learner overrode."""


class Undo(SQLModel, table=True):
    """Takes a review out of force. The review's own row stays."""

    __tablename__ = "undo"

    review_id: int = Field(primary_key=True, foreign_key="review.id")
    at: int
    reason: str
    """undo, or override when another review takes its place."""


class Action(SQLModel, table=True):
    """What the learner marked by hand: flag, suspend, bury, note."""

    __tablename__ = "action"

    id: int | None = Field(default=None, primary_key=True)
    card_id: int = Field(foreign_key="card.id", index=True)
    question_id: str
    at: int
    what: str
    value: str
    """JSON of the columns that were set."""
