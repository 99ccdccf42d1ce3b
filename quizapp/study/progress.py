"""Progress as a use case: what the log and the cards say, read from rollups and indexes, never by a scan of the log.

Every screen, the JSON document and the report to share are made of the one plain value that `Progress.all` returns.
"""

from __future__ import annotations

import sqlite3
from datetime import date
from functools import cached_property
from typing import Any

from quizapp.exam.blueprint import Blueprint, blueprints
from quizapp.memory.forecast import due_forecast
from quizapp.memory.pace import Pace
from quizapp.progress import bins
from quizapp.progress.calibration import calibration
from quizapp.progress.mastery import Part, mastery
from quizapp.progress.misconceptions import RECENT_DAYS, table
from quizapp.progress.readiness import LEVEL, TARGET_ANSWERS, Parts, Readiness, fit, readiness, what_raises
from quizapp.progress.retention import retention
from quizapp.progress.shelf import Seen, Shelves, Sorted, objectives, together, topic
from quizapp.store import rollup
from quizapp.store.cards import ACTIVE
from quizapp.store.errors import StoreError
from quizapp.study.moment import Moment
from quizapp.study.pace import pace_of
from quizapp.study.study import Study
from quizapp.study.tallying import MATURE_DAYS

FORECAST_DAYS = 30
STEPS_SHOWN = 6


class Progress:
    """Of one open store, read afresh each time."""

    def __init__(self, study: Study, exam: str | None = None) -> None:
        """`exam` is the id of a blueprint; None: the one that the settings name.

        Raises StoreError for an `exam` of which the bank has no mock.
        """
        self._study = study
        self._exam = exam
        if exam is not None and exam not in self.offered:
            names = ", ".join(self.offered) or "none"
            raise StoreError(f"The bank has no exam '{exam}' with a mock; it has {names}.")

    @property
    def shelves(self) -> Shelves:
        return self._study.shelves

    @cached_property
    def offered(self) -> dict[str, Blueprint]:
        """The bank's exams that have a mock, by id."""
        try:
            return {key: one for key, one in sorted(blueprints(self._study.bank.exams).items()) if one.mock}
        except ValueError:
            return {}

    @property
    def blueprint(self) -> Blueprint | None:
        """The exam that readiness and the plan are about; None when the bank has none.

        A bank without the exam of the settings has its first one instead.
        """
        first = next(iter(self.offered.values()), None)
        return self.offered.get(self._exam or self._study.moment().settings.exam, first)

    @property
    def title(self) -> str:
        """Of that exam, short: without what stands in brackets."""
        return self.blueprint.title.partition(" (")[0] if self.blueprint else "every question of the bank"

    def all(self) -> dict[str, Any]:
        """The keys of `quizapp progress --json`."""
        moment = self._study.moment()
        with self._study.database.reading() as connection:
            pace = pace_of(connection)
            exam_day = exam_day_of(moment)
            counts = self._sorted(connection, moment, exam_day)
            decay = moment.scheduler.config.parameters[20]
            titles = {key: one.title for key, one in self._study.bank.objectives.items()}
            return {
                "as_of": moment.now.isoformat(),
                "today": date.fromordinal(moment.today).isoformat(),
                "exam": _exam(moment),
                "calendar": _calendar(connection),
                "retention": retention(rollup.by_day(connection, "retention"), moment.today),
                "forecast": _forecast(connection, moment, pace),
                "mastery": {
                    "objectives": mastery(counts.parts(objectives), decay, titles),
                    "topics": mastery(counts.parts(topic), decay, {}),
                },
                "calibration": calibration(rollup.by_key(connection, "confidence")),
                "misconceptions": self._misconceptions(connection, moment),
                "claims": _claims(connection),
                "time": _time(connection, moment),
                "readiness": self._readiness(connection, counts, exam_day, decay, pace),
            }

    def _sorted(self, connection: sqlite3.Connection, moment: Moment, exam_day: int | None) -> Sorted:
        first = rollup.questions_by(connection, "first", "hits")
        seen = _seen(connection, moment.today, exam_day or moment.today)
        return self.shelves.sort(seen, first.get(0, ()), first.get(1, ()))

    def weights(self) -> dict[str, float]:
        """The share of the exam of each objective; without an exam every objective of the bank counts the same."""
        if self.blueprint:
            return self.blueprint.weights()
        names = sorted({name for shelf in self.shelves.shelves for name in shelf.objectives})
        return {name: 1 / len(names) for name in names}

    def first_answers(self, connection: sqlite3.Connection) -> dict[tuple[str, ...], Part]:
        """The exam's parts with only that: how many questions they have, and how those were answered the first time."""
        first = rollup.questions_by(connection, "first", "hits")
        return self.shelves.sort((), first.get(0, ()), first.get(1, ())).parts(together(self.weights()))

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
        counts: Sorted,
        exam_day: int | None,
        decay: float,
        pace: Pace,
    ) -> dict[str, Any]:
        blueprint, weights = self.blueprint, self.weights()
        parts = counts.parts(together(weights))
        tested = {int(key): tally for key, tally in rollup.by_key(connection, "recall").items()}
        questions = blueprint.questions.min if blueprint else 50
        memory = fit(tested, parts, decay)
        found = readiness(parts, weights, memory, decay, questions)
        later = None
        if exam_day is not None:
            then = readiness(counts.parts(together(weights), later=True), weights, memory, decay, questions)
            later = {"date": date.fromordinal(exam_day).isoformat(), "low": then.low, "middle": then.middle,
                     "high": then.high}  # fmt: skip
        titles = {key: one.title for key, one in self._study.bank.objectives.items()}
        return {
            "low": found.low,
            "middle": found.middle,
            "high": found.high,
            "level": LEVEL,
            "one_exam": {"low": found.exam_low, "high": found.exam_high, "questions": questions},
            "target": _target(found, parts, self._study.moment().settings.target),
            "exam": blueprint.id if blueprint else None,
            "title": self.title,
            "covers": blueprint.covers if blueprint else "",
            "pass_mark": blueprint.pass_mark if blueprint else None,
            "without_study_until_exam": later,
            "objectives": [
                {"id": key, "title": titles.get(key, key), "weight": weights[key], "score": score}
                for key, score in found.objectives.items()
            ],
            "evidence": {
                **_distinct(parts),
                "difficulty": dict(zip(("answered", "unseen"), counts.difficulties(weights), strict=True)),
                "later_answers": sum(count for count, _ in tested.values()),
                "later_right": sum(right for _, right in tested.values()),
                **_mocks(connection, blueprint.id if blueprint else ""),
                "memory_factor": found.factor,
                "slip": found.slip,
            },
            "raise": [
                {**step, "title": titles.get(step["objective"], step["objective"])}
                for step in what_raises(found, parts, weights, decay, pace)[:STEPS_SHOWN]
            ],
        }


def exam_day_of(moment: Moment) -> int | None:
    """The exam's day; None where there is none ahead: on the day itself there is nothing to plan any more."""
    exam = moment.settings.exam_date
    return None if exam is None or exam <= moment.local_date else exam.toordinal()


def _exam(moment: Moment) -> dict[str, Any] | None:
    """The exam's date and how many days it is off: 0 on the day, below 0 when it was; None where no date is set."""
    exam = moment.settings.exam_date
    return None if exam is None else {"date": exam.isoformat(), "days": (exam - moment.local_date).days}


def _target(found: Readiness, parts: Parts, target: int | None) -> dict[str, float | None] | None:
    """The learner's own line, and the chance that one exam reaches it: None after too few answers to say."""
    if target is None:
        return None
    enough = sum(part.first[0] for part in parts.values()) >= TARGET_ANSWERS
    return {"share": target / 100, "chance": found.chance(target / 100) if enough else None}


def _distinct(parts: Parts) -> dict[str, int]:
    """Of the exam's questions, each counted once; `seen` are those answered ever, `studied` those with a memory."""
    answered, right = (sum(part.first[i] for part in parts.values()) for i in (0, 1))
    return {
        "questions": sum(part.questions for part in parts.values()),
        "seen": answered,
        "studied": sum(part.known for part in parts.values()),
        "first_answers": answered,
        "first_right": right,
    }


def _mocks(connection: sqlite3.Connection, exam: str) -> dict[str, Any]:
    """Sittings of this exam that were handed in; the best one with its length."""
    sql = (
        "SELECT json_extract(summary, '$.rate') AS rate, json_extract(summary, '$.questions') AS length FROM sitting "
        "WHERE open = 0 AND blueprint = ? ORDER BY rate DESC, length DESC"
    )
    rows = connection.execute(sql, (exam,)).fetchall()
    rate, length = rows[0] if rows else (None, None)
    return {"mock_exams": len(rows), "best_mock": rate, "best_mock_questions": length}


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


def _forecast(connection: sqlite3.Connection, moment: Moment, pace: Pace) -> dict[str, Any]:
    due = connection.execute(f"SELECT due_day, count(*) FROM card WHERE state = 'review' AND {ACTIVE} GROUP BY due_day")
    sql = f"SELECT count(*) FROM card WHERE state IN ('learning', 'relearning') AND {ACTIVE}"
    (learning,) = connection.execute(sql).fetchone()
    counts = {int(day): int(count) for day, count in due}
    found = due_forecast(counts, int(learning or 0), moment.today, FORECAST_DAYS, pace)
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
