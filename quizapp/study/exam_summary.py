"""What an exam came to, as plain data that is written once, and what a candidate must be told before one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from quizapp.bank.schema import KINDS, Misconception, Source
from quizapp.exam.blueprint import Blueprint
from quizapp.exam.score import ItemResult, Result, Share
from quizapp.exam.sitting import Sitting
from quizapp.store.database import Record
from quizapp.study.exam_values import INTERVAL, Finished, short_title
from quizapp.study.moment import instant
from quizapp.text import counted

CHANGES = ("to right", "to wrong", "wrong to wrong")
KIND_WORDS = dict(
    zip(
        KINDS,
        ("one right option", "several right options", "typed numbers", "ordering", "matching", "typed words"),
        strict=True,
    )
)


FILTERS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "all": lambda item: True,
    "wrong": lambda item: not item["correct"],
    "flagged": lambda item: item["flagged"],
    "changed": lambda item: bool(item["changed"]),
}
"""The filters of the review, each on an item of a summary."""
NOTHING = {
    "all": "There is no question in this exam.",
    "wrong": "Nothing went wrong in this exam.",
    "flagged": "There is nothing flagged in this exam.",
    "changed": "There is no changed answer in this exam: one counts as changed once the question was left.",
}


def nothing_words(which: str) -> str:
    """That a filter of the review (all, wrong, flagged, changed) lets nothing through."""
    return NOTHING[which]


def let_through(items: Sequence[Mapping[str, Any]], which: str) -> list[int]:
    """Indexes of the items of a summary that a filter of the review lets through."""
    lets = FILTERS[which]
    return [n for n, item in enumerate(items) if lets(item)]


def kinds_told(kinds: Collection[str]) -> str:
    """The kinds of question of a paper or a pool, as one sentence."""
    return f"Kinds of question here: {', '.join(words for kind, words in KIND_WORDS.items() if kind in kinds)}."


def says(blueprint: Blueprint, longest: int, kinds: Collection[str], sources: Mapping[str, Source]) -> tuple[str, ...]:
    """Sentences for the setup screen: what is covered, which kinds of question come, what the vendor does not publish.

    `sources` are the bank's, by the names that the blueprint gives.
    """
    real = blueprint.questions
    span = f"{real.min}" if real.min == real.max else f"{real.min}–{real.max}"
    out = [f"{kinds_told(kinds)} {blueprint.asks}".rstrip()] if kinds else []
    if blueprint.covers:
        out.append(blueprint.covers)
    if blueprint.mock and longest < real.min:
        out.append(f"The bank can fill {counted(longest, 'question')} by this exam's weights; a full paper has {span}.")
    questions = "1 question" if span == "1" else f"{span} questions"
    out.append(f"A full paper: {questions} in {counted(blueprint.minutes, 'minute')}.")
    if blueprint.disclosed_pass_mark is None:
        out.append("The pass mark and the scale are not published: you get the raw score with its range, nothing else.")
    else:
        out.append(f"Published pass mark: {blueprint.disclosed_pass_mark:g} %.")
    named = "; ".join(f"{sources[key].title}, {sources[key].address}" for key in blueprint.sources if key in sources)
    out.append(f"Weights and format as of {blueprint.as_of:%Y-%m}" + (f", from: {named}" if named else "."))
    return tuple(out)


def late_words(finished: Finished) -> str:
    """That an exam's time ran out while nobody looked, and what it came to."""
    told = finished.summary
    name = short_title(told["title"])
    return (
        f"! The time of your mock exam ({name}) ran out and it was handed in as it was: "
        f"{told['right']} of {told['questions']} right, {told['unanswered']} unanswered. Mock exam shows it."
    )


def summarise(
    row: Record,
    at: int,
    sitting: Sitting,
    result: Result,
    blueprint: Blueprint | None,
    misconceptions: Mapping[str, Misconception],
) -> dict[str, Any]:
    """The keys of `quizapp exam result --json`. `at` is the instant of handing in, UTC milliseconds.

    Shares carry a Wilson interval of confidence `interval`.
    """
    objectives = {k: line.title for k, line in blueprint.objectives.items()} if blueprint else {}
    domains = {k: domain.title for k, domain in blueprint.domains.items()} if blueprint else {}
    undisclosed = blueprint is None or blueprint.disclosed_pass_mark is None
    return {
        "id": row.id,
        "blueprint": row.blueprint,
        "title": row.title,
        "started_at": instant(row.started_at).isoformat(),
        "submitted_at": instant(at).isoformat(),
        "minutes": sitting.paper.minutes,
        "seconds": round(sitting.timer.limit_s - sitting.timer.left_s, 1),
        "away_seconds": round(sitting.away_s, 1),
        "timed_out": sitting.timed_out,
        "clock_moved": sitting.timer.clock_moved,
        "questions": result.total.total,
        "right": result.total.right,
        "rate": result.total.rate,
        "low": result.total.low,
        "high": result.total.high,
        "interval": INTERVAL,
        "unanswered": result.unanswered,
        "pass_mark": "undisclosed" if undisclosed else blueprint.disclosed_pass_mark,  # type: ignore[union-attr]
        "covers": blueprint.covers if blueprint else "",
        "by_domain": _shares(result.by_domain, domains),
        "by_objective": _shares(result.by_objective, objectives),
        "by_style": _shares(result.by_style, {}),
        "misconceptions": [
            {"id": key, "name": misconceptions[key].name if key in misconceptions else key, "times": times}
            for key, times in result.misconceptions.items()
        ],
        "changed": {kind: sum(item.changed == kind for item in result.items) for kind in CHANGES},
        "items": [_item(sitting, item) for item in result.items],
    }


def _shares(shares: Mapping[str, Share], titles: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    return {
        key: {
            "title": titles.get(key, key),
            "right": share.right,
            "total": share.total,
            "rate": share.rate,
            "low": share.low,
            "high": share.high,
        }
        for key, share in shares.items()
    }


def _item(sitting: Sitting, item: ItemResult) -> dict[str, Any]:
    return {
        "number": item.index + 1,
        "question_id": item.question_id,
        "seed": sitting.paper.items[item.index].seed,
        "objective": item.objective,
        "style": item.style,
        "response": sitting.replies[item.index].response,
        "correct": item.correct,
        "answered": item.answered,
        "unread": sitting.replies[item.index].unread,
        "flagged": item.flagged,
        "changed": item.changed,
        "seconds": round(item.seconds, 1),
        "misconceptions": list(item.grade.misconceptions) if item.grade and item.answered else [],
    }
