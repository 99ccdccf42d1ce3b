"""The schema of the settings: what each is called, how it is shown and how it is read. Screens are made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from quizapp.tui.actions import keymap_problems


class Unreadable(ValueError):
    """What was typed cannot be this setting; the message says what to type."""


@dataclass(frozen=True, slots=True)
class Field:
    """`choices` are cycled through; else `read` makes a value of typed text and `show` the reverse."""

    name: str
    title: str
    words: str
    read: Callable[[str], Any] = str.strip
    show: Callable[[Any], str] = str
    choices: tuple[Any, ...] = ()

    def after(self, value: Any) -> Any:
        """The choice that follows `value`."""
        at = self.choices.index(value) if value in self.choices else -1
        return self.choices[(at + 1) % len(self.choices)]


def zone(text: str) -> str:
    """The name of a zone, checked at once: a tick beside a name that is refused three steps later misleads."""
    from quizapp.memory.day import UnknownZone, zone_named

    try:
        return zone_named(text.strip()).key
    except UnknownZone:
        raise Unreadable(
            f"There is no time zone '{text.strip()}' here. Type for example Europe/Berlin, or UTC."
        ) from None


def whole(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise Unreadable(f"'{text.strip()}' is not a whole number. Type for example 20.") from None


def minutes_or_none(text: str) -> int | None:
    if not text.strip():
        return None
    minutes = whole(text)
    if not 1 <= minutes <= 1440:
        raise Unreadable(f"A day has room for 1 to 1440 minutes, not {minutes}. Type for example 20, or nothing.")
    return minutes


def target_or_none(text: str) -> int | None:
    if not text.strip():
        return None
    percent = whole(text.strip().rstrip("%"))
    if not 1 <= percent <= 100:
        raise Unreadable(f"A target is 1 to 100 per cent, not {percent}. Type for example 70, or nothing.")
    return percent


def hour(text: str) -> int:
    typed = text.strip().removesuffix(":00")
    if not typed.isdecimal() or int(typed) > 23:
        raise Unreadable(f"'{text.strip()}' is not a full hour from 0:00 to 23:00. Type for example 4:00.")
    return int(typed)


def day_or_none(text: str) -> date | None:
    if not text.strip():
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise Unreadable(
            f"'{text.strip()}' is not a date. Type year-month-day, for example 2027-03-15, or nothing."
        ) from None


def share(text: str) -> float:
    number = text.strip().rstrip("%").strip()
    try:
        value = float(number.replace(",", "."))
    except ValueError:
        raise Unreadable(f"'{text.strip()}' is not a percentage. Type for example 90.") from None
    return value if value <= 1 else value / 100


def key_table(text: str) -> dict[str, str]:
    out = {}
    for pair in filter(None, (one.strip() for one in text.split(";"))):
        name, sign, keys = pair.partition("=")
        if not sign or not keys.strip():
            raise Unreadable(f"'{pair}' is not name=key. Type for example flag=m; undo=ctrl+z (names: docs/keys.md).")
        out[name.strip()] = keys.strip()
    problems = keymap_problems(out)
    if problems:
        words = problems[0].removeprefix("keys: ")
        raise Unreadable(f"{words[0].upper()}{words[1:]}. Nothing was changed.")
    return out


def _or_nothing(value: Any) -> str:
    return "" if value is None else str(value)


def _yes(value: Any) -> str:
    return "yes" if value else "no"


ZONE = Field("zone", "Time zone", "Whose calendar days are your study days, for example Europe/Berlin.", zone)
ROLLOVER = Field("rollover_hour", "The day begins at", "Studying before this hour still counts for the day before.",
                 hour, lambda value: f"{value}:00")  # fmt: skip
EXAM = Field("exam_date", "Exam date", "Year-month-day; nothing if you have none yet.", day_or_none, _or_nothing)
MINUTES = Field("minutes_a_day", "Minutes a day", "Your goal, and the length of a timed session; nothing for no goal.",
                minutes_or_none, _or_nothing)  # fmt: skip

EXAMS = {
    "nca-genl-serving": "NCA-GENL, inference serving",
    "ncp-genl-serving": "NCP-GENL, serving domains",
}
"""Exams of the built-in bank that have a mock, by id."""

FIELDS = (
    ZONE,
    ROLLOVER,
    EXAM,
    Field("exam", "Exam", "What readiness and today's plan are about; mock exams have a choice of their own.",
          show=lambda value: EXAMS.get(value, str(value)), choices=tuple(EXAMS)),
    Field("target", "Target",
          "Per cent of an exam you want right: Progress says the chance. Nothing for none; no pass mark is published.",
          target_or_none, lambda value: "" if value is None else f"{value} %"),
    MINUTES,
    Field("new_per_day", "New a day", "At most so many questions that you have never seen.", whole),
    Field("reviews_per_day", "Reviews a day", "At most so many questions that come again.", whole),
    Field("learn_ahead_minutes", "Learn ahead",
          "Minutes: a fresh question due this soon is asked when nothing else is left.", whole),
    Field("desired_retention", "Aim to remember",
          "Per cent of reviews to get right: 80 is fewer reviews, 95 is many more.", share,
          lambda value: f"{value * 100:g} %"),
    Field("ask_confidence", "Ask how sure",
          "A guess that is right comes back sooner; being sure and wrong is worth seeing.",
          show=_yes, choices=(True, False)),
    Field("theme", "Theme", "Dark or light; F2 switches anywhere.", choices=("dark", "light")),
    Field("keys", "Own keys", "name=key; name=key, with the names of docs/keys.md. Nothing for the usual keys.",
          key_table, lambda value: "; ".join(f"{name}={keys}" for name, keys in value.items())),
)  # fmt: skip

WELCOME = (ZONE, ROLLOVER, EXAM, MINUTES)
