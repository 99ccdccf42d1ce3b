"""True retention: of cards in review, asked a day or more after the last time, how many were not rated again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from quizapp.progress.shares import Share

PERIODS = {"today": 1, "week": 7, "month": 30, "all": None}
"""Study days that end today; all: every day."""


def retention(rows: Iterable[tuple[str, int, int, int]], today: int) -> dict[str, dict[str, Any]]:
    """By period: shares of young and mature cards and of both. `rows` are (young or mature, day, tested, retained).

    Days after today (the clock went back) count only in `all`.
    """
    rows = list(rows)
    out: dict[str, dict[str, Any]] = {}
    for period, days in PERIODS.items():
        inside = [row for row in rows if days is None or today - days < row[1] <= today]
        shares = {
            name: Share(
                sum(right for key, _, _, right in inside if name in (key, "both")),
                sum(count for key, _, count, _ in inside if name in (key, "both")),
            )
            for name in ("young", "mature", "both")
        }
        out[period] = {name: share.to_dict() for name, share in shares.items()}
    return out
