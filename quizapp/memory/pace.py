"""How long questions take: the one estimate behind every number of minutes."""

from __future__ import annotations

from dataclasses import dataclass

NEW_ANSWERS = 3
"""Answers that a new card takes on its first day, with the learning steps."""
AGAIN_ANSWERS = 2
"""Answers more that a forgotten card takes on its day."""
USUAL_RECALL = 0.9
"""Of a card that is due."""
USUAL_SECONDS, WORTH = 40.0, 20
"""Seconds that an answer takes while nothing is known of a learner, and as many of her own answers as weigh that up."""
SHORTEST, LONGEST = 5.0, 120.0
"""Seconds an answer, whatever the log says: keys held down and a screen left open are no pace."""


@dataclass(frozen=True)
class Pace:
    """`answer` is the seconds of one answer."""

    answer: float = USUAL_SECONDS

    @classmethod
    def of(cls, answers: int, seconds: float) -> Pace:
        """From a learner's own answers and what they took together, drawn to the usual while they are few."""
        mean = (USUAL_SECONDS * WORTH + max(0.0, seconds)) / (WORTH + max(0, answers))
        return cls(min(max(mean, SHORTEST), LONGEST))

    @property
    def new(self) -> float:
        """Seconds of a new card, with its learning steps."""
        return self.answer * NEW_ANSWERS

    @property
    def review(self) -> float:
        """Seconds of a card that is due, forgotten as often as usual."""
        return self.recalled(USUAL_RECALL)

    def recalled(self, recall: float) -> float:
        """Seconds of a card that is recalled with this probability: a forgotten one comes again."""
        return self.answer * (1 + AGAIN_ANSWERS * (1 - recall))

    def minutes(self, new: int = 0, due: int = 0, learning: int = 0) -> float:
        """Of so many cards; one in learning needs one more answer."""
        return (new * self.new + due * self.review + learning * self.answer) / 60
