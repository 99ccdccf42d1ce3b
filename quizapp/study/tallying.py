"""What one log row adds to the rollups. The answer, the undo and the replay all tally by this one rule.

| kind          | key                 | day       | count                     | hits         |
|---------------|---------------------|-----------|---------------------------|--------------|
| question      | question id         | 0         | answers                   | right        |
| first         | question id         | 0         | its first answer ever     | right        |
| retention     | young or mature     | study day | reviews, a day or more after the last | not rated again |
| confidence    | sure, unsure, guess | study day | answers with a stated confidence | right |
| misconception | its id              | study day | times it was chosen       | 0            |
| recall        | bin (two digits)    | 0         | answers a day or more after the last | right |
| time          | origin              | study day | answers                   | milliseconds |

An answer is a row with a rating or one that an exam or practice only logged; a decision after a changed key is none.
Recall counts what tests memory alone: not answers that practice only logged, which may follow each other in an hour.
"""

from __future__ import annotations

import json
from typing import Any

from quizapp.memory.state import CardState
from quizapp.progress.bins import bin_of
from quizapp.store.tallies import Key, Tally
from quizapp.study.counting import DECISIONS

MATURE_DAYS = 21
"""From this interval on a card is mature (Anki's line)."""


def tallies_of(
    before: CardState,
    question_id: str,
    day: int,
    rating: int | None,
    correct: bool,
    confidence: str | None,
    misconceptions: str,
    duration_ms: int,
    origin: str,
) -> dict[Key, Tally]:
    """`misconceptions` is the row's JSON list. Empty for a decision."""
    if origin in DECISIONS:
        return {}
    right = int(correct)
    found: dict[Key, Tally] = {
        ("question", question_id, 0): (1, right),
        ("time", origin, day): (1, duration_ms),
    }
    if before.review is None:
        found["first", question_id, 0] = (1, right)
    if confidence is not None:
        found["confidence", confidence, day] = (1, right)
    for name in json.loads(misconceptions):
        found["misconception", name, day] = (1, 0)
    later = before.last_day is not None and day > before.last_day
    if later and before.state == "review" and rating is not None:
        key = "mature" if before.interval >= MATURE_DAYS else "young"
        found["retention", key, day] = (1, int(rating != 1))
    if later and before.stability is not None and (rating is not None or origin == "exam"):
        assert before.last_day is not None
        found["recall", f"{bin_of(day - before.last_day, before.stability):02}", 0] = (1, right)
    return found


def tallies_of_row(before: CardState, row: Any) -> dict[Key, Tally]:
    """Of a log row as a mapping."""
    names = ("question_id", "day", "rating", "correct", "confidence", "misconceptions", "duration_ms", "origin")
    return tallies_of(before, **{name: row[name] for name in names})
