"""Cards and reviews sorted by how much was due to be forgotten: elapsed days over stability, in 48 bins.

In FSRS recall depends on that quotient alone (`recall`), so counts by bin hold all that readiness needs: a hundred
thousand cards become 48 numbers an objective, and predictions can be compared with what was answered.
"""

from __future__ import annotations

from bisect import bisect_right

LOWEST, STEPS, COUNT = 2.0**-6, 4, 48
EDGES = tuple(LOWEST * 2 ** (n / STEPS) for n in range(COUNT - 1))
"""Bin n holds quotients from EDGES[n - 1] up to EDGES[n]: from 1/64 to about 45 in quarters of a doubling."""


def bin_of(elapsed: float, stability: float) -> int:
    """0 for a card seen today. `elapsed` and `stability` in days, the second above 0."""
    return bisect_right(EDGES, elapsed / stability)


def middle(number: int) -> float:
    """The quotient that stands for a bin."""
    if number == 0:
        return EDGES[0] / 2
    if number == COUNT - 1:
        return EDGES[-1] * 2 ** (0.5 / STEPS)
    return (EDGES[number - 1] * EDGES[number]) ** 0.5


def recall(quotient: float, decay: float) -> float:
    """FSRS-6: (1 + f t/S)^-d with f such that recall is 0.9 where t = S. `decay` is d, the 21st parameter, above 0."""
    factor = 0.9 ** (-1 / decay) - 1
    return float((1 + factor * quotient) ** -decay)


def sql(elapsed: str, stability: str) -> str:
    """`bin_of` as an SQL expression, by bisection: six comparisons a row. `stability` must be a real number."""

    def half(low: int, high: int) -> str:
        if low == high:
            return str(low)
        at = (low + high) // 2
        below, above = half(low, at), half(at + 1, high)
        return f"CASE WHEN {elapsed} / {stability} < {EDGES[at]!r} THEN {below} ELSE {above} END"

    return half(0, COUNT - 1)
