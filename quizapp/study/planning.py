"""The plan of a day towards an exam, and an honest forecast of the work until then.

`quizapp.memory.exam_date` has the rules; here they meet the cards, the blueprint's weights and the learner's minutes.
"""

from __future__ import annotations

import json
import math
import random
import sqlite3
from collections.abc import Sequence
from datetime import date
from typing import Any

from quizapp.memory.curve import Curve, Trace
from quizapp.memory.exam_date import Candidate, best_first, fitting
from quizapp.memory.pace import Pace
from quizapp.memory.workload import simulate
from quizapp.progress.readiness import marks, unseen_rates
from quizapp.progress.shelf import together
from quizapp.store import log
from quizapp.store.cards import ACTIVE
from quizapp.study.moment import Moment
from quizapp.study.pace import minutes_on, pace_of
from quizapp.study.progress import Progress, exam_day_of
from quizapp.study.study import Study

MINUTES = 20
"""A day, where the learner set none."""
SAMPLE = 300
"""Cards that the forecast of work simulates at most; more are drawn and scaled."""
FORESEEN_DAYS = 400
"""An exam further off has a plan for today, but no simulation of every day until then: it would take seconds."""
FEWEST_ANSWERS = 5
"""A day, in the sample: with fewer the scaling is a guess, and there is no forecast."""


def day_plan(study: Study, progress: Progress | None = None) -> dict[str, Any] | None:
    """Today's questions, best first, and the work until the exam; None without an exam ahead.

    Keys: `exam` (its day), `blueprint`, `title`, `days`, `minutes` (a day), `spent` (today), `used_up`, `questions`,
    `learning`, `learning_later`, `next_learning_minutes`, `new`, `due`, `ahead` (how many of each), `new_left`,
    `workload`. The plan does not keep to the setting of new questions a day, of which `new_left` are left: the
    exam's date and the minutes decide.

    What is in learning comes first and may come again within minutes: `questions` have those that may be asked now.
    When the minutes of the day are `used_up`, `questions` are a day's worth more.
    """
    moment = study.moment()
    exam_day = exam_day_of(moment)
    if exam_day is None:
        return None
    progress = progress or Progress(study)
    curve = Curve(moment.scheduler.config.parameters)
    minutes = float(moment.settings.minutes_a_day or MINUTES)
    days = exam_day - moment.today
    with study.database.reading() as connection:
        pace = pace_of(connection)
        spent = minutes_on(connection, moment.today)
        day = log.counts_on(connection, moment.today)
        cards = _Cards(connection, moment, progress)
        learning = cards.learning()
        now = [name for name, due_at in learning if due_at <= moment.ahead]
        later = [due_at for _, due_at in learning if due_at > moment.ahead]
        left = max(0.0, minutes - spent - pace.minutes(learning=len(learning)))
        ordered, chosen = _for_today(curve, cards, days, left, pace)
        used_up = spent > 0 and bool(ordered) and not chosen and (not now or spent >= minutes)
        if used_up and not now:
            ordered, chosen = _for_today(curve, cards, days, minutes, pace)
        if not chosen and not now:  # minutes too few for any question are enough for one
            chosen = ordered[:1]
        workload = _workload(curve, cards, days, minutes, pace.answer, moment.today, left)
    if workload is not None:
        workload["days"][0]["minutes"] = round(workload["days"][0]["minutes"] + spent, 1)
    return {
        "exam": date.fromordinal(exam_day).isoformat(),
        "blueprint": progress.blueprint.id if progress.blueprint else None,
        "title": progress.title,
        "days": exam_day - moment.local_date.toordinal(),
        "minutes": minutes,
        "spent": round(spent, 1),
        "used_up": used_up,
        "questions": [*now, *(one.id for one in chosen)],
        "learning": len(now),
        "learning_later": len(later),
        "next_learning_minutes": math.ceil((min(later) - moment.at) / 60_000) if later else None,
        "new": sum(one.trace is None for one in chosen),
        "due": sum(one.trace is not None and one.due for one in chosen),
        "new_left": max(0, moment.settings.new_per_day - (day.new if day else 0)),
        "ahead": sum(one.trace is not None and not one.due for one in chosen),
        "workload": workload,
    }


def _for_today(
    curve: Curve, cards: _Cards, days: int, minutes: float, pace: Pace
) -> tuple[list[Candidate], list[Candidate]]:
    """What is worth an answer, best first, and as much of it as fits into the minutes."""
    ordered = best_first(curve, cards.read(f"NOT ({_AHEAD}) AND NOT ({_LEARNING})"), days, pace.answer)
    chosen = fitting(curve, ordered, minutes, pace.answer)
    if len(chosen) == len(ordered):  # only then is there time for what is not due yet
        ordered += best_first(curve, cards.read(_AHEAD), days, pace.answer)
        chosen = fitting(curve, ordered, minutes, pace.answer)
    return ordered, chosen


_AHEAD = "c.state = 'review' AND c.due_day > :today"
_LEARNING = "c.state IN ('learning', 'relearning')"


class _Cards:
    """The cards of the exam's objectives that may be asked, each with its share of the marks."""

    def __init__(self, connection: sqlite3.Connection, moment: Moment, progress: Progress) -> None:
        self._connection = connection
        self._today = moment.today
        self._shelf = progress.shelves.number
        weights = progress.weights()
        parts = progress.first_answers(connection)
        worth, rates, part_of = marks(parts, weights), unseen_rates(parts, weights), together(weights)
        self.size = 0
        """How many they are at most: those that are suspended may still be counted."""
        self._worth: dict[int | None, tuple[float, float]] = {}
        """Of a shelf's questions: the marks of one, and the probability that it is known before it was seen."""
        for number, shelf in enumerate(progress.shelves.shelves):
            for keys in part_of(shelf):
                each, rate = worth[keys] / parts[keys].questions * (1 - shelf.chance), rates[keys]
                known = (rate - shelf.chance) / max(1 - shelf.chance, 1e-6)
                self._worth[number] = each, min(max(known, 0.0), 1.0)
                self.size += shelf.questions
        (active,) = connection.execute(f"SELECT count(*) FROM card WHERE {ACTIVE}").fetchone()
        self.size = min(self.size, active)

    def learning(self) -> list[tuple[str, int]]:
        """Questions in learning and when they are due (UTC milliseconds), the first first."""
        which = f"{_LEARNING} AND {ACTIVE} AND buried_on IS NOT ?"
        sql = f"SELECT question_id, due_at FROM card c WHERE {which} ORDER BY due_at, id"
        shelf, worth = self._shelf, self._worth
        return [(name, at) for name, at in self._connection.execute(sql, (self._today,)) if shelf(name) in worth]

    def names(self) -> list[str]:
        """Questions, in the order in which new ones are asked."""
        rows = self._connection.execute(f"SELECT question_id FROM card WHERE {ACTIVE} ORDER BY position")
        shelf, worth = self._shelf, self._worth
        return [name for (name,) in rows if shelf(name) in worth]

    def read(self, which: str, names: Sequence[str] = ()) -> list[Candidate]:
        """Those that meet a condition in SQL, in the same order."""
        sql = (
            "SELECT c.question_id, c.stability, c.difficulty, coalesce(max(0, :today - c.last_day), 0), "
            "c.state <> 'review' OR c.due_day <= :today, coalesce(max(0, :today - coalesce(r.day, c.last_day)), 0) "
            f"FROM card c LEFT JOIN review r ON r.id = c.review WHERE {ACTIVE} AND {which} ORDER BY position"
        )
        rows = self._connection.execute(sql, {"today": self._today, "names": json.dumps(names)})
        shelf, worth = self._shelf, self._worth
        found = []
        for name, stability, difficulty, ago, due, alone in rows:
            counts = worth.get(shelf(name))
            if counts is not None:
                trace = None if stability is None else Trace(stability, difficulty)
                found.append(Candidate(name, counts[0], trace, ago, counts[1], bool(due), alone))
        return found


def _workload(
    curve: Curve, cards: _Cards, days: int, minutes: float, seconds: float, today: int, left: float
) -> dict[str, Any] | None:
    """Days as they would go, by a simulation of a learner as the app knows her; the same for the same store and day.

    `left` are today's minutes that are not spent. None for a bank so large that a sample of it has no minutes, and for
    an exam that is too far off.
    """
    if days > FORESEEN_DAYS:
        return None
    rng = random.Random(today)
    if cards.size > SAMPLE and minutes * 60 * SAMPLE / cards.size < FEWEST_ANSWERS * seconds:
        return None
    names = cards.names()
    share = min(1.0, SAMPLE / max(1, len(names)))
    if share < 1:
        names = rng.sample(names, SAMPLE)
    found = {one.id: one for one in cards.read("c.question_id IN (SELECT value FROM json_each(:names))", names)}
    candidates = [found[name] for name in names]
    done = simulate(curve, candidates, days, minutes * share, seconds, rng, left * share)
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
