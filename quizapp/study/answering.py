"""Answer, override, undo: each one transaction that changes a card, the log and the day's counts together."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from quizapp.bank.grade import Grade
from quizapp.bank.response import Response
from quizapp.memory.rating import Rating
from quizapp.memory.scheduler import forget
from quizapp.memory.state import CardState
from quizapp.store import log
from quizapp.store.cards import card_of
from quizapp.store.database import Database, Record
from quizapp.store.errors import Conflict, StoreError
from quizapp.store.tallies import add_tallies
from quizapp.study.counting import counts_of
from quizapp.study.moment import Moment
from quizapp.study.rows import put_state, state_of
from quizapp.study.tallying import tallies_of_row
from quizapp.study.values import Card, Outcome

LONGEST_MS = 600_000
"""Time counted for one answer at most: a question left open over lunch is not study."""
CHOSEN = "chosen by you"


def config_json(moment: Moment) -> str:
    return json.dumps(moment.scheduler.config.to_dict(), sort_keys=True, separators=(",", ":"))


def _card(connection: sqlite3.Connection, question_id: str) -> Record:
    row = card_of(connection, question_id)
    if row is None:
        raise StoreError(f"Question '{question_id}' has no card in this store; see 'quizapp bank list'.")
    return row


def append(
    connection: sqlite3.Connection,
    moment: Moment,
    row: Record,
    after: CardState,
    *,
    before_state: CardState,
    **values: Any,
) -> int:
    """Writes the review, moves the card to `after` and counts the day. Returns the review's number."""
    review_id = log.next_review_id(connection)
    after = replace(after, review=review_id)
    review = {
        "id": review_id,
        "card_id": row.id,
        "question_id": row.question_id,
        "before": before_state.to_json(),
        "after": after.to_json(),
        "scheduler_id": log.scheduler_id(connection, config_json(moment)),
        **values,
    }
    log.add_review(connection, review)
    put_state(connection, row.id, after)
    _count(connection, before_state, review)
    return review_id


def _count(
    connection: sqlite3.Connection, before: CardState, review: Mapping[str, Any] | Record, sign: int = 1
) -> None:
    names = ("day", "rating", "correct", "duration_ms")
    log.add_to_day(connection, review["day"], counts_of(before, *(review[name] for name in names)), sign)
    add_tallies(connection, tallies_of_row(before, review), sign)


def _outcome(
    moment: Moment, review_id: int, before: CardState, after: CardState, rating: Rating, reason: str, question_id: str
) -> Outcome:
    due = moment.due_at(after)
    assert due is not None
    return Outcome(
        review_id=review_id,
        question_id=question_id,
        grade=None,
        rating=rating.word,
        rating_reason=reason,
        interval_days=after.interval,
        due_at=due,
        next_due_text=moment.due_text(due),
        leech=moment.scheduler.is_leech_now(before, after),
        state_before=before,
        state_after=replace(after, review=review_id),
    )


def store_answer(
    database: Database,
    moment: Moment,
    card: Card,
    response: Response,
    grade: Grade,
    rating: tuple[Rating, str],
    hashes: tuple[str, str],
    confidence: str | None,
    duration_ms: int,
    origin: str,
) -> Outcome:
    """`hashes` are the question's content and key. Raises Conflict when the card moved on since it was opened."""
    content, key = hashes
    with database.writing() as connection:
        row = _card(connection, card.question.id)
        if row.review != card.opened_version:
            raise Conflict(
                f"Question '{card.question.id}' was answered in another window since it was opened here; "
                "this answer was not stored. Go on with the next question."
            )
        before = state_of(row)
        at = max(moment.at, before.last_at or moment.at)
        after = moment.scheduler.review(before, rating[0], at, moment.today, card.question.id)
        after = replace(after, key=key)
        review_id = append(
            connection,
            moment,
            row,
            after,
            before_state=before,
            seed=card.seed,
            content=content,
            reviewed_at=at,
            day=moment.today,
            duration_ms=min(max(0, int(duration_ms)), LONGEST_MS),
            response=json.dumps(response, sort_keys=True),
            score=float(grade.score),
            correct=grade.correct,
            blank=grade.blank,
            confidence=confidence,
            rating=int(rating[0]),
            rating_reason=rating[1],
            misconceptions=json.dumps(list(grade.misconceptions)),
            origin=origin,
        )
    outcome = _outcome(moment, review_id, before, after, *rating, card.question.id)
    return replace(outcome, grade=grade)


def _revert(connection: sqlite3.Connection, review: Record, at: int, reason: str) -> None:
    """Takes a card's newest review out of force: card and counts are as before it, byte for byte."""
    before = CardState.from_json(review.before)
    put_state(connection, review.card_id, before)
    _count(connection, before, review, sign=-1)
    log.take_back(connection, review.id, at, reason)


def undo_last(database: Database, moment: Moment) -> Record | None:
    """Takes back the newest review in force; None when there is none."""
    with database.writing() as connection:
        review = log.last_in_force(connection)
        if review is not None:
            _revert(connection, review, moment.at, "undo")
        return review


def undo_answer(database: Database, moment: Moment, review_id: int) -> Record | None:
    """Takes back this review; None when that was done already. Raises Conflict when its card has moved on since."""
    with database.writing() as connection:
        review = log.review_of(connection, review_id)
        if review is None or log.is_taken_back(connection, review_id):
            return None
        if _card(connection, review.question_id).review != review_id:
            raise Conflict(
                f"Question '{review.question_id}' was answered again since, in an exam or in another window: "
                "your answer stays. Undo again for the one before."
            )
        _revert(connection, review, moment.at, "undo")
        return review


def override_rating(database: Database, moment: Moment, review_id: int, rating: Rating) -> Outcome:
    """Rates an answer anew: the old row goes out of force, a new one with the same answer takes its place."""
    with database.writing() as connection:
        old = log.review_of(connection, review_id)
        if old is None or old.rating is None:
            raise StoreError(f"There is no answer number {review_id}; see 'quizapp log export'.")
        row = _card(connection, old.question_id)
        if row.review != review_id:
            raise Conflict(
                f"Answer {review_id} is no longer the last one to question '{old.question_id}'; "
                "only the last answer can be rated anew."
            )
        _revert(connection, old, moment.at, "override")
        before = CardState.from_json(old.before)
        after = moment.scheduler.review(before, rating, old.reviewed_at, old.day, old.question_id)
        after = replace(after, key=CardState.from_json(old.after).key)
        kept = ("seed", "content", "reviewed_at", "day", "duration_ms", "response", "score", "correct", "blank",
                "confidence", "misconceptions", "origin")  # fmt: skip
        new_id = append(
            connection,
            moment,
            row,
            after,
            before_state=before,
            rating=int(rating),
            rating_reason=CHOSEN,
            replaces=review_id,
            **{name: old[name] for name in kept},
        )
    return _outcome(moment, new_id, before, after, rating, CHOSEN, old.question_id)


def store_decision(database: Database, moment: Moment, question_id: str, hashes: tuple[str, str], keep: bool) -> int:
    """After a changed key: keep the progress under the new key, or begin again. Returns the review's number."""
    content, key = hashes
    with database.writing() as connection:
        row = _card(connection, question_id)
        before = state_of(row)
        return append(
            connection,
            moment,
            row,
            replace(before, key=key) if keep else forget(before),
            before_state=before,
            seed=0,
            content=content,
            reviewed_at=max(moment.at, before.last_at or moment.at),
            day=moment.today,
            duration_ms=0,
            response="null",
            score=0.0,
            correct=False,
            blank=True,
            rating=None,
            confidence=None,
            misconceptions="[]",
            rating_reason="progress kept under the new key" if keep else "begun again after the key changed",
            origin="keep" if keep else "forget",
        )
