"""Real processes: kills in the middle of answering, and several writers on one store."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from study.helpers import open_study, rows, small_bank

from quizapp.study import replay

ROOT = Path(__file__).parents[2]

ANSWERER = """
import sys
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/tests"]
from pathlib import Path
from study.helpers import open_study, small_bank, ahead
study = open_study(Path(sys.argv[1]), small_bank(400), zone=None)
number = study.stats()["reviews"]
ahead(study, minutes=number)
print("ready", flush=True)
while True:
    card = study.next_card()
    response = "wrong" if number % 3 == 0 else "right"
    outcome = study.answer(card, response, duration_ms=number)
    if number % 7 == 0:
        outcome = study.override(outcome.review_id, "hard")
    print(f"{outcome.review_id} {card.question.id} {number}", flush=True)
    number += 1
    ahead(study, minutes=1)
"""


def storm(home: Path, kills: int, seed: int) -> int:
    """Kills an answering process `kills` times; each acknowledged answer must be there, whole. Returns their number."""
    open_study(home, small_bank(400), new_per_day=9_999, reviews_per_day=9_999).close()
    rng = random.Random(seed)
    acknowledged: dict[int, tuple[str, int]] = {}
    for _ in range(kills):
        child = subprocess.Popen(
            [sys.executable, "-c", ANSWERER, str(home), str(ROOT)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        for _ in range(rng.randrange(0, 4)):  # a few answers, then at any point of the next one
            acknowledge(child.stdout.readline(), acknowledged)
        until = time.perf_counter() + rng.random() * 0.02
        while time.perf_counter() < until:
            pass
        child.send_signal(signal.SIGKILL)
        for line in child.communicate()[0].splitlines(keepends=True):
            acknowledge(line, acknowledged)
        verify(home, acknowledged)
    with open_study(home, small_bank(400), zone=None) as study:
        report = replay.check(study.database)
        assert report.differences == []
        assert report.reviews >= len(acknowledged)
    return len(acknowledged)


def acknowledge(line: str, acknowledged: dict[int, tuple[str, int]]) -> None:
    if line.endswith("\n"):
        review_id, question_id, number = line.split()
        acknowledged[int(review_id)] = (question_id, int(number))


def verify(home: Path, acknowledged: dict[int, tuple[str, int]]) -> None:
    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        stored = {i: (q, n) for i, q, n in connection.execute("SELECT id, question_id, duration_ms FROM review")}
        assert acknowledged.items() <= stored.items()
        # no half of an answer: the card stands where the last review in force left it, the day counts them all
        torn = connection.execute(
            "SELECT count(*) FROM card WHERE review IS NOT (SELECT max(r.id) FROM review r WHERE r.card_id = card.id "
            "AND r.id NOT IN (SELECT review_id FROM undo))"
        ).fetchone()[0]
        assert torn == 0
        in_force = connection.execute("SELECT count(*) FROM review WHERE id NOT IN (SELECT review_id FROM undo)")
        assert connection.execute("SELECT coalesce(sum(reviews), 0) FROM daily").fetchone() == in_force.fetchone()


def test_twenty_kills_lose_nothing(tmp_path) -> None:
    assert storm(tmp_path, kills=20, seed=1) > 10


@pytest.mark.prove
def test_two_hundred_kills_lose_nothing(tmp_path) -> None:
    count = storm(tmp_path, kills=200, seed=2)
    print(f"{count} acknowledged answers, 200 kills, none lost")
    assert count > 150


WRITER = """
import sys
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/tests"]
from pathlib import Path
from study.helpers import open_study, small_bank
from quizapp.study import Conflict
study = open_study(Path(sys.argv[1]), small_bank(60), zone=None)
print("ready", flush=True)
sys.stdin.readline()
done = refused = 0
while (card := study.next_card()) is not None:
    try:
        study.answer(card, "right", "sure", 1)
        done += 1
    except Conflict:
        refused += 1
study.close()
print(done, refused)
"""


def test_two_processes_are_both_right(tmp_path) -> None:
    """Each card is answered once in all, by whichever was first; the other is told. No update is lost."""
    open_study(tmp_path, small_bank(60), new_per_day=999, learn_ahead_minutes=0).close()
    children = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    done, refused = 0, 0
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    for child in children:
        first, second = child.communicate(timeout=60)[0].split()
        done, refused = done + int(first), refused + int(second)
    assert done == 60
    assert refused > 0  # they did meet
    assert rows(tmp_path, "SELECT count(*), count(DISTINCT question_id) FROM review") == [(60, 60)]
    assert rows(tmp_path, "SELECT sum(reviews), sum(duration_ms) FROM daily") == [(60, 60)]
    with open_study(tmp_path, small_bank(60), zone=None) as study:
        assert replay.check(study.database).ok


OPENER = """
import sys
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/tests"]
from pathlib import Path
from study.helpers import open_study, small_bank
print("ready", flush=True)
sys.stdin.readline()
with open_study(Path(sys.argv[1]), small_bank(9)) as study:
    print(study.counts().new)
"""


def test_first_starts_at_once(tmp_path) -> None:
    """Three processes make the same new store: one migrates, the others wait for it."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, str(tmp_path / "new"), str(ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    for child in children:
        said, errors = child.communicate(timeout=60)
        assert (said, errors) == ("9\n", "")
    assert rows(tmp_path / "new", "SELECT count(*) FROM card") == [(9,)]


def test_threads_share_one_study(tmp_path) -> None:
    """The terminal app calls from worker threads."""
    from concurrent.futures import ThreadPoolExecutor

    from quizapp.study import Conflict

    with open_study(tmp_path, small_bank(40), new_per_day=999) as study:

        def work(_: int) -> int:
            done = 0
            while (card := study.next_card()) is not None:
                try:
                    study.answer(card, "right", "sure")
                    done += 1
                except Conflict:
                    continue
            return done

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(work, range(4))) == 40
        assert study.stats()["reviews"] == 40
        assert replay.check(study.database).ok
