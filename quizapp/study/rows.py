"""Between a card's row and its memory state."""

from __future__ import annotations

import sqlite3

from quizapp.memory.state import STATE_FIELDS, BadState, CardState
from quizapp.store.cards import change_card
from quizapp.store.database import Record
from quizapp.store.errors import StoreError


def state_of(row: Record) -> CardState:
    """Raises StoreError for a row that no review can have left behind."""
    values = {name: row[name] for name in STATE_FIELDS}
    values["leech"] = bool(values["leech"])
    try:
        return CardState(**values).check()
    except BadState as error:
        raise StoreError(
            f"The card of question '{row.question_id}' is wrong ({error}); rebuild the cards with 'quizapp log replay'."
        ) from error


def put_state(connection: sqlite3.Connection, card_id: int, state: CardState) -> None:
    change_card(connection, card_id, {name: getattr(state, name) for name in STATE_FIELDS})
