"""The whole log replayed from nothing: it must lead to exactly the cards and counts that the store holds."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field, replace
from typing import Any

from quizapp.exam.feed import logged
from quizapp.memory.rating import Rating
from quizapp.memory.scheduler import Scheduler, SchedulerConfig, forget
from quizapp.memory.state import STATE_FIELDS, BadState, CardState
from quizapp.store import log
from quizapp.store.database import Database, records
from quizapp.store.tallies import Key, Tally, all_tallies, merge, replace_all
from quizapp.study.counting import counts_of
from quizapp.study.marking import MARKS
from quizapp.study.tallying import tallies_of_row

MOST_DIFFERENCES = 100
FRESH_MARKS: dict[str, Any] = {
    "suspended": False,
    "flagged": False,
    "flag_reason": "",
    "buried_on": None,
    "note": "",
}


@dataclass
class Replayed:
    """What the log says. `differences` are sentences about log rows that contradict each other."""

    reviews: int = 0
    """Answers in force."""
    states: dict[int, CardState] = field(default_factory=dict)
    days: dict[int, dict[str, int]] = field(default_factory=dict)
    tallies: dict[Key, Tally] = field(default_factory=dict)
    marks: dict[int, dict[str, Any]] = field(default_factory=dict)
    unchecked: int = 0
    """Reviews scheduled by another version of the scheduler, taken from the log as they stand."""
    differences: list[str] = field(default_factory=list)


@dataclass
class Report:
    ok: bool
    reviews: int
    unchecked: int
    differences: list[str]
    """The first hundred, one sentence each."""


def _scheduler_of(connection: sqlite3.Connection) -> dict[int, Scheduler | None]:
    """Schedulers by id; None for those of another version, which this program cannot recompute."""
    current = SchedulerConfig().version
    found: dict[int, Scheduler | None] = {}
    for row_id, config in connection.execute("SELECT id, config FROM scheduler"):
        values = SchedulerConfig.from_dict(json.loads(config))
        found[row_id] = Scheduler(values) if values.version == current else None
    return found


def _after(row: dict[str, Any], before: CardState, scheduler: Scheduler | None) -> CardState | None:
    """The state that the review leads to, recomputed; None when this program cannot."""
    recorded = CardState.from_json(row["after"])
    if row["origin"] == "keep":
        after = before
    elif row["origin"] == "forget":
        return replace(forget(before), review=row["id"])
    elif row["rating"] is None:  # an answer of an exam or of practice that was only logged
        after = logged(before, row["day"], bool(row["correct"]))
    elif scheduler is None:
        return None
    else:
        rating = Rating(row["rating"])
        after = scheduler.review(before, rating, row["reviewed_at"], row["day"], row["question_id"])
    return replace(after, key=recorded.key, review=row["id"])


def replay(connection: sqlite3.Connection) -> Replayed:
    """Every review in force, from a new card on, by the scheduler it was made with; then every mark."""
    result = Replayed()
    schedulers = _scheduler_of(connection)
    for row in log.reviews_in_order(connection):
        before = result.states.get(row["card_id"], CardState())
        if before.to_json() != row["before"]:
            result.differences.append(
                f"review {row['id']} begins at {row['before']}, the log leads to {before.to_json()}"
            )
        try:
            after = _after(row, before, schedulers[row["scheduler_id"]])
        except BadState as error:
            result.differences.append(f"review {row['id']} holds a state that cannot be ({error})")
            continue
        if after is None:
            after = CardState.from_json(row["after"])
            result.unchecked += 1
        elif after.to_json() != row["after"]:
            result.differences.append(f"review {row['id']} led to {row['after']}, replayed to {after.to_json()}")
        result.states[row["card_id"]] = after
        counts = counts_of(before, row["day"], row["rating"], bool(row["correct"]), row["duration_ms"])
        result.reviews += counts["reviews"]
        day = result.days.setdefault(row["day"], dict.fromkeys(log.COUNTED, 0))
        for name in log.COUNTED:
            day[name] += counts[name]
        merge(result.tallies, tallies_of_row(before, row).items())
    result.days = {day: counts for day, counts in result.days.items() if any(counts.values())}
    for card_id, value in connection.execute("SELECT card_id, value FROM action ORDER BY id"):
        result.marks.setdefault(card_id, dict(FRESH_MARKS)).update(json.loads(value))
    return result


def check(database: Database) -> Report:
    """Compares the store with its log; changes nothing."""
    with database.reading() as connection:
        result = replay(connection)
        differences = result.differences
        columns = ", ".join(f'"{name}"' for name in ("id", "question_id", *STATE_FIELDS, *MARKS))
        for row in records(connection, f"SELECT {columns} FROM card"):
            differences += _card_differences(dict(row), result)
        stored = {
            row["day"]: {name: row[name] for name in log.COUNTED} for row in records(connection, "SELECT * FROM daily")
        }
        for day in sorted(stored.keys() | result.days.keys()):
            if stored.get(day) != result.days.get(day):
                differences.append(f"day {day} counts {stored.get(day)}, the log gives {result.days.get(day)}")
        tallies = all_tallies(connection)
        for key in sorted(tallies.keys() | result.tallies.keys()):
            if tallies.get(key) != result.tallies.get(key):
                differences.append(f"tally {key} is {tallies.get(key)}, the log gives {result.tallies.get(key)}")
    return Report(not differences, result.reviews, result.unchecked, differences[:MOST_DIFFERENCES])


def _card_differences(row: dict[str, Any], result: Replayed) -> list[str]:
    found = []
    values = {name: row[name] for name in STATE_FIELDS}
    values["leech"] = bool(values["leech"])
    stored, said = CardState(**values), result.states.get(row["id"], CardState())
    if stored.to_json() != said.to_json():
        found.append(f"card '{row['question_id']}' is {stored.to_json()}, the log leads to {said.to_json()}")
    marks = {name: row[name] for name in MARKS} | {"suspended": bool(row["suspended"]), "flagged": bool(row["flagged"])}
    if marks != result.marks.get(row["id"], FRESH_MARKS):
        found.append(f"card '{row['question_id']}' is marked {marks}, the log says {result.marks.get(row['id'])}")
    return found


def rebuild(database: Database) -> Report:
    """Writes cards and counts anew from the log, in one transaction; the log itself is not touched."""
    with database.writing() as connection:
        result = replay(connection)
        fresh = {"id": None, **{name: getattr(CardState(), name) for name in STATE_FIELDS}, **FRESH_MARKS}
        sets = ", ".join(f'"{name}" = :{name}' for name in fresh if name != "id")
        ids = [row[0] for row in connection.execute("SELECT id FROM card")]
        rows = []
        for card_id in ids:
            state = result.states.get(card_id, CardState())
            values = {name: getattr(state, name) for name in STATE_FIELDS}
            rows.append({"id": card_id, **values, **result.marks.get(card_id, FRESH_MARKS)})
        connection.executemany(f"UPDATE card SET {sets} WHERE id = :id", rows)
        connection.execute("DELETE FROM daily")
        for day, counts in result.days.items():
            log.add_to_day(connection, day, counts)
        replace_all(connection, result.tallies)
    return Report(not result.differences, result.reviews, result.unchecked, result.differences[:MOST_DIFFERENCES])
