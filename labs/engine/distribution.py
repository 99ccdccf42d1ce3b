"""Latencies in little memory: a count per distinct value, never a list of all.

Values are exact up to MAX_DISTINCT distinct ones; beyond that they are rounded to four significant digits (an error of
at most 0.05 %), so that a run of millions of tokens needs no more memory than one of thousands.
"""

from __future__ import annotations

import math

from labs.engine.types import NS_PER_MS

MAX_DISTINCT = 50_000
PERCENTILES = (50, 90, 95, 99)


class Distribution:
    """Counts of whole nanoseconds."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.count = 0
        self.total = 0
        self.max = 0
        self._rounded = False

    def add(self, value: int) -> None:
        self.count += 1
        self.total += value
        if value > self.max:
            self.max = value
        if self._rounded:
            value = _four_digits(value)
        self.counts[value] = self.counts.get(value, 0) + 1
        if not self._rounded and len(self.counts) > MAX_DISTINCT:
            self._round()

    def _round(self) -> None:
        self._rounded = True
        exact, self.counts = self.counts, {}
        for value, times in exact.items():
            value = _four_digits(value)
            self.counts[value] = self.counts.get(value, 0) + times

    def percentile(self, percent: float) -> int:
        """Nearest rank."""
        rank = max(1, math.ceil(percent / 100 * self.count))
        seen = 0
        for value in sorted(self.counts):
            seen += self.counts[value]
            if seen >= rank:
                return value
        raise ValueError("no values")

    def summary_ms(self) -> dict[str, float | None]:
        if not self.count:
            return dict.fromkeys(("mean", *(f"p{p}" for p in PERCENTILES), "max"))
        values: dict[str, float | None] = {"mean": self.total / self.count / NS_PER_MS}
        values.update({f"p{p}": self.percentile(p) / NS_PER_MS for p in PERCENTILES})
        values["max"] = self.max / NS_PER_MS
        return values


def _four_digits(value: int) -> int:
    if value < 10_000:
        return value
    unit = 10 ** (len(str(value)) - 4)
    return (value + unit // 2) // unit * unit
