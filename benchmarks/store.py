"""The store at 100,000 cards and 450,000 reviews: opening, next card, answer, undo, screens; Anki's library beside it.

Run `python -m benchmarks.store`. The store is made of real histories (each review computed by the scheduler and
replayable), in a temporary folder on this disk. Goals are those of DESIGN section 4. Anki is measured only where its
library is installed (`pip install 'quizapp[bench]'`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOW = datetime(2026, 6, 10, 10, tzinfo=UTC)
REVIEWS_A_CARD = 5


def bank_of(cards: int) -> Any:
    """A bank of `cards` questions that share one text: only their number matters here."""
    from quizapp.bank.model import Bank
    from quizapp.bank.schema import Single

    options = [{"id": "a", "text": "Right", "correct": True, "why": "w"}] + [
        {"id": name, "text": name, "why": "w", "misconception": "m"} for name in "bcd"
    ]
    base = Single.model_validate(
        {
            "id": "q", "kind": "single", "style": "mechanism", "ask": "Which?", "explain": "e", "objectives": ["o"],
            "sources": ["s"], "as_of": "2026-06-01", "difficulty": 2, "options": options,
        }
    )  # fmt: skip
    names = [f"q{number:06}" for number in range(cards)]
    questions = {
        name: base.model_copy(update={"id": name, "family": f"f{n // 3:05}" if n % 10 < 3 else None})
        for n, name in enumerate(names)
    }
    return Bank(questions=questions, topic={name: f"t{n % 20}" for n, name in enumerate(names)})


def open_study(home: Path, bank: Any) -> Any:
    from quizapp.clock import FixedClock
    from quizapp.store.location import locate
    from quizapp.store.opening import open_store
    from quizapp.study import Study

    opened = open_store(locate(home=home), NOW)
    return Study(opened.database, bank, FixedClock(NOW), locate(home=home), opened.warnings)


def histories(count: int) -> list[list[dict[str, Any]]]:
    """Review histories of the last year, computed by the scheduler; the days count back from today (day 0)."""
    from quizapp.memory.rating import Rating
    from quizapp.memory.scheduler import Scheduler, SchedulerConfig
    from quizapp.memory.state import CardState

    rng, scheduler, found = random.Random(1), Scheduler(SchedulerConfig(fuzz=False)), []
    today = NOW.toordinal()
    for _ in range(count):
        while True:
            state, day, rows = CardState(), today - rng.randrange(2, 360), []
            for _ in range(REVIEWS_A_CARD):
                rating = rng.choices(list(Rating), (1, 1, 6, 1))[0]
                at = (day - 719_163) * 86_400_000 + 36_000_000 + len(rows) * 600_000
                after = scheduler.review(state, rating, at, day)
                rows.append({"before": state, "after": after, "rating": rating, "day": day, "at": at})
                state = after
                day = max(day, state.due_day or 0) + (rng.randrange(3) if state.due_day else 0)
            due_in = (state.due_day or today) - today
            # a fifth of the cards is due, as in the anchors' measurements; nothing lies in the future
            if rows[-1]["day"] < today and state.due_day and (due_in <= 0) == (len(found) % 5 == 0):
                found.append(rows)
                break
    return found


def make_store(home: Path, cards: int, bank: Any) -> None:
    """Cards by our own sync, then the log, the cards' states and the daily counts in bulk."""
    from dataclasses import replace

    from quizapp.memory.scheduler import SchedulerConfig
    from quizapp.memory.state import STATE_FIELDS
    from quizapp.study.counting import counts_of

    with open_study(home, bank) as study:
        study.save_settings(zone="UTC", first_run_done=True)
    patterns = histories(2_000)
    config = json.dumps(SchedulerConfig(fuzz=False).to_dict(), sort_keys=True, separators=(",", ":"))
    reviews, states, days, review_id = [], [], {}, 0
    for card_id in range(1, cards - cards // 10 + 1):
        last = None
        for row in patterns[card_id % len(patterns)]:
            review_id += 1
            before = replace(row["before"], review=last, key="k" if last else None)
            after = replace(row["after"], review=review_id, key="k")
            last = review_id
            right = row["rating"] > 1
            reviews.append(
                (review_id, card_id, f"q{card_id - 1:06}", 7, "c", row["at"], row["day"], 8_000, '"a"', float(right),
                 right, False, None, int(row["rating"]), "right" if right else "wrong", "[]", "study",
                 before.to_json(), after.to_json(), 1, None)
            )  # fmt: skip
            counts = counts_of(before, row["day"], int(row["rating"]), right, 8_000)
            day = days.setdefault(row["day"], dict.fromkeys(counts, 0))
            for name, value in counts.items():
                day[name] += value
        states.append((*(getattr(after, name) for name in STATE_FIELDS), card_id))
    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        connection.execute("INSERT INTO scheduler VALUES (1, ?)", (config,))
        connection.executemany(f"INSERT INTO review VALUES ({', '.join('?' * 21)})", reviews)
        sets = ", ".join(f'"{name}" = ?' for name in STATE_FIELDS)
        connection.executemany(f"UPDATE card SET {sets} WHERE id = ?", states)
        connection.executemany(
            "INSERT INTO daily (day, reviews, correct, new, due, tested, retained, duration_ms) VALUES "
            "(?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (day, c["reviews"], c["correct"], c["new"], c["due"], c["tested"], c["retained"], c["duration_ms"])
                for day, c in days.items()
            ],
        )
        connection.commit()
        connection.execute("ANALYZE")


def timed(count: int, work: Callable[[], Any]) -> list[float]:
    """Milliseconds of each of `count` runs."""
    found = []
    for _ in range(count):
        start = time.perf_counter()
        work()
        found.append((time.perf_counter() - start) * 1000)
    return found


def p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


OPENING = """
import sys, time, pathlib
sys.path.insert(0, {root!r})
from benchmarks.store import bank_of, open_study
bank = bank_of({cards})  # a real bank is parsed or cached; its cost is the bank's, not the store's
spent = time.process_time()
with open_study(pathlib.Path({home!r}), bank) as study:
    study.home()
    print(time.process_time() - spent, len([m for m in sys.modules if m.startswith('textual')]))
"""
IMPORTING = "import time; s = time.process_time(); import quizapp.study; print(time.process_time() - s)"


def cpu_of(code: str, runs: int = 5) -> float:
    """Median CPU seconds that the code prints."""
    outputs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
        for _ in range(runs)
    ]
    return statistics.median(float(output.split()[0]) for output in outputs)


def command_cpu(*arguments: str, home: Path, runs: int = 5) -> float:
    """Median CPU seconds (user and system) of a whole command."""
    found = []
    for _ in range(runs):
        before = os.times()
        environment = {**os.environ, "QUIZAPP_HOME": str(home)}
        subprocess.run(
            [sys.executable, "-m", "quizapp", *arguments], capture_output=True, check=True, cwd=ROOT, env=environment
        )
        after = os.times()
        found.append(after.children_user - before.children_user + after.children_system - before.children_system)
    return statistics.median(found)


def measure(cards: int) -> list[tuple[str, str, str, bool | None]]:
    """Rows of (what, measured, goal, reached)."""
    rows: list[tuple[str, str, str, bool | None]] = []

    def row(what: str, value: float, unit: str, goal: float | None) -> None:
        limit = "" if goal is None else f"<= {goal:g} {unit}"
        rows.append((what, f"{value:.2f} {unit}", limit, None if goal is None else value <= goal))

    with tempfile.TemporaryDirectory() as folder:
        home, bank = Path(folder), bank_of(cards)
        make_store(home, cards, bank)
        size = (home / "quizapp.db").stat().st_size / 2**20
        rows.append(
            ("cards, reviews, size", f"{cards:,}, {cards * 9 // 10 * REVIEWS_A_CARD:,}, {size:.0f} MB", "", None)
        )
        opening = cpu_of(OPENING.format(root=str(ROOT), cards=cards, home=str(home)), runs=3)
        importing = cpu_of(IMPORTING)
        row("open and home counts, CPU with imports", opening + importing, "s", 0.9)
        with open_study(home, bank) as study:
            study.save_settings(reviews_per_day=9_999, new_per_day=9_999)
            row("due in all", study.counts().due_all, "cards", None)
            row("home", statistics.median(timed(9, study.home)), "ms", None)
            row("stats", statistics.median(timed(9, study.stats)), "ms", 300)
            nexts, answers, answers_cpu, floor = [], [], [], []
            with closing(floor_database(home)) as bare:
                for number in range(300):
                    start = time.perf_counter()
                    card = study.next_card()
                    nexts.append((time.perf_counter() - start) * 1000)
                    start, spent = time.perf_counter(), time.process_time()
                    study.answer(card, "a" if number % 5 else "b", "sure", 5_000)
                    answers.append((time.perf_counter() - start) * 1000)
                    answers_cpu.append((time.process_time() - spent) * 1000)
                    floor += timed(1, lambda: commit_ten_pages(bare))
            row("next card after an answer, median", statistics.median(nexts), "ms", None)
            row("next card after an answer, p95", p95(nexts), "ms", 5)
            row("answer committed (WAL, FULL), median", statistics.median(answers), "ms", 8)
            row("answer committed, p95", p95(answers), "ms", 20)
            row("  of which CPU, median", statistics.median(answers_cpu), "ms", None)
            row("  a bare commit of ten pages beside it, median", statistics.median(floor), "ms", None)
            row("undo, median of 100", statistics.median(timed(100, study.undo)), "ms", 10)
        row("quizapp stats --json, CPU", command_cpu("stats", "--json", home=Path(folder) / "small"), "s", 0.6)
        row("quizapp --version, CPU", command_cpu("--version", home=Path(folder) / "small"), "s", 0.1)
    return rows


def floor_database(home: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(home / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO t VALUES (?, ?)", ((n, "x" * 3_000) for n in range(2_000)))
    connection.execute("COMMIT")
    return connection


def commit_ten_pages(connection: sqlite3.Connection) -> None:
    """What the disk alone takes for a commit of an answer's size (7 to 13 pages), measured beside each answer."""
    connection.execute("BEGIN IMMEDIATE")
    first = random.randrange(100)
    for page in range(10):
        connection.execute("UPDATE t SET x = ? WHERE id = ?", (random.random(), first + page * 100))
    connection.execute("COMMIT")


def measure_anki(cards: int) -> list[tuple[str, str, str, bool | None]]:
    """Anki's own library on as many cards, a fifth of them due. Empty where it is not installed."""
    try:
        from anki.collection import Collection  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return [("anki", "not installed: pip install 'quizapp[bench]'", "", None)]
    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(str(Path(folder) / "c.anki2"))
        collection.db.execute("PRAGMA synchronous = 2")
        model = collection.models.by_name("Basic")
        notes = [collection.new_note(model) for _ in range(cards)]
        for number, one in enumerate(notes):
            one["Front"], one["Back"] = f"q{number}", "a"
        from anki.collection import AddNoteRequest  # type: ignore[import-not-found,unused-ignore]

        deck = collection.decks.id("d")
        for start in range(0, cards, 1_000):
            collection.add_notes([AddNoteRequest(note=n, deck_id=deck) for n in notes[start : start + 1_000]])
        today = collection.sched.today
        collection.close()
        with closing(sqlite3.connect(Path(folder) / "c.anki2")) as connection:  # in one transaction, not one a row
            rng = random.Random(1)
            ids = [row[0] for row in connection.execute("SELECT id FROM cards")][: cards * 9 // 10]
            dues = [today - rng.randrange(30) if n % 5 == 0 else today + 1 + rng.randrange(60) for n in range(len(ids))]
            connection.executemany(
                "UPDATE cards SET type = 2, queue = 2, ivl = 30, reps = 5, factor = 2500, due = ? WHERE id = ?",
                zip(dues, ids, strict=True),
            )
            stamp = int((datetime.now(UTC) - timedelta(days=400)).timestamp() * 1000)
            connection.executemany(
                "INSERT INTO revlog VALUES (?, ?, -1, 3, 30, 15, 2500, 8000, 1)",
                ((stamp + n * 60_000, ids[n % len(ids)]) for n in range(len(ids) * REVIEWS_A_CARD)),
            )
            connection.commit()
        opened = time.perf_counter()
        collection = Collection(str(Path(folder) / "c.anki2"))
        config = collection.decks.config_dict_for_deck_id(deck)
        config["rev"]["perDay"], config["new"]["perDay"] = 9_999, 9_999
        collection.decks.update_config(config)
        collection.db.execute("PRAGMA synchronous = 2")
        collection.decks.select(deck)
        queued = collection.sched.get_queued_cards(fetch_limit=1)
        built = (time.perf_counter() - opened) * 1000
        nexts, answers, floor = [], [], []
        bare = floor_database(Path(folder))
        for number in range(300):
            start = time.perf_counter()
            queued = collection.sched.get_queued_cards(fetch_limit=1)
            card = collection.get_card(queued.cards[0].card.id)
            card.start_timer()
            nexts.append((time.perf_counter() - start) * 1000)
            start = time.perf_counter()
            states = queued.cards[0].states
            rating = 2 if number % 5 else 0
            collection.sched.answer_card(
                collection.sched.build_answer(card=card, states=states, rating=rating)  # type: ignore[arg-type]
            )
            answers.append((time.perf_counter() - start) * 1000)
            floor += timed(1, lambda: commit_ten_pages(bare))
        bare.close()
        undos = timed(25, collection.undo)
        collection.close()
    return [
        ("anki: open and first queue", f"{built:.2f} ms", "", None),
        ("anki: next card after an answer, median", f"{statistics.median(nexts):.2f} ms", "", None),
        ("anki: next card after an answer, p95", f"{p95(nexts):.2f} ms", "", None),
        ("anki: answer (synchronous=FULL), median", f"{statistics.median(answers):.2f} ms", "", None),
        ("  a bare commit of ten pages beside it, median", f"{statistics.median(floor):.2f} ms", "", None),
        ("anki: undo, median", f"{statistics.median(undos):.2f} ms", "", None),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=100_000)
    parser.add_argument("--part", choices=["all", "quizapp", "anki"], default="all")
    options = parser.parse_args()
    rows: list[tuple[str, str, str, bool | None]] = []
    if options.part != "anki":
        rows += measure(options.cards)
    if options.part != "quizapp":
        rows += measure_anki(options.cards)
    for what, value, goal, reached in rows:
        print(f"{what:<48} {value:>28}  {goal:<12} {'' if reached is None else 'ok' if reached else 'MISSED'}")


if __name__ == "__main__":
    main()
