"""How many cards come due, from counts by due day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quizapp.memory.pace import Pace


def due_forecast(due: Mapping[int, int], learning: int, today: int, days: int, pace: Pace) -> dict[str, Any]:
    """The backlog (due before today) apart; `days` has today first. `later` is what comes after them.

    `learning` are in today's `due` too, as the backlog is not: all of today is both together.

    Reviews that these reviews will lead to are not in it: see `plan` for a simulation. `minutes_today` are what Home
    says of the same cards.
    """
    backlog = sum(count for day, count in due.items() if day < today)
    upcoming = [{"day": today + n, "due": due.get(today + n, 0)} for n in range(days)]
    minutes = pace.minutes(due=backlog + upcoming[0]["due"], learning=learning)
    upcoming[0]["due"] += learning
    return {
        "backlog": backlog,
        "learning": learning,
        "days": upcoming,
        "later": sum(count for day, count in due.items() if day >= today + days),
        "minutes_today": round(minutes, 1),
        "seconds_a_card": round(pace.review, 1),
    }
