"""Practice: questions that the learner chooses, ahead of their day or not, by a rule that cannot damage an interval."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quizapp.bank.checks import misconceptions_of
from quizapp.bank.grade import Grade
from quizapp.bank.grade import grade as grade_response
from quizapp.bank.response import Response
from quizapp.bank.schema import Question
from quizapp.exam import feed
from quizapp.memory.rating import Confidence
from quizapp.memory.state import STATE_FIELDS, CardState
from quizapp.store.cards import card_of
from quizapp.store.errors import Conflict, StoreError
from quizapp.study.answering import LONGEST_MS, append
from quizapp.study.counting import DECISIONS
from quizapp.study.queue import reopen
from quizapp.study.rows import state_of
from quizapp.study.study import Study
from quizapp.study.values import Card, Outcome

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


WAYS = (
    Way("topic", "By topic", "one shelf of the bank", True),
    Way("objective", "By objective", "as the exam lists them", True),
    Way("style", "By style", "products, mechanisms, calculations …", True),
    Way("pair", "Confusable pairs", "questions that turn on one mix-up", True),
    Way("missed", "Missed", "your last answer was wrong"),
    Way("surest", "Surest misses", "where you were sure and wrong comes first"),
    Way("unsure", "Low confidence", "you guessed or were unsure"),
    Way("unseen", "Unseen", "never answered yet"),
    Way("cram", "Cram for tomorrow", "what you would most likely have forgotten by then"),
    Way("pace", "Pacing drill", f"{PACE_ITEMS} questions, {PACE_S} seconds each"),
    Way("explain", "Explain it to me", "key and reasons at once; nothing is graded or logged", True),
)


@dataclass(frozen=True)
class Known:
    """What the store knows of one question: its memory, and the last answer if there was one."""

    state: CardState
    due: bool
    answered: bool
    correct: bool
    confidence: str | None


def ways(study: Study) -> list[tuple[Way, int]]:
    """Every way with the number of questions it has now."""
    known = _known(study)
    counts = {way.kind: len(_fitting(study, known, Choice(way.kind))) for way in WAYS}
    return [(way, min(PACE_ITEMS, counts["pace"]) if way.kind == "pace" else counts[way.kind]) for way in WAYS]


def values(study: Study, kind: str) -> list[Value]:
    """What can be chosen: topics, objectives, styles, or mix-ups."""
    bank, known = study.bank, _known(study)
    here = [q for q in bank.questions.values() if q.id in known]
    if kind == "objective":
        counts = Counter(o for q in here for o in q.objectives)
        return [Value(o, f"{o}  {one.title}", counts[o]) for o, one in sorted(bank.objectives.items()) if counts[o]]
    if kind == "style":
        return [Value(style, style, n) for style, n in sorted(Counter(q.style for q in here).items())]
    if kind == "pair":
        counts = Counter(name for q in here for name in _mix_ups(q))
        return [
            Value(name, bank.misconceptions[name].name if name in bank.misconceptions else name, n)
            for name, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        ]
    return [Value(t, t, n) for t, n in sorted(Counter(bank.topic.get(q.id, "") for q in here).items())]


def question_ids(study: Study, choice: Choice) -> list[str]:
    """The questions of a choice in the order in which they are asked."""
    known = _known(study)
    ids = _fitting(study, known, choice)
    if choice.kind == "ids":
        return ids
    moment = study.moment()
    order = _RULES[choice.kind][1]

    def key(one: str) -> tuple[Any, ...]:
        recall = moment.scheduler.retrievability(known[one].state, moment.today + 1)
        return (*order(known[one], 1.0 if recall is None else recall), zlib.crc32(f"{moment.today}:{one}".encode()))

    ids.sort(key=key)
    return ids[:PACE_ITEMS] if choice.kind == "pace" else ids


def _fitting(study: Study, known: dict[str, Known], choice: Choice) -> list[str]:
    """In the bank's order; of an `ids` choice, in the order named."""
    if choice.kind == "ids":
        return [one for one in choice.value.split(",") if one in known]
    fits = _RULES[choice.kind][0]
    return [one for one in study.bank.questions if one in known and fits(study, known[one], one, choice.value)]


def _mix_ups(question: Question) -> set[str]:
    """Misconceptions that its wrong options, traps or pairs stand for."""
    return {name for _, name in misconceptions_of(question) if name}


def _missed(known: Known) -> bool:
    return known.answered and not known.correct


def _usual(known: Known, recall: float) -> tuple[Any, ...]:
    """Missed, then due, then unseen, then the rest."""
    return (0 if _missed(known) else 1 if known.due else 2 if not known.answered else 3,)


Fits = Callable[[Study, Known, str, str], bool]
_ANY: Fits = lambda study, known, one, value: True  # noqa: E731
_RULES: dict[str, tuple[Fits, Callable[[Known, float], tuple[Any, ...]]]] = {
    "topic": (lambda study, known, one, value: not value or study.bank.topic.get(one) == value, _usual),
    "objective": (
        lambda study, known, one, value: not value or value in study.bank.questions[one].objectives,
        _usual,
    ),
    "style": (lambda study, known, one, value: not value or study.bank.questions[one].style == value, _usual),
    "pair": (
        lambda study, known, one, value: not value or value in _mix_ups(study.bank.questions[one]),
        _usual,
    ),
    "explain": (lambda study, known, one, value: not value or study.bank.topic.get(one) == value, _usual),
    "missed": (lambda study, known, one, value: _missed(known), _usual),
    "surest": (
        lambda study, known, one, value: _missed(known),
        lambda known, recall: (known.confidence != "sure",),
    ),
    "unsure": (lambda study, known, one, value: known.answered and known.confidence in ("guess", "unsure"), _usual),
    "unseen": (lambda study, known, one, value: not known.answered, _usual),
    "cram": (_ANY, lambda known, recall: (known.state.state == "new", recall)),
    "pace": (_ANY, _usual),
}


def _known(study: Study) -> dict[str, Known]:
    """By question id, without what is suspended or in no bank."""
    columns = ", ".join(f"c.{name}" for name in STATE_FIELDS)
    sql = (
        f"SELECT c.question_id, {columns}, r.correct, r.confidence, r.origin FROM card c "
        "LEFT JOIN review r ON r.id = c.review WHERE c.orphan = 0 AND c.suspended = 0"
    )
    moment = study.moment()
    out = {}
    with study.database.reading() as connection:
        for row in connection.execute(sql):
            name, *fields, correct, confidence, origin = row
            state = CardState(**dict(zip(STATE_FIELDS, fields, strict=True)))
            due = (state.due_day is not None and state.due_day <= moment.today) or (
                state.due_at is not None and state.due_at <= moment.ahead
            )
            answered = origin is not None and origin not in DECISIONS
            if name in study.bank.questions:
                out[name] = Known(state, due, answered, bool(correct), confidence)
    return out


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
    study.wrote()
    return review_id, after.due_day != before.due_day
