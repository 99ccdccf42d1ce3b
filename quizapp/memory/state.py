"""A card's memory state: everything that a review changes, as one immutable value with an exact JSON form."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

Stage = Literal["new", "learning", "review", "relearning"]
STAGES: tuple[str, ...] = get_args(Stage)


class BadState(ValueError):
    """A stored state that no sequence of reviews can lead to; the message names the field."""


@dataclass(frozen=True)
class CardState:
    """What is remembered about one card. Days are ordinals of study days, instants are UTC milliseconds.

    A new card has no stability; a card in learning or relearning is due at an instant (`due_at`), a card in
    review on a study day (`due_day`).
    """

    state: Stage = "new"
    step: int | None = None
    """Index into the learning or relearning steps."""
    stability: float | None = None
    """Days until recall falls to 90 % (FSRS)."""
    difficulty: float | None = None
    """1 (easy) to 10 (FSRS)."""
    due_at: int | None = None
    due_day: int | None = None
    last_at: int | None = None
    last_day: int | None = None
    interval: int = 0
    """Days, as last scheduled; 0 while in learning."""
    reps: int = 0
    lapses: int = 0
    leech: bool = False
    key: str | None = None
    """Hash of the key under which the question was last answered: a changed key shows by it."""
    review: int | None = None
    """Id of the review that led here; serves as the version in optimistic checks."""

    def check(self) -> CardState:
        """Returns the state itself; raises BadState when it cannot be."""
        if self.state not in STAGES:
            raise BadState(f"state {self.state!r} is not one of {', '.join(STAGES)}")
        known = self.stability is not None and self.difficulty is not None
        if self.state != "new" and not known:
            raise BadState(f"a card in {self.state} needs stability and difficulty")
        if self.stability is not None and not (math.isfinite(self.stability) and self.stability > 0):
            raise BadState(f"stability {self.stability} is not a positive number")
        if self.difficulty is not None and not 1 <= self.difficulty <= 10:
            raise BadState(f"difficulty {self.difficulty} is outside 1 to 10")
        if self.state in ("learning", "relearning") and (self.step is None or self.due_at is None):
            raise BadState(f"a card in {self.state} needs a step and an instant when it is due")
        if self.state == "review" and self.due_day is None:
            raise BadState("a card in review needs the day on which it is due")
        return self

    def to_json(self) -> str:
        """Canonical: sorted keys, defaults left out, floats exact. Equal states give equal text."""
        values = {f.name: getattr(self, f.name) for f in _FIELDS if getattr(self, f.name) != f.default}
        return json.dumps(values, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> CardState:
        """Raises BadState for text that is not a state."""
        try:
            values: dict[str, Any] = json.loads(text)
            return cls(**values).check()
        except (TypeError, json.JSONDecodeError) as error:
            raise BadState(f"not a card state: {text[:80]}") from error


_FIELDS = fields(CardState)
STATE_FIELDS = tuple(f.name for f in _FIELDS)
