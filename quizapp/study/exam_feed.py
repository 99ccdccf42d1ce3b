"""The answers of a handed-in exam, into the review log: the rule is `quizapp.exam.feed`, this is its transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from quizapp.bank.model import Bank
from quizapp.exam import feed
from quizapp.exam.score import ItemResult
from quizapp.exam.sitting import Sitting
from quizapp.memory.rating import rate
from quizapp.store.cards import card_of
from quizapp.study.answering import LONGEST_MS, append
from quizapp.study.moment import Moment, instant
from quizapp.study.rows import state_of

LOGGED = {True: "only logged", False: "only logged; a card not yet due comes today"}


def feed_memory(
    connection: sqlite3.Connection, moment: Moment, bank: Bank, sitting: Sitting, results: Sequence[ItemResult], at: int
) -> None:
    """Questions that have left the bank, or whose key it has changed, are passed over."""
    day = moment.days.day_of(instant(at))
    for item, reply, result in zip(sitting.paper.items, sitting.replies, results, strict=True):
        row = card_of(connection, item.question_id)
        known = item.question_id in bank.questions and bank.key_hash(item.question_id) == item.key_hash
        if row is None or not known or result.grade is None:
            continue
        before = state_of(row)
        what = feed.of_exam(before, day, reply.response is not None and reply.complete, reply.seconds)
        if what == "nothing":
            continue
        rating = None
        reason = LOGGED[result.correct]
        after = feed.logged(before, day, result.correct)
        when = max(at, before.last_at or at)
        if what == "review" and not row.suspended:
            rating, reason = rate(float(result.grade.score), result.correct, False, None, first=False)
            after = replace(moment.scheduler.review(before, rating, when, day, item.question_id), key=item.key_hash)
        append(
            connection,
            moment,
            row,
            after,
            before_state=before,
            seed=item.seed,
            content=item.content_hash,
            reviewed_at=when,
            day=day,
            duration_ms=min(int(reply.seconds * 1000), LONGEST_MS),
            response=json.dumps(reply.response, sort_keys=True),
            score=float(result.grade.score),
            correct=result.correct,
            blank=False,
            confidence=None,
            rating=None if rating is None else int(rating),
            rating_reason=reason,
            misconceptions=json.dumps(list(result.grade.misconceptions)),
            origin="exam",
        )
