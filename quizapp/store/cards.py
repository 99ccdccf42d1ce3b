"""Queries on cards. One set of conditions serves the queue and its counts, so that they always agree.

A card is buried on the day the learner put it off, and while a sibling of its family was answered today. The second
is derived from the siblings' last study day: nothing is stored, so an undo cannot leave it behind.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import text
from sqlmodel import Session, col, select

from quizapp.store.tables import CardRow

ACTIVE = "suspended = 0 AND orphan = 0"
MARKED = "(suspended = 1 OR flagged = 1 OR leech = 1 OR orphan = 1)"
"""Word for word the condition of the index `card_marked`: SQLite uses a partial index only where it finds its text."""

_FAMILIES_TODAY = "SELECT family FROM card WHERE last_day = :today AND family IS NOT NULL"
_UNBURIED = f"buried_on IS NOT :today AND (family IS NULL OR last_day IS :today OR family NOT IN ({_FAMILIES_TODAY}))"
_NEW = f"state = 'new' AND {ACTIVE}"
_DUE = f"state = 'review' AND {ACTIVE} AND due_day <= :today"
_FOLLOWUP = "question_id IN (SELECT question_id FROM lab_followup)"
# Called up by a lab that was passed, and not answered since: due even when new, or not due yet.
_CALLED = (
    f"{_FOLLOWUP} AND (state = 'new' OR (state = 'review' AND due_day > :today)) AND {ACTIVE} AND {_UNBURIED} "
    "AND (last_at IS NULL OR last_at < (SELECT f.at FROM lab_followup f WHERE f.question_id = card.question_id))"
)
# A card in learning comes back the same day: only the learner's own bury holds it.
_LEARNING = f"state IN ('learning', 'relearning') AND {ACTIVE} AND buried_on IS NOT :today"
_CHOSEN = " AND question_id IN (SELECT value FROM json_each(:ids))"
_NOT_THESE = " AND question_id NOT IN (SELECT value FROM json_each(:exclude))"
UNLIMITED = 1_000_000_000


@dataclass(frozen=True)
class Queue:
    """The cards that may be asked now. `ids` narrows to some questions, `exclude` leaves some out."""

    session: Session
    today: int
    ids: Collection[str] | None = None
    exclude: Collection[str] = ()

    def _where(self, base: str) -> tuple[str, dict[str, object]]:
        values: dict[str, object] = {"today": self.today}
        if self.ids is not None:
            base += _CHOSEN
            values["ids"] = json.dumps(list(self.ids))
        if self.exclude:
            base += _NOT_THESE
            values["exclude"] = json.dumps(list(self.exclude))
        return base, values

    def _count(self, base: str, limit: int = UNLIMITED, **more: object) -> int:
        where, values = self._where(base)
        sql = f"SELECT count(*) FROM (SELECT 1 FROM card WHERE {where} LIMIT :limit)"
        return int(self.session.execute(text(sql), {**values, **more, "limit": limit}).scalar_one())

    def _held(self, base: str) -> int:
        """How many cards of `base` are buried today. Each branch has its index, so few rows are touched."""
        by_hand = self._count(f"buried_on = :today AND {base}")
        by_sibling = self._count(
            f"family IN ({_FAMILIES_TODAY}) AND last_day IS NOT :today AND buried_on IS NOT :today AND {base}"
        )
        return by_hand + by_sibling

    def _without(self, base: str, left_out: int, limit: int) -> int:
        """How many cards of `base` there are but for `left_out` of them, counted in an index up to `limit` only."""
        return min(limit, self._count(base, limit + left_out) - left_out)

    def _first(self, base: str, order: str, **more: object) -> CardRow | None:
        where, values = self._where(base)
        sql = f"SELECT id FROM card WHERE {where} ORDER BY {order} LIMIT 1"
        found = self.session.execute(text(sql), {**values, **more}).scalar()
        return None if found is None else self.session.get(CardRow, found)

    def count_new(self, limit: int = UNLIMITED) -> int:
        if limit <= 0:
            return 0
        called = self._count(f"{_FOLLOWUP} AND {_NEW} AND {_UNBURIED}")
        return self._without(_NEW, self._held(_NEW) + called, limit)

    def count_due(self, limit: int = UNLIMITED) -> int:
        return self._without(_DUE, self._held(_DUE), limit) if limit > 0 else 0

    def count_called(self) -> int:
        """Follow-ups of passed labs; disjoint from new and due ones."""
        return self._count(_CALLED)

    def count_learning(self, until: int) -> int:
        return self._count(f"{_LEARNING} AND due_at <= :until", until=until)

    def next_new(self) -> CardRow | None:
        return self._first(f"{_NEW} AND {_UNBURIED} AND NOT {_FOLLOWUP}", "position, id")

    def next_called(self) -> CardRow | None:
        return self._first(_CALLED, "position, id")

    def next_due(self) -> CardRow | None:
        return self._first(f"{_DUE} AND {_UNBURIED}", "due_day, position, id")

    def next_learning(self, until: int) -> CardRow | None:
        return self._first(f"{_LEARNING} AND due_at <= :until", "due_at, id", until=until)

    def count_buried(self) -> int:
        """Cards that could be asked today but for a bury."""
        in_learning = f"state IN ('learning', 'relearning') AND {ACTIVE}"
        return self._held(_NEW) + self._held(_DUE) + self._count(f"buried_on = :today AND {in_learning}")

    def count(self, condition: str) -> int:
        return self._count(condition)

    def count_total(self) -> int:
        """Cards whose question is in the bank."""
        if self.ids is not None:
            return self._count("orphan = 0")
        every = int(self.session.execute(text("SELECT count(*) FROM card")).scalar_one())
        return every - self._count(f"{MARKED} AND orphan = 1")

    def count_marked(self, mark: str) -> int:
        """Cards with a mark: `suspended`, `flagged` or `leech`."""
        return self._count(f"{MARKED} AND {mark} = 1 AND orphan = 0")

    def next_learning_at(self) -> int | None:
        where, values = self._where(_LEARNING)
        return self.session.execute(text(f"SELECT min(due_at) FROM card WHERE {where}"), values).scalar()

    def next_due_day(self) -> int | None:
        where, values = self._where(f"state = 'review' AND {ACTIVE} AND due_day > :today")
        return self.session.execute(text(f"SELECT min(due_day) FROM card WHERE {where}"), values).scalar()


def card_of(session: Session, question_id: str) -> CardRow | None:
    return session.exec(select(CardRow).where(col(CardRow.question_id) == question_id)).first()
