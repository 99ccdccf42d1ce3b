"""Rows of the labs: their log, the questions a pass calls up, and the answers that claims are judged by."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import text
from sqlmodel import Session

from quizapp.store.tables import LabEvent, LabFollowup


def add_event(session: Session, lab: str, attempt: int, at: int, what: str, value: str) -> None:
    session.add(LabEvent(lab=lab, attempt=attempt, at=at, what=what, value=value))


def call_up(session: Session, question_ids: Iterable[str], lab: str, at: int) -> None:
    """From `at` on these questions are asked before anything new, whether they were answered before or not."""
    for question_id in question_ids:
        session.merge(LabFollowup(question_id=question_id, lab=lab, at=at))


def answers_to(session: Session, question_ids: Iterable[str]) -> dict[str, tuple[bool, str | None]]:
    """(right, confidence) of the newest answer in force to each question that has one."""
    sql = (
        "SELECT r.question_id, r.correct, r.confidence FROM card c JOIN review r ON r.id = c.review "
        "WHERE r.rating IS NOT NULL AND c.question_id IN (SELECT value FROM json_each(:ids))"
    )
    rows = session.execute(text(sql), {"ids": json.dumps(list(question_ids))})
    return {question_id: (bool(correct), confidence) for question_id, correct, confidence in rows}
