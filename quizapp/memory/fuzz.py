"""Seeded fuzz within Anki's bounds: cards answered together drift apart, and a preview equals the result.

Bounds and the rule against shrinking follow Anki (`rslib/src/scheduler/states/fuzz.rs` and `review.rs`): each
interval of 2.5 days or more may move by one day plus 15 % of the part between 2.5 and 7 days, 10 % of the part
between 7 and 20, and 5 % of the rest. Every whole day within the bounds is equally likely.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

RANGES = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.10), (20.0, math.inf, 0.05))


def fuzz_factor(card: str, reps: int) -> float:
    """A number in [0, 1) that depends only on the card's name and on how often it was answered."""
    return random.Random(f"{card}:{reps}").random()


def _round(value: float) -> int:
    """Half away from zero, as Rust rounds (Python would round half to even)."""
    return math.floor(value + 0.5)


def fuzz_bounds(interval: float, minimum: int, maximum: int) -> tuple[int, int]:
    """The smallest and largest number of days that `interval` may become, both within [minimum, maximum]."""
    minimum = min(minimum, maximum)
    interval = min(max(interval, minimum), maximum)
    delta = 0.0
    if interval >= 2.5:
        delta = 1.0 + sum(factor * max(min(interval, end) - start, 0.0) for start, end, factor in RANGES)
    lower = min(max(_round(interval - delta), minimum), maximum)
    upper = min(max(_round(interval + delta), minimum), maximum)
    if upper == lower and 2 < upper < maximum:
        upper = lower + 1
    return lower, upper


def fuzzed(interval: float, factor: float, minimum: int, maximum: int) -> int:
    """`interval` moved within its bounds by `factor` in [0, 1)."""
    lower, upper = fuzz_bounds(interval, minimum, maximum)
    return math.floor(lower + factor * (1 + upper - lower))


def fuzz_passing(intervals: Sequence[int | None], last: int, factor: float, maximum: int) -> list[int | None]:
    """Fuzzes the intervals of Hard, Good and Easy together (None: that rating gives a step of minutes).

    An interval that grows past `last` stays above it, and Hard < Good < Easy holds below `maximum`.
    """
    result: list[int | None] = []
    previous = 0
    for interval in intervals:
        if interval is None:
            result.append(None)
            continue
        floor = last + 1 if interval > last else 1
        days = fuzzed(interval, factor, max(floor, previous + 1), maximum)
        result.append(days)
        previous = days
    return result
