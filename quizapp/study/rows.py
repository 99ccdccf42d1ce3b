"""Between a card's row and its memory state."""

from __future__ import annotations

from quizapp.memory.state import STATE_FIELDS, BadState, CardState
from quizapp.store.errors import StoreError
from quizapp.store.tables import CardRow


def state_of(row: CardRow) -> CardState:
    """Raises StoreError for a row that no review can have left behind."""
    try:
        return CardState(**{name: getattr(row, name) for name in STATE_FIELDS}).check()
    except BadState as error:
        raise StoreError(
            f"The card of question '{row.question_id}' is wrong ({error}); rebuild the cards with 'quizapp log replay'."
        ) from error


def put_state(row: CardRow, state: CardState) -> None:
    for name in STATE_FIELDS:
        setattr(row, name, getattr(state, name))
