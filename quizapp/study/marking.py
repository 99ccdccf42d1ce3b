"""Flag, suspend, bury, note: a change of the card's marks, and a row in the log that says so."""

from __future__ import annotations

import json

from quizapp.store import log
from quizapp.store.cards import card_of, change_card
from quizapp.store.database import Database
from quizapp.store.errors import StoreError
from quizapp.study.moment import Moment

MARKS = ("suspended", "flagged", "flag_reason", "buried_on", "note")
LONGEST_TEXT = 10_000


def mark(
    database: Database, moment: Moment, question_id: str, what: str, values: dict[str, object]
) -> dict[str, object] | None:
    """Returns what these columns held before; None when nothing changed.

    Raises StoreError for a question without a card or a text longer than LONGEST_TEXT characters.
    """
    for value in values.values():
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise StoreError(f"A note can have {LONGEST_TEXT:,} characters; this one has {len(value):,}. Shorten it.")
    with database.writing() as connection:
        row = card_of(connection, question_id)
        if row is None:
            raise StoreError(f"There is no question '{question_id}'; see 'quizapp bank list'.")
        if all(row[name] == value for name, value in values.items()):
            return None
        change_card(connection, row.id, values)
        log.add_action(connection, row.id, question_id, moment.at, what, json.dumps(values, sort_keys=True))
        return {name: row[name] for name in values}
