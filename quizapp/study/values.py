"""What the use cases take and give: plain immutable values. Instants are aware UTC datetimes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from quizapp.bank.grade import Grade
from quizapp.bank.response import Response
from quizapp.bank.schema import Question
from quizapp.bank.variant import Variant
from quizapp.memory.rating import RatingName
from quizapp.memory.state import CardState, Stage


@dataclass(frozen=True)
class Filter:
    """Which questions: each field narrows; the empty filter means all of them."""

    topics: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    flagged: bool = False
    text: str = ""
    """Words that must all occur in the id, the topic, the stem, the options or the tags; case does not matter."""

    @property
    def empty(self) -> bool:
        return self == Filter()


@dataclass(frozen=True)
class Remaining:
    """Numbers of cards that a session started now would ask today."""

    due: int
    """Cards in review that are due, within today's limit."""
    new: int
    """New cards, within today's limit."""
    learning: int
    """Cards in learning or relearning that are due now or within the learn-ahead minutes."""

    @property
    def remaining(self) -> int:
        return self.due + self.new + self.learning


@dataclass(frozen=True)
class Counts(Remaining):
    due_all: int
    """As `due`, without the daily limit."""
    new_all: int
    suspended: int
    buried: int
    """Put off until the next study day, by hand or because a sibling was answered today."""
    flagged: int
    total: int
    """Every card whose question is in the bank."""


@dataclass(frozen=True)
class Card:
    """A question that is asked now, with everything the screen needs."""

    question: Question
    variant: Variant
    seed: int
    state: Stage
    topic: str
    due_at: datetime | None
    position: int
    """1 for the first answer of the study day, and so on."""
    remaining: Remaining
    flagged: bool
    flag_reason: str
    note: str
    leech: bool
    key_changed: bool
    """The key is not the one under which the card was last answered: see `Study.settle_key`."""
    needs_check: bool
    """The fact's `expires` date has passed."""
    opened_version: int | None
    """Version of the card's state; `Study.answer` refuses the answer when it has moved on."""


@dataclass(frozen=True)
class Outcome:
    """An answer that is stored, and what it led to."""

    review_id: int
    question_id: str
    grade: Grade | None
    """None after an override: the grade did not change."""
    rating: RatingName
    rating_reason: str
    interval_days: int
    due_at: datetime
    next_due_text: str
    leech: bool
    """This answer made the card a leech, or reminds of it."""
    state_before: CardState
    state_after: CardState


@dataclass(frozen=True)
class Undone:
    """What was taken back, and the card: of an answer as it was asked."""

    review_id: int | None
    """None for a suspension or a bury."""
    question_id: str
    response: Response
    card: Card | None
    """None when the question is in no bank any more."""
    what: Literal["answer", "suspend", "bury"] = "answer"
    """A suspension may have been set or lifted: `undo` gives back what was before."""
    at: datetime | None = None
    """When the answer was given, in the learner's zone; None for a mark."""
    words: str = ""
    """What taking a mark back means."""


@dataclass(frozen=True)
class HomeView:
    due: int
    new: int
    learning: int
    suspended: int
    buried: int
    flagged: int
    reviews_today: int
    streak_days: int
    next_due_at: datetime | None
    """When the next card comes, if none is due now."""
    headline: str
    """What next, in one sentence."""
    exam_days: int | None
    minutes_today: float


class BrowseRow(NamedTuple):
    """A card in a list, as the store has it: a list may have a hundred thousand."""

    id: str
    topic: str
    state: Stage
    due_at: int | None
    """UTC milliseconds; only in learning."""
    due_day: int | None
    """The study day; only in review."""
    marks: int
    """1 flagged, 2 suspended, 4 a leech, added up."""

    @property
    def flagged(self) -> bool:
        return bool(self.marks & 1)

    @property
    def suspended(self) -> bool:
        return bool(self.marks & 2)

    @property
    def leech(self) -> bool:
        return bool(self.marks & 4)

    def marked(self, flagged: bool | None = None, suspended: bool | None = None) -> BrowseRow:
        """With these marks set or taken off; None leaves one as it is."""
        marks = self.marks
        for bit, on in ((1, flagged), (2, suspended)):
            marks = marks if on is None else marks | bit if on else marks & ~bit
        return self._replace(marks=marks)

    def is_due(self, at: int, today: int) -> bool:
        if self.due_day is not None:
            return self.due_day <= today
        return self.due_at is not None and self.due_at <= at


@dataclass(frozen=True)
class PastReview:
    review_id: int
    reviewed_at: datetime
    rating: RatingName | None
    score: float
    confidence: str | None
    interval_days: int
    origin: str


@dataclass(frozen=True)
class CardInfo:
    """Everything about one card, newest review first."""

    id: str
    topic: str
    state: Stage
    due_at: datetime | None
    interval_days: int
    stability: float | None
    difficulty: float | None
    """FSRS difficulty, 1 to 10."""
    retrievability: float | None
    reps: int
    lapses: int
    leech: bool
    flagged: bool
    flag_reason: str
    suspended: bool
    buried: bool
    note: str
    orphan: bool
    key_changed: bool
    reviews: list[PastReview]


Stats = dict[str, Any]
"""The keys of `quizapp stats --json`."""
