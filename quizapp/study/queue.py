"""Which card comes next, and how many are left: one set of conditions for both (`store.cards.Queue`)."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Sequence

from quizapp.bank.load import Bank
from quizapp.bank.variant import make_variant
from quizapp.memory.mix import new_comes_first
from quizapp.store import log
from quizapp.store.cards import UNLIMITED, Queue, card_of
from quizapp.store.database import Database, Record
from quizapp.store.errors import Conflict
from quizapp.study.moment import Moment
from quizapp.study.rows import state_of
from quizapp.study.values import Card, Counts, Remaining


def seed_of(question_id: str, reps: int) -> int:
    """The seed of the next variant: it follows from how often the card was answered, so an undo brings it back."""
    return zlib.crc32(f"{question_id}:{reps}".encode())


def _narrowed(connection: sqlite3.Connection, ids: Collection[str] | None, flagged: bool) -> Collection[str] | None:
    if not flagged:
        return ids
    found = {row[0] for row in connection.execute("SELECT question_id FROM card WHERE flagged = 1")}
    return [one for one in ids if one in found] if ids is not None else sorted(found)


def _limits(day: Record | None, moment: Moment) -> tuple[int, int]:
    """How many new cards and reviews may still be asked today."""
    new, due = (day.new, day.due) if day else (0, 0)
    return max(0, moment.settings.new_per_day - new), max(0, moment.settings.reviews_per_day - due)


def count_cards(connection: sqlite3.Connection, moment: Moment, queue: Queue) -> Counts:
    new_limit, due_limit = _limits(log.counts_on(connection, moment.today), moment)
    new_all, due_all, learning = queue.sizes(UNLIMITED, UNLIMITED, moment.ahead)
    marked = queue.count_marked()
    return Counts(
        due=min(due_all, due_limit),
        new=min(new_all, new_limit),
        learning=learning,
        due_all=due_all,
        new_all=new_all,
        suspended=marked["suspended"],
        buried=queue.count_buried(),
        flagged=marked["flagged"],
        total=marked["total"],
    )


def held_and_called(database: Database, moment: Moment) -> tuple[frozenset[str], frozenset[str]]:
    """What a list of cards needs to say which are due: the questions that are put off today, and the called-up ones."""
    with database.reading() as connection:
        queue = Queue(connection, moment.today)
        return frozenset(queue.put_off()), frozenset(queue.called())


def count_remaining(moment: Moment, queue: Queue, day: Record | None) -> Remaining:
    """The first three of `count_cards`, for which no more cards are looked at than today's limits allow."""
    new, due, learning = queue.sizes(*_limits(day, moment), moment.ahead)
    return Remaining(due=due, new=new, learning=learning)


def counts(database: Database, moment: Moment, ids: Collection[str] | None, flagged: bool) -> Counts:
    with database.reading() as connection:
        return count_cards(connection, moment, Queue(connection, moment.today, _narrowed(connection, ids, flagged)))


def next_card(
    database: Database,
    moment: Moment,
    bank: Bank,
    ids: Collection[str] | None,
    flagged: bool,
    exclude: Sequence[str],
) -> Card | None:
    """Cards in learning that are due, then reviews and new cards mixed evenly, then learning a little ahead."""
    with database.reading() as connection:
        queue = Queue(connection, moment.today, _narrowed(connection, ids, flagged), tuple(exclude))
        day = log.counts_on(connection, moment.today)
        remaining = count_remaining(moment, queue, day)
        row = (
            queue.next_learning(moment.at) or _from_the_day(queue, day, remaining) or queue.next_learning(moment.ahead)
        )
        if row is not None and row.question_id not in bank.questions:
            raise Conflict("The questions were changed by another window just now; try again.")
        return None if row is None else make_card(moment, bank, row, day, remaining)


def _from_the_day(queue: Queue, day: Record | None, left: Remaining) -> Record | None:
    new_done, due_done = (day.new, day.due) if day else (0, 0)
    if new_comes_first(new_done, left.new, due_done, left.due):
        return queue.next_new()
    return (queue.next_called() or queue.next_due()) if left.due else None


def reopen(database: Database, moment: Moment, bank: Bank, question_id: str, seed: int | None) -> Card | None:
    """The card of a question whether or not it is due, with the variant of `seed`; None without a card."""
    with database.reading() as connection:
        row = card_of(connection, question_id)
        if row is None or question_id not in bank.questions:
            return None
        day = log.counts_on(connection, moment.today)
        remaining = count_remaining(moment, Queue(connection, moment.today), day)
        return make_card(moment, bank, row, day, remaining, seed)


def make_card(
    moment: Moment, bank: Bank, row: Record, day: Record | None, remaining: Remaining, seed: int | None = None
) -> Card:
    state = state_of(row)
    question = bank.questions[row.question_id]
    if seed is None:
        seed = seed_of(row.question_id, row.reps)
    return Card(
        question=question,
        variant=make_variant(question, seed),
        seed=seed,
        state=state.state,
        topic=row.topic,
        due_at=moment.due_at(state),
        position=(day.reviews if day else 0) + 1,
        remaining=remaining,
        flagged=bool(row.flagged),
        flag_reason=row.flag_reason,
        note=row.note,
        leech=state.leech,
        key_changed=state.key is not None and state.key != bank.key_hash(row.question_id),
        needs_check=question.expires is not None and question.expires < moment.local_date,
        opened_version=state.review,
    )
