"""FSRS-6 by `fsrs`, given day-aligned instants, with our own seeded fuzz on top.

`fsrs` keeps time in blocks of 24 hours and fuzzes by the global random generator. Here it is always given
midnights in UTC of our study days and never fuzzes; steps within a day are real minutes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any

import fsrs

from quizapp.memory.day import fsrs_instant
from quizapp.memory.exam_date import land
from quizapp.memory.fuzz import fuzz_factor, fuzz_passing
from quizapp.memory.rating import Rating
from quizapp.memory.state import CardState

MILLISECONDS_A_DAY = 86_400_000
_STAGE = {"new": fsrs.State.Learning, "learning": fsrs.State.Learning, "review": fsrs.State.Review,
          "relearning": fsrs.State.Relearning}  # fmt: skip
PASSING = (Rating.HARD, Rating.GOOD, Rating.EASY)
_NAME = {fsrs.State.Learning: "learning", fsrs.State.Review: "review", fsrs.State.Relearning: "relearning"}


@dataclass(frozen=True)
class SchedulerConfig:
    """Everything that decides a review's result besides the card and the answer. Kept with every review."""

    version: str = f"fsrs {version('fsrs')}"
    parameters: tuple[float, ...] = fsrs.scheduler.DEFAULT_PARAMETERS
    desired_retention: float = 0.9
    learning_steps: tuple[int, ...] = (60, 600)
    """Seconds; each below one day."""
    relearning_steps: tuple[int, ...] = (600,)
    maximum_interval: int = 36_500
    fuzz: bool = True
    leech_threshold: int = 8
    exam_day: int | None = None
    """Study day of an exam to aim at (`quizapp.memory.exam_date`); None: intervals are FSRS's own."""

    def to_dict(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> SchedulerConfig:
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return cls(**plain)


@dataclass(frozen=True)
class Scheduler:
    """Pure: a state, a rating and a time in, the next state out."""

    config: SchedulerConfig = SchedulerConfig()

    @cached_property
    def _fsrs(self) -> fsrs.Scheduler:
        c = self.config
        return fsrs.Scheduler(
            parameters=c.parameters,
            desired_retention=c.desired_retention,
            learning_steps=[timedelta(seconds=s) for s in c.learning_steps],
            relearning_steps=[timedelta(seconds=s) for s in c.relearning_steps],
            maximum_interval=c.maximum_interval,
            enable_fuzzing=False,
        )

    def review(self, before: CardState, rating: Rating, at: int, day: int, card: str = "") -> CardState:
        """The state after a review.

        `at` is the instant in UTC milliseconds and `day` its study day. A clock or zone that went back is held at
        the card's last review. `card` names the card and seeds its fuzz.
        """
        at = max(at, before.last_at or at)
        day = max(day, before.last_day or day)
        after, interval = self._step(before, rating, day)
        days: int | None = None
        if after.state is fsrs.State.Review:
            days = interval.days
            if rating in PASSING and (self.config.fuzz or self.config.exam_day is not None):
                days = self._passing_days(before, rating, day, card)
        lapses = before.lapses + (before.state == "review" and rating is Rating.AGAIN)
        return CardState(
            state=_NAME[after.state],  # type: ignore[arg-type]
            step=after.step,
            stability=after.stability,
            difficulty=after.difficulty,
            due_at=None if days is not None else at + round(interval.total_seconds() * 1000),
            due_day=None if days is None else day + days,
            last_at=at,
            last_day=day,
            interval=days or 0,
            reps=before.reps + 1,
            lapses=lapses,
            leech=before.leech or lapses >= self.config.leech_threshold,
            key=before.key,
            review=before.review,
        )

    def _step(self, before: CardState, rating: Rating, day: int) -> tuple[fsrs.Card, timedelta]:
        now = fsrs_instant(day)
        card = fsrs.Card(
            card_id=1,
            state=_STAGE[before.state],
            step=before.step,
            stability=before.stability,
            difficulty=before.difficulty,
            due=now,
            last_review=None if before.last_day is None else fsrs_instant(before.last_day),
        )
        after, _ = self._fsrs.review_card(card, fsrs.Rating(int(rating)), now)
        return after, after.due - now

    def _passing_days(self, before: CardState, rating: Rating, day: int, card: str) -> int:
        """The interval, fuzzed and cut for an exam together with those of the other passing ratings: a better answer
        never comes back sooner than a worse one.
        """
        steps = [self._step(before, one, day)[0] for one in PASSING]
        intervals = [(one.due - fsrs_instant(day)).days if one.state is fsrs.State.Review else None for one in steps]
        factor = fuzz_factor(card, before.reps)
        if self.config.fuzz:
            intervals = fuzz_passing(intervals, before.interval, factor, self.config.maximum_interval)
        if self.config.exam_day is not None:
            least = 0
            for n, (after, days) in enumerate(zip(steps, intervals, strict=True)):
                if days is not None and after.stability is not None:
                    recall = partial(self._recall, after.stability)
                    least = max(least, land(days, day, self.config.exam_day, recall, factor))
                    intervals[n] = least
        found = intervals[PASSING.index(rating)]
        assert found is not None
        return found

    def is_leech_now(self, before: CardState, after: CardState) -> bool:
        """Whether this review made a leech, or reminds of one: at the threshold and every half threshold after."""
        threshold = self.config.leech_threshold
        if after.lapses == before.lapses or after.lapses < threshold:
            return False
        return (after.lapses - threshold) % max(1, (threshold + 1) // 2) == 0

    def retrievability(self, state: CardState, day: int) -> float | None:
        """The probability of recall on study day `day` (FSRS-6 power curve); None for a new card."""
        if state.stability is None or state.last_day is None:
            return None
        return self._recall(state.stability, max(0, day - state.last_day))

    def _recall(self, stability: float, elapsed: int) -> float:
        decay = -self.config.parameters[20]
        factor = 0.9 ** (1 / decay) - 1
        return float((1 + factor * elapsed / stability) ** decay)


def forget(before: CardState) -> CardState:
    """The card begins again as new; its reviews stay in the log and keep counting as reps and lapses."""
    return replace(CardState(), reps=before.reps, lapses=before.lapses, leech=before.leech)
