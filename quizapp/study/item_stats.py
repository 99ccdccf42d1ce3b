"""Item statistics over this store and over exported logs of other learners (`quizapp log export --format jsonl`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from quizapp.bank.schema import Multiple, Single
from quizapp.progress.items import Given, statistics
from quizapp.store.errors import StoreError
from quizapp.study.counting import DECISIONS
from quizapp.study.study import Study

_ANSWERS = (
    "SELECT question_id, correct, response, origin, reviewed_at FROM review "
    "WHERE id NOT IN (SELECT review_id FROM undo) AND origin NOT IN ('keep', 'forget')"
)


def item_statistics(study: Study, logs: Sequence[Path] = ()) -> list[dict[str, Any]]:
    """The rows of `quizapp bank stats --json`. Raises StoreError for a log that cannot be read."""
    wrong = {
        name: [option.id for option in question.options if not option.correct]
        for name, question in study.bank.questions.items()
        if isinstance(question, Single | Multiple)
    }
    known = (one for one in _all(study, logs) if one.question in study.bank.questions)
    return statistics((one if one.question in wrong else replace(one, parts=()) for one in known), wrong)


def _all(study: Study, logs: Sequence[Path]) -> Iterator[Given]:
    with study.database.reading() as connection:
        for name, correct, response, origin, at in connection.execute(_ANSWERS):
            # The answers of one mock exam come in at one moment: it is a person of its own.
            person = f"exam {at}" if origin == "exam" else "this store"
            yield Given(person, name, bool(correct), _parts(json.loads(response)))
    for path in logs:
        yield from _from_log(path)


def _from_log(path: Path) -> Iterator[Given]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    one = _given(path, number, line)
                    if one is not None:
                        yield one
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error}).") from error


def _given(path: Path, number: int, line: str) -> Given | None:
    try:
        row = json.loads(line)
        if row["origin"] in DECISIONS:
            return None
        return Given(str(path), str(row["question_id"]), bool(row["correct"]), _parts(row["response"]))
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{path}:{number}: not a line of 'quizapp log export --format jsonl' ({type(error).__name__}: {error})."
        ) from error


def _parts(response: Any) -> tuple[str, ...]:
    """Option ids of a choice; typed texts and orders have none."""
    if isinstance(response, str):
        return (response,)
    return tuple(str(one) for one in response) if isinstance(response, list) else ()
