"""Queries on cards. One set of conditions serves the queue and its counts, so that they always agree.

A card is buried on the day the learner put it off, and while a sibling of its family was answered today. The second
is derived from the siblings' last study day: nothing is stored, so an undo cannot leave it behind.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quizapp.store.database import Record, records

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
_IN_BANK = "orphan = 0"
_CHOSEN = " AND question_id IN (SELECT value FROM json_each(:ids))"
_NOT_THESE = " AND question_id NOT IN (SELECT value FROM json_each(:exclude))"
UNLIMITED = 1_000_000_000


def _held(base: str) -> tuple[str, str]:
    """The cards of `base` that are buried today, by hand and by a sibling: each has its index."""
    return (
        f"buried_on = :today AND {base}",
        f"family IN ({_FAMILIES_TODAY}) AND last_day IS NOT :today AND buried_on IS NOT :today AND {base}",
    )


@dataclass(frozen=True)
class Queue:
    """The cards that may be asked now. `ids` narrows to some questions, `exclude` leaves some out."""

    connection: sqlite3.Connection
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

    def _counts(self, *parts: str, limits: Sequence[int] | None = None, **more: object) -> list[int]:
        """How many cards meet each condition, in one statement; each count stops at its limit."""
        values: dict[str, object] = dict(more)
        columns = []
        for number, part in enumerate(parts):
            where, bound = self._where(part)
            columns.append(f"(SELECT count(*) FROM (SELECT 1 FROM card WHERE {where} LIMIT :limit{number}))")
            values |= bound | {f"limit{number}": UNLIMITED if limits is None else limits[number]}
        return list(self.connection.execute(f"SELECT {', '.join(columns)}", values).fetchone())

    def _first(self, base: str, order: str, **more: object) -> Record | None:
        where, values = self._where(base)
        sql = f"SELECT * FROM card WHERE {where} ORDER BY {order} LIMIT 1"
        return records(self.connection, sql, {**values, **more}).fetchone()

    def sizes(self, new_limit: int, due_limit: int, until: int) -> tuple[int, int, int]:
        """New, due and learning cards: the first two within their limits, the last due until an instant.

        Cards are counted in the order's own index and no further than the limit; what is buried or called up comes
        from small indexes and is taken off. Follow-ups of passed labs count as due.
        """
        called_new = f"{_FOLLOWUP} AND {_NEW} AND {_UNBURIED}"
        parts = (*_held(_NEW), called_new, *_held(_DUE), _CALLED, f"{_LEARNING} AND due_at <= :until")
        *by, called, learning = self._counts(*parts, until=until)
        taken_new, taken_due = sum(by[:3]), sum(by[3:])
        new, due = self._counts(_NEW, _DUE, limits=(new_limit + taken_new, due_limit + taken_due))
        return min(new_limit, new - taken_new), min(due_limit, called + due - taken_due), learning

    def next_new(self) -> Record | None:
        return self._first(f"{_NEW} AND {_UNBURIED} AND NOT {_FOLLOWUP}", "position, id")

    def next_called(self) -> Record | None:
        return self._first(_CALLED, "position, id")

    def next_due(self) -> Record | None:
        return self._first(f"{_DUE} AND {_UNBURIED}", "due_day, position, id")

    def next_learning(self, until: int) -> Record | None:
        return self._first(f"{_LEARNING} AND due_at <= :until", "due_at, id", until=until)

    def put_off(self) -> list[str]:
        """The questions that are buried today, by hand or by a sibling."""
        by_hand, by_sibling = _held("1")
        return self._questions(f"({by_hand} OR {by_sibling})")

    def called(self) -> list[str]:
        """The questions that are due because a passed lab called them up."""
        return self._questions(_CALLED)

    def _questions(self, base: str) -> list[str]:
        where, values = self._where(base)
        return [one for (one,) in self.connection.execute(f"SELECT question_id FROM card WHERE {where}", values)]

    def count_buried(self) -> int:
        """Cards that could be asked today but for a bury."""
        in_learning = f"buried_on = :today AND state IN ('learning', 'relearning') AND {ACTIVE}"
        return sum(self._counts(*_held(_NEW), *_held(_DUE), in_learning))

    def count(self, *conditions: str) -> list[int]:
        return self._counts(*conditions)

    def count_marked(self) -> dict[str, int]:
        """Cards that are `suspended`, `flagged`, a `leech` (of the bank), or an `orphan`, and `total` in the bank."""
        marks = ("suspended", "flagged", "leech")
        parts = [f"{MARKED} AND {mark} = 1 AND orphan = 0" for mark in marks]
        counts = self._counts(*parts, f"{MARKED} AND orphan = 1", _IN_BANK if self.ids is not None else "1")
        found = dict(zip((*marks, "orphan", "total"), counts, strict=True))
        if self.ids is None:  # counting every row is cheap in an index; the rows of the bank alone have none
            found["total"] -= found["orphan"]
        return found

    def next_learning_at(self) -> int | None:
        return self._least("due_at", _LEARNING)

    def next_due_day(self) -> int | None:
        return self._least("due_day", f"state = 'review' AND {ACTIVE} AND due_day > :today")

    def _least(self, column: str, base: str) -> int | None:
        where, values = self._where(base)
        return self.connection.execute(f"SELECT min({column}) FROM card WHERE {where}", values).fetchone()[0]


def card_of(connection: sqlite3.Connection, question_id: str) -> Record | None:
    return records(connection, "SELECT * FROM card WHERE question_id = :id", {"id": question_id}).fetchone()


def change_card(connection: sqlite3.Connection, card_id: int, values: Mapping[str, Any]) -> None:
    """Sets some columns of a card."""
    sets = ", ".join(f'"{name}" = :{name}' for name in values)
    connection.execute(f"UPDATE card SET {sets} WHERE id = :card_id", {**values, "card_id": card_id})
