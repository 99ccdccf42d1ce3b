"""All progress screens at 450,000 reviews of 100,000 cards: what `Progress.all` takes, from rollups and indexes.

Run `python -m benchmarks.progress`. The goal (DESIGN section 4) is 300 ms for everything at once. Beside it, in the
same run, stands the retention table alone by a scan of the log, which is what the rollups save.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.store import bank_of, make_store, open_study, timed

GOAL_MS = 300
SCAN = (
    "SELECT day, json_extract(before, '$.interval') >= 21, count(*), sum(rating > 1) FROM review r "
    "WHERE json_extract(before, '$.state') = 'review' AND day > json_extract(before, '$.last_day') "
    "AND id NOT IN (SELECT review_id FROM undo) GROUP BY 1, 2"
)


def objectives_bank(cards: int) -> Any:
    """A bank of `cards` questions of eight objectives."""
    bank = bank_of(cards)
    for number, (name, question) in enumerate(bank.questions.items()):
        bank.questions[name] = question.model_copy(update={"objectives": [f"o{number % 8}"]})
    return bank


def make(home: Path, cards: int) -> Any:
    """A store with rollups, and its bank: 100,000 cards have 450,000 reviews."""
    bank = objectives_bank(cards)
    make_store(home, cards, bank)
    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        # The log was written in bulk: the migration fills the rollups from it, as it does for an older store.
        connection.execute("DROP TABLE rollup")
        connection.execute("UPDATE alembic_version SET version_num = '0003'")
        connection.commit()
    with open_study(home, bank):
        pass
    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        # Those histories have no confidence and no beliefs: a year of both, as many rows as there would be.
        days = [day for (day,) in connection.execute("SELECT day FROM daily")]
        connection.executemany(
            "INSERT INTO rollup VALUES (?, ?, ?, ?, ?)",
            [("confidence", word, day, 400, 300) for day in days for word in ("sure", "unsure", "guess")]
            + [("misconception", name, day, 3, 0) for day in days for name in ("m", *(f"m{n}" for n in range(60)))],
        )
        connection.commit()
        connection.execute("ANALYZE")
    return bank


def measure(cards: int) -> list[tuple[str, str, str, bool | None]]:
    """Rows of (what, measured, goal, reached)."""
    from quizapp.study.progress import Progress

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        bank = make(home, cards)
        with open_study(home, bank) as study:
            study.save_settings(exam_date="2026-07-01")
            start = time.perf_counter()
            found = Progress(study)
            found.all()
            cold = (time.perf_counter() - start) * 1000
            spent = time.process_time()
            walls = timed(7, found.all)
            cpu = (time.process_time() - spent) / 7 * 1000
            median = statistics.median(walls)
            with closing(sqlite3.connect(home / "quizapp.db")) as connection:
                scan = statistics.median(timed(3, lambda: connection.execute(SCAN).fetchall()))
        reviews = cards * 9 // 10 * 5
        return [
            ("cards, reviews", f"{cards:,}, {reviews:,}", "", None),
            ("all progress screens, the first time", f"{cold:.0f} ms", "", None),
            ("all progress screens", f"{median:.0f} ms", f"<= {GOAL_MS} ms", median <= GOAL_MS),
            ("CPU of it", f"{cpu:.0f} ms", "", None),
            ("the retention table alone by a scan of the log", f"{scan:.0f} ms", "", None),
            ("scan over everything from rollups", f"{scan / median:.1f} x", "", None),
        ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=100_000)
    for what, value, goal, reached in measure(parser.parse_args().cards):
        print(f"{what:52} {value:>18}  {goal:12} {'' if reached is None else 'reached' if reached else 'MISSED'}")
