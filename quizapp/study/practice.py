"""Practice: questions that the learner chooses, ahead of their day or not, by a rule that cannot damage an interval."""

from __future__ import annotations

import json
import zlib
from collections.abc import Container, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

from quizapp.bank.grade import Grade
from quizapp.bank.grade import grade as grade_response
from quizapp.bank.response import Response
from quizapp.exam import feed
from quizapp.memory.rating import Confidence
from quizapp.progress.shelf import beliefs, objectives, style, topic
from quizapp.store.cards import card_of
from quizapp.store.errors import Conflict, StoreError
from quizapp.study.answering import LONGEST_MS, append
from quizapp.study.counting import DECISIONS
from quizapp.study.progress import Progress
from quizapp.study.queue import reopen
from quizapp.study.rows import state_of
from quizapp.study.study import Study
from quizapp.study.values import Card, Filter, Outcome

PACE_ITEMS = 10
PACE_S = 65
"""Seconds for one question: NCA-GENL gives 60 minutes for 50 to 60."""


@dataclass(frozen=True)
class Choice:
    """What to practise: a kind of `WAYS`, and which topic, objective … where the kind asks for one."""

    kind: str
    value: str = ""
    title: str = ""


@dataclass(frozen=True)
class Way:
    """One way of practising; `asks` says that a value must be chosen first."""

    kind: str
    title: str
    words: str
    asks: bool = False


@dataclass(frozen=True)
class Value:
    """One thing to choose, with how many questions it has."""

    value: str
    title: str
    count: int
    words: str = ""
    """What it means, where the title does not say it: the belief behind a mix-up."""
    known: str = ""
    """Of an objective: how the last answers went."""


WAYS = (
    Way("topic", "By topic", "one shelf of the bank", True),
    Way("objective", "By objective", "as the exam lists them", True),
    Way("style", "By style", "products, mechanisms, calculations …", True),
    Way("pair", "Confusable pairs", "questions that turn on one mix-up", True),
    Way("missed", "Missed", "your last answer was wrong"),
    Way("surest", "Surest misses", "where you were sure and wrong comes first"),
    Way("unsure", "Low confidence", "you guessed or were unsure"),
    Way("unseen", "Unseen", "never answered yet"),
    Way("cram", "Cram for tomorrow", "of what you have seen, the likeliest forgotten"),
    Way("pace", "Pacing drill", f"{PACE_ITEMS} questions, {PACE_S} seconds each"),
    Way("explain", "Explain it to me", "key and reasons at once; nothing is graded or logged", True),
)


_FROM = "FROM card c LEFT JOIN review r ON r.id = c.review WHERE c.orphan = 0 AND c.suspended = 0"
"""Cards with their last answer. A question that was only decided on after a changed key was not answered."""
_ANSWERED = f"(r.origin IS NOT NULL AND r.origin NOT IN {DECISIONS})"
_MISSED = f"({_ANSWERED} AND NOT r.correct)"
_DUE = "(c.due_day <= :today OR c.due_at <= :ahead)"
_USUAL = f"CASE WHEN {_MISSED} THEN 0 WHEN {_DUE} THEN 1 WHEN NOT {_ANSWERED} THEN 2 ELSE 3 END"
_FADED = "coalesce(max(0, :today + 1 - c.last_day) / c.stability, 0)"
"""Recall tomorrow falls with it."""
_FITS = {
    "missed": _MISSED,
    "surest": _MISSED,
    "unsure": f"({_ANSWERED} AND r.confidence IN ('guess', 'unsure'))",
    "unseen": f"NOT {_ANSWERED}",
    "cram": "c.state <> 'new'",
    "new": "c.state = 'new'",
    "faded": "c.state <> 'new'",
}
"""Of all questions; every other way has them all, or those of a value."""
_ORDER = {
    "surest": "r.confidence IS NOT 'sure'",
    "cram": f"-{_FADED}",
    "new": "c.position",
    "faded": f"-{_FADED}",
}
"""What comes first; chance decides within a rank, the same for a day."""


_BY = {
    "topic": topic,
    "explain": topic,
    "objective": objectives,
    "new": objectives,
    "faded": objectives,
    "style": style,
    "pair": beliefs,
}
"""What a value is of: topic and style a question has one, objectives and mix-ups any number. Steps of Progress drill
the `new` questions of an objective, in the order of Study, or those that were studied, the most `faded` first."""


def ways(study: Study) -> list[tuple[Way, int]]:
    """Every way with the number of questions it has now."""
    sums = ", ".join(f"coalesce(sum({_FITS.get(way.kind, '1')}), 0)" for way in WAYS)
    (counts,) = _rows(study, sums)
    return [(way, min(PACE_ITEMS, n) if way.kind == "pace" else n) for way, n in zip(WAYS, counts, strict=True)]


def values(study: Study, kind: str) -> list[Value]:
    """What can be chosen: topics, objectives, styles, or mix-ups."""
    if kind == "objective":
        return _objectives(study)
    bank = study.bank
    counts = study.shelves.values([one for (one,) in _rows(study, "c.question_id")], _BY[kind])
    if kind == "pair":
        return [
            Value(name, bank.misconceptions[name].name, n, bank.misconceptions[name].belief)
            if name in bank.misconceptions
            else Value(name, name, n)
            for name, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        ]
    return [Value(one, one, n) for one, n in sorted(counts.items())]


def _objectives(study: Study) -> list[Value]:
    """Those of the exam that is prepared for first, each with what is known of it."""
    columns = (
        f"CASE WHEN NOT {_ANSWERED} THEN 0 WHEN r.correct THEN 2 ELSE 1 END, group_concat(c.question_id, char(10))"
    )
    names = {rank: found.split("\n") for rank, found in _rows(study, columns, then="GROUP BY 1")}
    unseen, wrong, right = (study.shelves.values(names.get(rank, ()), objectives) for rank in range(3))
    exam = Progress(study).weights()
    found = []
    for name in sorted(study.bank.objectives, key=lambda one: (one not in exam, one)):
        seen = wrong[name] + right[name]
        known = f"{right[name]:,} of {seen:,} right" if seen else "never seen"
        if seen + unseen[name]:
            title = f"{name}  {study.bank.objectives[name].title}"
            found.append(Value(name, title, seen + unseen[name], known=known))
    return found


def question_ids(study: Study, choice: Choice) -> list[str]:
    """The questions of a choice in the order in which they are asked."""
    if choice.kind == "ids":
        named = [one for one in choice.value.split(",") if one in study.bank.questions]
        there = {one for (one,) in _rows(study, "c.question_id", chosen=named)}
        return [one for one in named if one in there]
    wanted: Container[int | None] | None = None
    if choice.value:
        by = _BY[choice.kind]
        wanted = study.shelves.numbers(lambda shelf: choice.value in by(shelf))
    most = PACE_ITEMS if choice.kind == "pace" else None
    found: list[str] = []
    for names in _ranked(study, choice.kind):
        fit = names if wanted is None else [one for one in names if study.shelves.number(one) in wanted]
        found += _by_chance(fit, study.moment().today, most)
        if most is not None and len(found) >= most:
            break
    return found[:most]


def _ranked(study: Study, kind: str) -> list[list[str]]:
    """The questions that a way has, by rank; the names of each rank come as one text, much faster than row by row."""
    columns = f"{_ORDER.get(kind, _USUAL)}, group_concat(c.question_id, char(10))"
    rows = _rows(study, columns, _FITS.get(kind, "1"), then="GROUP BY 1 ORDER BY 1")
    return [names.split("\n") for _, names in rows]


def _by_chance(names: list[str], today: int, most: int | None) -> list[str]:
    """In an order that is the same for a day; `most`: no more than so many."""
    start = zlib.crc32(f"{today}:".encode())
    drawn = [(zlib.crc32(one.encode(), start), one) for one in names]
    return [one for _, one in (sorted(drawn) if most is None else nsmallest(most, drawn))]


def _rows(
    study: Study, columns: str, fits: str = "1", chosen: Sequence[str] | None = None, then: str = ""
) -> list[Any]:
    """Columns of the cards that fit, among the chosen questions or all of the bank; none that is suspended."""
    moment = study.moment()
    if chosen is None:
        chosen = study.chosen_ids(Filter())
    if chosen is not None:
        fits += " AND c.question_id IN (SELECT value FROM json_each(:chosen))"
    values = {"today": moment.today, "ahead": moment.ahead, "chosen": json.dumps(chosen)}
    with study.database.reading() as connection:
        return connection.execute(f"SELECT {columns} {_FROM} AND {fits} {then}", values).fetchall()


# Asking and answering


def card(study: Study, question_id: str) -> Card:
    """The question whether or not it is due, in fresh numbers. Raises StoreError when it has no card."""
    moment = study.moment()
    found = reopen(study.database, moment, study.bank, question_id, zlib.crc32(f"{question_id}:{moment.at}".encode()))
    if found is None:
        raise StoreError(f"There is no question '{question_id}'; see 'quizapp bank list'.")
    return found


@dataclass(frozen=True)
class Practised:
    """An answer that is stored. When it was only logged `outcome` is None and `words` say what became of the card."""

    review_id: int
    grade: Grade
    outcome: Outcome | None
    words: str = ""


def answer(
    study: Study, card: Card, response: Response, confidence: Confidence | None = None, duration_ms: int = 0
) -> Practised:
    """Grades and stores an answer by the rule of `quizapp.exam.feed`: on the disk when this returns.

    Raises Unclear for an ambiguous number and Conflict when the card was answered elsewhere; nothing is stored then.
    """
    moment = study.moment()
    with study.database.reading() as connection:
        row = card_of(connection, card.question.id)
        assert row is not None
        before = state_of(row)
    if feed.of_practice(before, moment.today, moment.ahead) == "review":
        outcome = study.answer(card, response, confidence, duration_ms, origin="practice")
        assert outcome.grade is not None
        return Practised(outcome.review_id, outcome.grade, outcome)
    grade = grade_response(card.variant, response)
    review_id, brought = _log(study, card, response, grade, confidence, duration_ms)
    if brought:
        told = "It was not due yet; now it comes today. Its interval is kept until then."
    else:
        told = "It was not due yet, so its schedule stays as it is."
    return Practised(review_id, grade, None, told)


def _log(
    study: Study, card: Card, response: Response, grade: Grade, confidence: str | None, duration_ms: int
) -> tuple[int, bool]:
    """(number of the log's row, whether the card was brought forward)."""
    moment = study.moment()
    with study.database.writing() as connection:
        row = card_of(connection, card.question.id)
        if row is None or row.review != card.opened_version:
            raise Conflict(
                f"Question '{card.question.id}' was answered in another window since it was opened here; "
                "this answer was not stored. Go on with the next question."
            )
        before = state_of(row)
        after = feed.logged(before, moment.today, grade.correct)
        review_id = append(
            connection,
            moment,
            row,
            after,
            before_state=before,
            seed=card.seed,
            content=study.bank.content_hash(card.question.id),
            reviewed_at=max(moment.at, before.last_at or moment.at),
            day=moment.today,
            duration_ms=min(max(0, int(duration_ms)), LONGEST_MS),
            response=json.dumps(response, sort_keys=True),
            score=float(grade.score),
            correct=grade.correct,
            blank=grade.blank,
            confidence=confidence,
            rating=None,
            rating_reason="practice ahead of its day: only logged",
            misconceptions=json.dumps(list(grade.misconceptions)),
            origin="practice",
        )
    study.wrote(review_id)
    return review_id, after.due_day != before.due_day
