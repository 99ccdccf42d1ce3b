"""From a graded answer and the learner's confidence to an FSRS rating.

| answer                                   | guess | unsure | not asked | sure |
|------------------------------------------|-------|--------|-----------|------|
| all right, first time ever               | hard  | good   | good      | easy |
| all right, later                         | hard  | good   | good      | good |
| partly right, score of 3/4 or more       | again | hard   | hard      | hard |
| less than that, wrong, or blank          | again | again  | again     | again |

Hard is a pass in FSRS, so a wrong answer is never Hard. A lucky guess is not recall: its interval grows least.
Easy multiplies intervals, so being sure earns it only where it means "I knew this before I ever saw it here".
The learner may override any of it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

Confidence = Literal["guess", "unsure", "sure"]
CONFIDENCES = ("guess", "unsure", "sure")
RatingName = Literal["again", "hard", "good", "easy"]
PARTIAL_PASS = 0.75


class Rating(IntEnum):
    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4

    @property
    def word(self) -> RatingName:
        return self.name.lower()  # type: ignore[return-value]

    @classmethod
    def named(cls, word: str) -> Rating:
        """Raises ValueError for a word that is no rating."""
        try:
            return cls[word.upper()]
        except KeyError:
            raise ValueError(f"rating {word!r} is not one of again, hard, good, easy") from None


def rate(score: float, correct: bool, blank: bool, confidence: Confidence | None, first: bool) -> tuple[Rating, str]:
    """The rating and the reason in words. `score` is 0 to 1; `first` says that the card was new."""
    if blank:
        return Rating.AGAIN, "no answer was given"
    if correct:
        if confidence == "guess":
            return Rating.HARD, "right, but a guess"
        if confidence == "sure" and first:
            return Rating.EASY, "right and sure, the first time it was asked"
        return Rating.GOOD, {"sure": "right and sure", "unsure": "right, though unsure"}.get(confidence or "", "right")
    if score >= PARTIAL_PASS and confidence != "guess":
        return Rating.HARD, "mostly right"
    if confidence == "sure":
        return Rating.AGAIN, "wrong, though sure"
    return Rating.AGAIN, "partly right" if score > 0 else "wrong"
