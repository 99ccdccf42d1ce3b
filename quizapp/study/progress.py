"""Progress as a use case: what the log and the cards say, read from rollups and indexes, never by a scan of the log.

Every screen, the JSON document and the report to share are made of the one plain value that `Progress.all` returns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from datetime import date
from functools import cached_property
from typing import Any

from quizapp.exam.blueprint import Blueprint, blueprints
from quizapp.memory.forecast import due_forecast
from quizapp.progress import bins
from quizapp.progress.calibration import calibration
from quizapp.progress.mastery import Part, mastery
from quizapp.progress.misconceptions import RECENT_DAYS, table
from quizapp.progress.readiness import LEVEL, fit, readiness, what_raises
from quizapp.progress.retention import retention
from quizapp.progress.shelf import Seen, Shelves, Sorted
from quizapp.store import rollup
from quizapp.store.cards import ACTIVE
from quizapp.study.moment import Moment
from quizapp.study.overview import SECONDS_A_CARD
from quizapp.study.study import Study
from quizapp.study.tallying import MATURE_DAYS

FORECAST_DAYS = 30
STEPS_SHOWN = 6


class Progress:
    """Of one open store. What the bank gives is sorted once; `all` reads the rest afresh."""

    def __init__(self, study: Study) -> None:
        self._study = study

    @cached_property
    def shelves(self) -> Shelves:
        return Shelves(self._study.bank)

    @cached_property
    def blueprint(self) -> Blueprint | None:
        """The exam that readiness is about: the bank's first one that offers a mock; None when it has none."""
        try:
            offered = [one for one in blueprints(self._study.bank.exams).values() if one.mock]
        except ValueError:
            return None
        return min(offered, key=lambda one: one.id) if offered else None

    def all(self) -> dict[str, Any]:
        """The keys of `quizapp progress --json`."""
        moment = self._study.moment()
        with self._study.database.reading() as connection:
            seconds = seconds_a_card(connection)
            exam_day = exam_day_of(moment)
            counts = self._sorted(connection, moment, exam_day)
            parts = counts.parts("objective")
            ahead = counts.parts("objective", later=True) if exam_day else None
            decay = moment.scheduler.config.parameters[20]
            objectives = {key: one.title for key, one in self._study.bank.objectives.items()}
            return {
                "as_of": moment.now.isoformat(),
                "today": date.fromordinal(moment.today).isoformat(),
                "calendar": _calendar(connection),
                "retention": retention(rollup.by_day(connection, "retention"), moment.today),
                "forecast": _forecast(connection, moment, seconds),
                "mastery": {
                    "objectives": mastery(parts, decay, objectives),
                    "topics": mastery(counts.parts("topic"), decay, {}),
                },
                "calibration": calibration(rollup.by_key(connection, "confidence")),
                "misconceptions": self._misconceptions(connection, moment),
                "claims": _claims(connection),
                "time": _time(connection, moment),
                "readiness": self._readiness(connection, moment, parts, ahead, exam_day, decay, seconds),
            }

    def _sorted(self, connection: sqlite3.Connection, moment: Moment, exam_day: int | None) -> Sorted:
        first = rollup.questions_by(connection, "first", "hits")
        seen = _seen(connection, moment.today, exam_day or moment.today)
        return self.shelves.sort(seen, first.get(0, ()), first.get(1, ()))

    def weights(self, parts: Collection[str]) -> dict[str, float]:
        """The share of the exam of each objective; without an exam every objective of the bank counts the same."""
        return self.blueprint.weights() if self.blueprint else {key: 1 / len(parts) for key in parts}

    def first_answers(self, connection: sqlite3.Connection) -> dict[str, Part]:
        """Of each objective only that: how many questions it has, and how they were answered the first time."""
        first = rollup.questions_by(connection, "first", "hits")
        return self.shelves.sort((), first.get(0, ()), first.get(1, ())).parts("objective")

    def _misconceptions(self, connection: sqlite3.Connection, moment: Moment) -> list[dict[str, Any]]:
        ever = rollup.by_key(connection, "misconception")
        if not ever:
            return []
        return table(
            ever,
            rollup.by_key(connection, "misconception", moment.today - RECENT_DAYS + 1),
            self.shelves.tempting,
            self.shelves.offered(rollup.questions_by(connection, "question", "count")),
            {key: one.name for key, one in self._study.bank.misconceptions.items()},
        )

    def _readiness(
        self,
        connection: sqlite3.Connection,
        moment: Moment,
        parts: dict[str, Part],
        ahead: dict[str, Part] | None,
        exam_day: int | None,
        decay: float,
        seconds: float,
    ) -> dict[str, Any]:
        blueprint = self.blueprint
        weights = self.weights(parts)
        tested = {int(key): tally for key, tally in rollup.by_key(connection, "recall").items()}
        questions = blueprint.questions.min if blueprint else 50
        memory = fit(tested, {key: part for key, part in parts.items() if key in weights}, decay)
        found = readiness(parts, weights, memory, decay, questions)
        first = [sum(parts[key].first[i] for key in weights if key in parts) for i in (0, 1)]
        sql = "SELECT count(*), max(json_extract(summary, '$.rate')) FROM sitting WHERE open = 0"
        mocks = connection.execute(sql).fetchone()
        later = None
        if ahead is not None and exam_day is not None:
            then = readiness(ahead, weights, memory, decay, questions)
            later = {"date": date.fromordinal(exam_day).isoformat(), "low": then.low, "middle": then.middle,
                     "high": then.high}  # fmt: skip
        titles = {key: one.title for key, one in self._study.bank.objectives.items()}
        return {
            "low": found.low,
            "middle": found.middle,
            "high": found.high,
            "level": LEVEL,
            "one_exam": {"low": found.exam_low, "high": found.exam_high, "questions": questions},
            "exam": blueprint.id if blueprint else None,
            "title": blueprint.title if blueprint else "every question of the bank",
            "covers": blueprint.covers if blueprint else "",
            "pass_mark": blueprint.pass_mark if blueprint else None,
            "without_study_until_exam": later,
            "objectives": [
                {"id": key, "title": titles.get(key, key), "weight": weights[key], "score": score}
                for key, score in found.objectives.items()
            ],
            "evidence": {
                "questions": sum(parts[key].questions for key in weights if key in parts),
                "seen": sum(parts[key].known for key in weights if key in parts),
                "first_answers": first[0],
                "first_right": first[1],
                "later_answers": sum(count for count, _ in tested.values()),
                "later_right": sum(right for _, right in tested.values()),
                "mock_exams": mocks[0],
                "best_mock": mocks[1],
                "memory_factor": found.factor,
                "slip": found.slip,
            },
            "raise": what_raises(found, parts, weights, decay, seconds)[:STEPS_SHOWN],
        }


def exam_day_of(moment: Moment) -> int | None:
    """The exam's day; None where there is none or it has passed."""
    exam = moment.settings.exam_date
    return None if exam is None or exam.toordinal() < moment.today else exam.toordinal()


def seconds_a_card(connection: sqlite3.Connection) -> float:
    """Of one answer, from the learner's own; a guess until there are twenty."""
    count, spent = connection.execute("SELECT sum(count), sum(hits) FROM rollup WHERE kind = 'time'").fetchone()
    return float(spent) / count / 1000 if count and count >= 20 and spent else float(SECONDS_A_CARD)


_NOW, _LATER = (bins.sql(f"(:{day} - last_day)", "stability") for day in ("today", "later"))


def _seen(connection: sqlite3.Connection, today: int, later: int) -> list[Seen]:
    """Cards with a memory, sorted into bins by SQLite. `later` is the study day of the exam."""
    sql = (
        f"SELECT {_NOW} AS now, {_LATER if later != today else _NOW} AS later, interval >= :mature AS mature, "
        "group_concat(question_id, char(10)) FROM card WHERE stability IS NOT NULL AND orphan = 0 GROUP BY 1, 2, 3"
    )
    values = {"today": today, "later": later, "mature": MATURE_DAYS}
    rows = connection.execute(sql, values)
    return [Seen(now, then, bool(mature), names.split("\n")) for now, then, mature, names in rows]


def _calendar(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Days with an answer, oldest first. A day is the local date on which the study day began."""
    rows = connection.execute("SELECT day, reviews, correct, duration_ms FROM daily WHERE reviews > 0 ORDER BY day")
    return [
        {"date": date.fromordinal(day).isoformat(), "reviews": n, "correct": right, "minutes": round(spent / 60_000, 1)}
        for day, n, right, spent in rows
    ]


def _forecast(connection: sqlite3.Connection, moment: Moment, seconds: float) -> dict[str, Any]:
    due = connection.execute(f"SELECT due_day, count(*) FROM card WHERE state = 'review' AND {ACTIVE} GROUP BY due_day")
    sql = f"SELECT count(*) FROM card WHERE state IN ('learning', 'relearning') AND {ACTIVE}"
    (learning,) = connection.execute(sql).fetchone()
    counts = {int(day): int(count) for day, count in due}
    found = due_forecast(counts, int(learning or 0), moment.today, FORECAST_DAYS, seconds)
    days = [{"date": date.fromordinal(one["day"]).isoformat(), "due": one["due"]} for one in found["days"]]
    return {**found, "days": days}


def _time(connection: sqlite3.Connection, moment: Moment) -> dict[str, Any]:
    rows = rollup.by_day(connection, "time")
    by_origin: dict[str, float] = {}
    for origin, _, _, spent in rows:
        by_origin[origin] = by_origin.get(origin, 0.0) + spent / 60_000
    week = sum(spent for _, day, _, spent in rows if moment.today - 7 < day <= moment.today) / 60_000
    return {
        "minutes": round(sum(by_origin.values()), 1),
        "minutes_week": round(week, 1),
        "by_origin": {origin: round(minutes, 1) for origin, minutes in sorted(by_origin.items())},
    }


def _claims(connection: sqlite3.Connection) -> dict[str, Any]:
    """Claims of the lessons: how many a passed lab has proved."""
    from labs.claims import load_claims

    passed = {lab for (lab,) in connection.execute("SELECT lab FROM lab WHERE passed_at IS NOT NULL")}
    claims = load_claims().values()
    proved = sorted(claim.id for claim in claims if passed & set(claim.labs))
    return {"total": len(claims), "proved": proved, "labs_passed": sorted(passed)}
