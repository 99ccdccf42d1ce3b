"""Stated confidence against truth, and the Brier score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quizapp.progress.shares import Share

STATED = {"guess": 0.35, "unsure": 0.70, "sure": 0.95}
"""The probability that each word is read as. A guess between four options with a hunch is worth about a third."""
ENOUGH = 20
"""Answers of one word before anything is said about it."""


def calibration(tallies: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    """`tallies` are (answers, right) by word. The Brier score is the mean of (stated - outcome)², 0 to 1, small is good
    (Brier 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2); `brier_constant` is what always stating the own
    rate of right answers would score.
    """
    levels = []
    total = right_all = 0
    squares = 0.0
    for word, stated in STATED.items():
        count, right = tallies.get(word, (0, 0))
        share = Share(right, count)
        levels.append({"word": word, "stated": stated, **share.to_dict(), "verdict": _verdict(share, stated)})
        total, right_all = total + count, right_all + right
        squares += right * (1 - stated) ** 2 + (count - right) * stated**2
    base = right_all / total if total else 0.0
    return {
        "answers": total,
        "levels": levels,
        "brier": squares / total if total else None,
        "brier_constant": base * (1 - base) if total else None,
    }


def _verdict(share: Share, stated: float) -> str:
    if share.total < ENOUGH:
        return "too few to say"
    low, high = share.interval()
    if high < stated:
        return "overconfident"
    return "underconfident" if low > stated else "as stated"
