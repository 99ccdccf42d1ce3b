"""Which card comes next, and how many are left: one set of conditions for both (`store.cards.Queue`)."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence

from sqlalchemy import text
from sqlmodel import Session

from quizapp.bank.load import Bank
from quizapp.bank.variant import make_variant
from quizapp.memory.mix import new_comes_first
from quizapp.store.cards import Queue
from quizapp.store.database import Database
from quizapp.store.tables import CardRow, Daily
from quizapp.study.moment import Moment
from quizapp.study.rows import state_of
from quizapp.study.values import Card, Counts


def seed_of(question_id: str, reps: int) -> int:
    """The seed of the next variant: it follows from how often the card was answered, so an undo brings it back."""
    return zlib.crc32(f"{question_id}:{reps}".encode())


def _narrowed(session: Session, ids: Collection[str] | None, flagged: bool) -> Collection[str] | None:
    if not flagged:
        return ids
    found = {row[0] for row in session.execute(text("SELECT question_id FROM card WHERE flagged = 1"))}
    return [one for one in ids if one in found] if ids is not None else sorted(found)


def _limits(day: Daily | None, moment: Moment) -> tuple[int, int]:
    """How many new cards and reviews may still be asked today."""
    new, due = (day.new, day.due) if day else (0, 0)
    return max(0, moment.settings.new_per_day - new), max(0, moment.settings.reviews_per_day - due)


def count_cards(session: Session, moment: Moment, queue: Queue) -> Counts:
    new_limit, due_limit = _limits(session.get(Daily, moment.today), moment)
    new_all, due_all = queue.count_new(), queue.count_due() + queue.count_called()
    return Counts(
        due=min(due_all, due_limit),
        new=min(new_all, new_limit),
        learning=queue.count_learning(moment.ahead),
        due_all=due_all,
        new_all=new_all,
        suspended=queue.count("suspended = 1 AND orphan = 0"),
        buried=queue.count_buried(),
        flagged=queue.count("flagged = 1 AND orphan = 0"),
        total=queue.count("orphan = 0"),
    )


def counts(database: Database, moment: Moment, ids: Collection[str] | None, flagged: bool) -> Counts:
    with database.read() as session:
        return count_cards(session, moment, Queue(session, moment.today, _narrowed(session, ids, flagged)))


def next_card(
    database: Database,
    moment: Moment,
    bank: Bank,
    ids: Collection[str] | None,
    flagged: bool,
    exclude: Sequence[str],
) -> Card | None:
    """Cards in learning that are due, then reviews and new cards mixed evenly, then learning a little ahead."""
    with database.read() as session:
        queue = Queue(session, moment.today, _narrowed(session, ids, flagged), tuple(exclude))
        row = (
            queue.next_learning(moment.at) or _from_the_day(session, moment, queue) or queue.next_learning(moment.ahead)
        )
        if row is None:
            return None
        return make_card(session, moment, bank, row, queue=queue)


def _from_the_day(session: Session, moment: Moment, queue: Queue) -> CardRow | None:
    day = session.get(Daily, moment.today)
    new_limit, due_limit = _limits(day, moment)
    new, due = queue.count_new(new_limit), min(due_limit, queue.count_called() + queue.count_due(due_limit))
    if new_comes_first(day.new if day else 0, new, day.due if day else 0, due):
        return queue.next_new()
    return (queue.next_called() or queue.next_due()) if due else None


def make_card(
    session: Session, moment: Moment, bank: Bank, row: CardRow, seed: int | None = None, queue: Queue | None = None
) -> Card:
    state = state_of(row)
    question = bank.questions[row.question_id]
    if seed is None:
        seed = seed_of(row.question_id, row.reps)
    day = session.get(Daily, moment.today)
    local_date = moment.now.astimezone(moment.days.zone).date()
    return Card(
        question=question,
        variant=make_variant(question, seed),
        seed=seed,
        state=state.state,
        topic=row.topic,
        due_at=moment.due_at(state),
        position=(day.reviews if day else 0) + 1,
        remaining=count_cards(session, moment, queue or Queue(session, moment.today)),
        flagged=row.flagged,
        flag_reason=row.flag_reason,
        note=row.note,
        leech=row.leech,
        key_changed=state.key is not None and state.key != bank.key_hash(row.question_id),
        needs_check=question.expires is not None and question.expires < local_date,
        opened_version=state.review,
    )
