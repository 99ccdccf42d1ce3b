"""Labs: how each stands now, everything that was done in it (append-only), and the questions that a pass calls up."""

from __future__ import annotations

from sqlmodel import Field, SQLModel


class LabRow(SQLModel, table=True):
    """One lab's `labs.session.Record` as it is now. The log of `LabEvent` says how it came about."""

    __tablename__ = "lab"

    lab: str = Field(primary_key=True)
    record: str
    """JSON of the record."""
    stage: str
    passed_at: int | None = None
    """UTC milliseconds of the first pass; a reset does not take it away."""


class LabEvent(SQLModel, table=True):
    """A prediction, a run, a reading, an explanation, a hint, a pass, a reset: never changed, never deleted."""

    __tablename__ = "lab_event"

    id: int | None = Field(default=None, primary_key=True)
    lab: str = Field(index=True)
    attempt: int
    at: int
    """UTC milliseconds."""
    what: str
    value: str
    """What was given, as JSON."""


class LabFollowup(SQLModel, table=True):
    """A question that a passed lab called up: due until it is answered after `at`, new or not."""

    __tablename__ = "lab_followup"

    question_id: str = Field(primary_key=True)
    lab: str
    at: int
    """UTC milliseconds of the pass."""
