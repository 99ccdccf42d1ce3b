"""The review log for other programs: one review a line, as JSON lines or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from quizapp.memory.rating import Rating
from quizapp.store import log
from quizapp.store.database import Database
from quizapp.study.moment import instant

COLUMNS = ("review_id", "card_id", "question_id", "seed", "reviewed_at", "duration_ms", "response", "score",
           "confidence", "rating", "before", "after", "origin", "correct", "rating_reason", "day", "content",
           "misconceptions", "replaces", "undone_at")  # fmt: skip
"""`reviewed_at` and `undone_at` are ISO 8601 in UTC; `rating` is again, hard, good, easy, or empty for a decision
about a changed key (`origin` keep or forget); `day` is the ordinal of the study day."""


def _when(at: int | None) -> str | None:
    return None if at is None else instant(at).isoformat(timespec="milliseconds")


def _line(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "review_id": row["id"],
        "card_id": row["card_id"],
        "question_id": row["question_id"],
        "seed": row["seed"],
        "reviewed_at": _when(row["reviewed_at"]),
        "duration_ms": row["duration_ms"],
        "response": json.loads(row["response"]),
        "score": row["score"],
        "confidence": row["confidence"],
        "rating": Rating(row["rating"]).word if row["rating"] else None,
        "before": json.loads(row["before"]),
        "after": json.loads(row["after"]),
        "origin": row["origin"],
        "correct": bool(row["correct"]),
        "rating_reason": row["rating_reason"],
        "day": row["day"],
        "content": row["content"],
        "misconceptions": json.loads(row["misconceptions"]),
        "replaces": row["replaces"],
        "undone_at": _when(row["undone_at"]),
    }


def export_lines(database: Database, format: str, undone: bool = False) -> Iterator[str]:
    """Lines with their line ends, oldest review first; reviews that were taken back only with `undone`.

    JSON is written in ASCII, so that no response can carry a control sequence into a terminal.
    """
    with database.reading() as connection:
        if format == "csv":
            yield _csv([list(COLUMNS)])
        for row in log.reviews_in_order(connection, undone):
            line = _line(row)
            if format == "csv":
                cells = [json.dumps(v, sort_keys=True) if isinstance(v, dict | list) else v for v in line.values()]
                cells[COLUMNS.index("response")] = json.dumps(line["response"], sort_keys=True)
                yield _csv([cells])
            else:
                yield json.dumps(line, sort_keys=False) + "\n"


def _csv(rows: list[list[Any]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()
