"""Answer, override, undo: each one transaction that changes a card, the log and the day's counts together."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sqlmodel import Session

from quizapp.bank.grade import Grade
from quizapp.bank.response import Response
from quizapp.memory.rating import Rating
from quizapp.memory.scheduler import forget
from quizapp.memory.state import CardState
from quizapp.store import log
from quizapp.store.cards import card_of
from quizapp.store.database import Database
from quizapp.store.errors import Conflict, StoreError
from quizapp.store.rollup import add_tallies
from quizapp.store.tables import CardRow, Review
from quizapp.study.counting import counts_of
from quizapp.study.moment import Moment
from quizapp.study.rows import put_state, state_of
from quizapp.study.tallying import tallies_of_row
from quizapp.study.values import Card, Outcome

LONGEST_MS = 600_000
"""Time counted for one answer at most: a question left open over lunch is not study."""


def config_json(moment: Moment) -> str:
    return json.dumps(moment.scheduler.config.to_dict(), sort_keys=True, separators=(",", ":"))


def _card(session: Session, question_id: str) -> CardRow:
    row = card_of(session, question_id)
    if row is None:
        raise StoreError(f"Question '{question_id}' has no card in this store; see 'quizapp bank list'.")
    return row


def _append(session: Session, moment: Moment, row: CardRow, after: CardState, **values: Any) -> Review:
    """Writes the review, moves the card to `after` and counts the day."""
    before: CardState = values.pop("before_state")
    review_id = log.next_review_id(session)
    after = replace(after, review=review_id)
    review = Review(
        id=review_id,
        card_id=row.id,  # type: ignore[arg-type]
        question_id=row.question_id,
        before=before.to_json(),
        after=after.to_json(),
        scheduler_id=log.scheduler_id(session, config_json(moment)),
        **values,
    )
    session.add(review)
    put_state(row, after)
    session.add(row)
    counts = counts_of(before, review.day, review.rating, review.correct, review.duration_ms)
    log.add_to_day(session, review.day, counts)
    add_tallies(session, tallies_of_row(before, review.model_dump()))
    return review


def _outcome(moment: Moment, review: Review, grade: Grade | None) -> Outcome:
    before, after = CardState.from_json(review.before), CardState.from_json(review.after)
    due = moment.due_at(after)
    assert due is not None
    assert review.id is not None
    assert review.rating is not None
    return Outcome(
        review_id=review.id,
        question_id=review.question_id,
        grade=grade,
        rating=Rating(review.rating).word,
        rating_reason=review.rating_reason,
        interval_days=after.interval,
        due_at=due,
        next_due_text=moment.due_text(due),
        leech=moment.scheduler.is_leech_now(before, after),
        state_before=before,
        state_after=after,
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
    with database.write() as session:
        row = _card(session, card.question.id)
        if row.review != card.opened_version:
            raise Conflict(
                f"Question '{card.question.id}' was answered in another window since it was opened here; "
                "this answer was not stored. Go on with the next question."
            )
        before = state_of(row)
        at = max(moment.at, before.last_at or moment.at)
        after = moment.scheduler.review(before, rating[0], at, moment.today, card.question.id)
        review = _append(
            session,
            moment,
            row,
            replace(after, key=key),
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
    return _outcome(moment, review, grade)


def _revert(session: Session, review: Review, at: int, reason: str) -> CardRow:
    """Takes a card's newest review out of force: card and counts are as before it, byte for byte."""
    row = session.get(CardRow, review.card_id)
    assert row is not None
    before = CardState.from_json(review.before)
    put_state(row, before)
    session.add(row)
    counts = counts_of(before, review.day, review.rating, review.correct, review.duration_ms)
    log.add_to_day(session, review.day, counts, sign=-1)
    add_tallies(session, tallies_of_row(before, review.model_dump()), sign=-1)
    assert review.id is not None
    log.take_back(session, review.id, at, reason)
    return row


def undo_last(database: Database, moment: Moment) -> Review | None:
    """Takes back the newest review in force; None when there is none."""
    with database.write() as session:
        review = log.last_in_force(session)
        if review is not None:
            _revert(session, review, moment.at, "undo")
        return review


def override_rating(database: Database, moment: Moment, review_id: int, rating: Rating) -> Outcome:
    """Rates an answer anew: the old row goes out of force, a new one with the same answer takes its place."""
    with database.write() as session:
        old = session.get(Review, review_id)
        if old is None or old.rating is None:
            raise StoreError(f"There is no answer number {review_id}; see 'quizapp log export'.")
        row = _card(session, old.question_id)
        if row.review != review_id:
            raise Conflict(
                f"Answer {review_id} is no longer the last one to question '{old.question_id}'; "
                "only the last answer can be rated anew."
            )
        _revert(session, old, moment.at, "override")
        session.flush()
        before = CardState.from_json(old.before)
        after = moment.scheduler.review(before, rating, old.reviewed_at, old.day, old.question_id)
        kept = ("seed", "content", "reviewed_at", "day", "duration_ms", "response", "score", "correct", "blank",
                "confidence", "misconceptions", "origin")  # fmt: skip
        review = _append(
            session,
            moment,
            row,
            replace(after, key=CardState.from_json(old.after).key),
            before_state=before,
            rating=int(rating),
            rating_reason="chosen by you",
            replaces=review_id,
            **{name: getattr(old, name) for name in kept},
        )
    return _outcome(moment, review, None)


def store_decision(database: Database, moment: Moment, question_id: str, hashes: tuple[str, str], keep: bool) -> None:
    """After a changed key: keep the progress under the new key, or begin again."""
    content, key = hashes
    with database.write() as session:
        row = _card(session, question_id)
        before = state_of(row)
        _append(
            session,
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
            rating_reason="progress kept under the new key" if keep else "begun again after the key changed",
            origin="keep" if keep else "forget",
        )
