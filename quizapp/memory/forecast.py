"""How many cards come due, from counts by due day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def due_forecast(due: Mapping[int, int], learning: int, today: int, days: int, seconds: float) -> dict[str, Any]:
    """The backlog (due before today) apart; `days` has today first. `later` is what comes after them.

    Reviews that these reviews will lead to are not in it: see `plan` for a simulation. `seconds` is one answer's time.
    """
    backlog = sum(count for day, count in due.items() if day < today)
    upcoming = [{"day": today + n, "due": due.get(today + n, 0)} for n in range(days)]
    upcoming[0]["due"] += learning
    return {
        "backlog": backlog,
        "days": upcoming,
        "later": sum(count for day, count in due.items() if day >= today + days),
        "minutes_today": round((backlog + upcoming[0]["due"]) * seconds / 60, 1),
        "seconds_a_card": round(seconds, 1),
    }
