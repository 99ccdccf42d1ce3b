"""What one review adds to its study day. The answer, the undo and the replay all count by this one rule."""

from __future__ import annotations

from quizapp.memory.state import CardState

DECISIONS = ("keep", "forget")
"""Origins of log rows that are no answers."""


def counts_of(before: CardState, day: int, rating: int | None, correct: bool, duration_ms: int) -> dict[str, int]:
    """Counts for `store.log.add_to_day`; all zero for a decision (no rating)."""
    answered = rating is not None
    in_review = answered and before.state == "review"
    tested = in_review and before.last_day is not None and day > before.last_day
    return {
        "reviews": int(answered),
        "correct": int(answered and correct),
        "new": int(answered and before.state == "new"),
        "due": int(in_review),
        "tested": int(tested),
        "retained": int(tested and rating != 1),
        "duration_ms": duration_ms if answered else 0,
    }
