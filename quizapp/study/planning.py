"""The plan of a day towards an exam, and an honest forecast of the work until then.

`quizapp.memory.exam_date` has the rules; here they meet the cards, the blueprint's weights and the learner's minutes.
"""

from __future__ import annotations

import random
import sqlite3
from datetime import date
from typing import Any

from quizapp.memory.curve import Curve, Trace
from quizapp.memory.exam_date import Candidate, plan
from quizapp.memory.workload import simulate
from quizapp.progress.readiness import unseen_rates
from quizapp.progress.shelf import chance_of
from quizapp.store.cards import ACTIVE
from quizapp.study.moment import Moment
from quizapp.study.progress import Progress, exam_day_of, seconds_a_card
from quizapp.study.study import Study

MINUTES = 20
"""A day, where the learner set none."""
SAMPLE = 300
"""Cards that the forecast of work simulates at most; more are drawn and scaled."""
FEWEST_ANSWERS = 5
"""A day, in the sample: with fewer the scaling is a guess, and there is no forecast."""


def day_plan(study: Study, progress: Progress | None = None) -> dict[str, Any] | None:
    """Today's questions, best first, and the work until the exam; None without an exam ahead.

    Keys: `exam`, `days`, `minutes` (a day), `questions` (ids), `new`, `due`, `ahead` (how many of each), `workload`.
    """
    moment = study.moment()
    exam_day = exam_day_of(moment)
    if exam_day is None or exam_day <= moment.today:
        return None
    progress = progress or Progress(study)
    with study.database.reading() as connection:
        seconds = seconds_a_card(connection)
        candidates = _candidates(study, connection, moment, progress)
    curve = Curve(moment.scheduler.config.parameters)
    minutes = float(moment.settings.minutes_a_day or MINUTES)
    days = exam_day - moment.today
    chosen = plan(curve, candidates, days, minutes, seconds)
    return {
        "exam": date.fromordinal(exam_day).isoformat(),
        "days": days,
        "minutes": minutes,
        "questions": [one.id for one in chosen],
        "new": sum(one.trace is None for one in chosen),
        "due": sum(one.trace is not None and one.due for one in chosen),
        "ahead": sum(one.trace is not None and not one.due for one in chosen),
        "workload": _workload(curve, candidates, days, minutes, seconds, moment.today),
    }


def _candidates(study: Study, connection: sqlite3.Connection, moment: Moment, progress: Progress) -> list[Candidate]:
    """Every question of the exam's objectives, with its share of the marks."""
    parts = progress.parts(connection, moment)
    weights = progress.weights(parts)
    rates = unseen_rates({key: part for key, part in parts.items() if key in weights})
    columns = "c.question_id, c.stability, c.difficulty, c.last_day, c.due_day, c.state, r.day"
    sql = f"SELECT {columns} FROM card c LEFT JOIN review r ON r.id = c.review WHERE {ACTIVE} ORDER BY position"
    rows = connection.execute(sql)
    found = []
    for name, stability, difficulty, last_day, due_day, state, answered in rows:
        question = study.bank.questions.get(name)
        mine = [key for key in question.objectives if weights.get(key)] if question else []
        if question is None or not mine:
            continue
        chance = chance_of(question)
        marks = sum(weights[key] / parts[key].questions for key in mine) * (1 - chance)
        rate = sum(rates[key] for key in mine) / len(mine)
        trace = None if stability is None else Trace(stability, difficulty)
        ago = 0 if last_day is None else max(0, moment.today - last_day)
        due = state != "review" or due_day <= moment.today
        known = min(max((rate - chance) / max(1 - chance, 1e-6), 0.0), 1.0)
        alone = ago if answered is None else max(0, moment.today - answered)
        found.append(Candidate(name, marks, trace, ago, known, due, alone))
    return found


def _workload(
    curve: Curve, candidates: list[Candidate], days: int, minutes: float, seconds: float, today: int
) -> dict[str, Any] | None:
    """Days as they would go, by a simulation of a learner as the app knows her; the same for the same store and day.

    None for a bank so large that a sample of it has no minutes.
    """
    rng = random.Random(today)
    share = 1.0
    if len(candidates) > SAMPLE:
        share = SAMPLE / len(candidates)
        if minutes * 60 * share < FEWEST_ANSWERS * seconds:
            return None
        candidates = rng.sample(candidates, SAMPLE)
    done = simulate(curve, candidates, days, minutes * share, seconds, rng)
    return {
        "sampled": share < 1,
        "days": [
            {
                "date": date.fromordinal(today + number).isoformat(),
                "minutes": round(one.seconds / 60 / share, 1),
                "new": round(one.new / share),
                "reviews": round(one.reviews / share),
            }
            for number, one in enumerate(done.days)
        ],
        "unseen_at_exam": round(done.unseen / share),
        "recall_at_exam": done.recall,
    }
