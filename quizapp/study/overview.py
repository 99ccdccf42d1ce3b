"""What the screens show about the store as a whole or one card. Counts of days come from the rollups."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from quizapp.bank.load import Bank
from quizapp.memory.pace import Pace
from quizapp.memory.rating import Rating
from quizapp.store import log
from quizapp.store.cards import ACTIVE, UNLIMITED, Queue, card_of
from quizapp.store.database import Database
from quizapp.store.errors import StoreError
from quizapp.study import queue as queueing
from quizapp.study.moment import Moment, instant
from quizapp.study.pace import minutes_on, pace_of
from quizapp.study.rows import state_of
from quizapp.study.values import BrowseRow, CardInfo, HomeView, PastReview, Stats
from quizapp.text import counted

IN_LEARNING = f"state IN ('learning', 'relearning') AND {ACTIVE}"
OPEN_EXAM = "SELECT 1 FROM sitting WHERE open = 1"


def exam_is_open(database: Database) -> bool:
    """Whether a mock exam was begun and not handed in yet."""
    with database.reading() as connection:
        return connection.execute(OPEN_EXAM).fetchone() is not None


def home(database: Database, moment: Moment, ids: Collection[str] | None, questions: int, notice: str = "") -> HomeView:
    """`notice` comes first in the headline: what happened while nobody looked."""
    with database.reading() as connection:
        queue = Queue(connection, moment.today, ids)
        counts = queueing.count_cards(connection, moment, queue)
        day = log.counts_on(connection, moment.today)
        (learning,) = queue.count(IN_LEARNING)
        next_due = _next_due(moment, queue, counts.remaining, counts.new_all + counts.due_all + counts.buried)
        pace = pace_of(connection)
        spent = minutes_on(connection, moment.today)
        streak = _streak(connection, moment.today)
        sitting = connection.execute(OPEN_EXAM).fetchone() is not None
    running = "A mock exam is running and its clock goes on. " if sitting else f"{notice} " if notice else ""
    exam_date = moment.settings.exam_date
    exam_days = None if exam_date is None else (exam_date - moment.local_date).days
    return HomeView(
        due=counts.due,
        new=counts.new,
        learning=counts.learning,
        suspended=counts.suspended,
        buried=counts.buried,
        flagged=counts.flagged,
        reviews_today=day.reviews if day else 0,
        streak_days=streak,
        next_due_at=next_due,
        headline=running + _headline(moment, counts, learning, questions, next_due, pace),
        exam_days=exam_days,
        minutes_today=round(spent, 1),
    )


def _next_due(moment: Moment, queue: Queue, remaining: int, later: int) -> Any:
    if remaining:
        return None
    learning = queue.next_learning_at()
    if learning is not None and learning > moment.at:
        return instant(learning)
    due = queue.next_due_day()
    if later:  # held back by a limit or a bury until the next study day
        due = moment.today + 1
    return None if due is None else moment.days.start(due)


def _streak(connection: sqlite3.Connection, today: int) -> int:
    """Study days in a row with an answer, up to today, or to yesterday while today has none yet."""
    studied = connection.execute("SELECT day FROM daily WHERE reviews > 0 AND day <= ? ORDER BY day DESC", (today,))
    expected, streak = today, 0
    for (day,) in studied:
        if streak == 0 and day == today - 1:
            expected = day
        if day != expected:
            break
        streak += 1
        expected -= 1
    return streak


def _headline(moment: Moment, counts: Any, learning: int, questions: int, next_due: Any, pace: Pace) -> str:
    """`learning` are all cards in learning; `counts.learning` of them may be asked now."""
    if questions == 0:
        return "The bank has no questions; see 'quizapp bank check'."
    if counts.remaining:
        parts = []
        if learning:
            parts.append(
                f"{learning} in learning" + (f" ({counts.learning} now)" if counts.learning < learning else "")
            )
        if counts.due:
            parts.append(f"{counts.due} due")
        if counts.new:
            parts.append(f"{counts.new} new")
        minutes = max(1, round(pace.minutes(counts.new, counts.due, counts.learning)))
        return f"{', '.join(parts)}: about {counted(minutes, 'minute')}."
    if next_due is None:
        return "Nothing is scheduled."
    wait = f" for now, {learning} in learning" if learning else ""
    return f"All done{wait}. The next card comes {moment.due_text(next_due)}."


def stats(database: Database, moment: Moment) -> Stats:
    with database.reading() as connection:
        queue = Queue(connection, moment.today)
        totals = connection.execute(
            "SELECT coalesce(sum(reviews), 0), coalesce(sum(tested), 0), coalesce(sum(retained), 0) FROM daily"
        ).fetchone()
        day = log.counts_on(connection, moment.today)
        marked = queue.count_marked()
        new, learning = queue.count(f"state = 'new' AND {ACTIVE}", IN_LEARNING)
        return {
            "cards": marked["total"],
            "due": queue.sizes(0, UNLIMITED, 0)[1],
            "new": new,
            "learning": learning,
            "suspended": marked["suspended"],
            "reviews": totals[0],
            "reviews_today": day.reviews if day else 0,
            "streak_days": _streak(connection, moment.today),
            "true_retention": totals[2] / totals[1] if totals[1] else None,
            "flagged": marked["flagged"],
            "buried": queue.count_buried(),
            "leeches": marked["leech"],
            "orphans": marked["orphan"],
            "minutes_today": round(minutes_on(connection, moment.today), 1),
        }


def browse(database: Database, questions: Iterable[str], flagged: bool) -> list[BrowseRow]:
    """The cards of some questions, in their order."""
    columns = "question_id, topic, state, due_at, due_day, flagged + 2 * suspended + 4 * leech"
    sql = f"SELECT {columns} FROM card WHERE orphan = 0{' AND flagged = 1' if flagged else ''}"
    made = partial(tuple.__new__, BrowseRow)  # as BrowseRow._make, at a third of its cost
    with database.reading() as connection:
        cards = {row[0]: row for row in map(made, connection.execute(sql))}
    return [cards[one] for one in questions if one in cards]


def card_info(database: Database, moment: Moment, bank: Bank, question_id: str) -> CardInfo:
    with database.reading() as connection:
        row = card_of(connection, question_id)
        if row is None:
            raise StoreError(f"There is no question '{question_id}'; see 'quizapp bank list'.")
        state = state_of(row)
        past = log.reviews_of_card(connection, row.id)
        held = Queue(connection, moment.today, [question_id]).count_buried() > 0
        changed = state.key is not None and question_id in bank.questions and state.key != bank.key_hash(question_id)
        return CardInfo(
            id=question_id,
            topic=row.topic,
            state=state.state,
            due_at=moment.due_at(state),
            interval_days=state.interval,
            stability=state.stability,
            difficulty=state.difficulty,
            retrievability=moment.scheduler.retrievability(state, moment.today),
            reps=state.reps,
            lapses=state.lapses,
            leech=state.leech,
            flagged=bool(row.flagged),
            flag_reason=row.flag_reason,
            suspended=bool(row.suspended),
            buried=held,
            note=row.note,
            orphan=bool(row.orphan),
            key_changed=changed,
            reviews=[
                PastReview(
                    review_id=one.id,
                    reviewed_at=instant(one.reviewed_at),
                    rating=Rating(one.rating).word if one.rating else None,
                    score=one.score,
                    confidence=one.confidence,
                    interval_days=json.loads(one.after).get("interval", 0),
                    origin=one.origin,
                )
                for one in past
            ],
        )
