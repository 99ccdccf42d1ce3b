"""Bugs that others shipped in timers and mock exams (docs/known-bugs.md, rows 10, 16 to 19 and 52)."""

from __future__ import annotations

import random
from datetime import timedelta, timezone
from pathlib import Path

import pytest
from typer.testing import CliRunner

from exam.helpers import EXAM, open_study
from exam.test_exam_room import START, bank, blueprint, instant
from quizapp.cli import app
from quizapp.exam import sitting as room
from quizapp.exam.assemble import assemble
from quizapp.exam.score import score
from quizapp.exam.sitting import Sitting, SittingOver
from quizapp.exam.timer import Instant, advance, start_timer
from quizapp.study.exams import Exams


def begin(count: int = 10, seed: int = 5) -> Sitting:
    return room.sit(assemble(blueprint(), bank(), seed, count), instant(0))


def test_a_machine_that_sleeps_spends_the_time() -> None:
    """JamBrain#1431, vikdevelop/timer#143: a countdown stood still while the machine slept."""
    sitting = room.tick(begin(), instant(10))
    woken = room.tick(sitting, instant(10 + 25 * 60))
    assert woken.timer.left_s == 60 * 60 - 10 - 25 * 60
    assert room.tick(woken, instant(9 * 3600)).timed_out


def test_late_ticks_neither_stretch_nor_cut_the_time() -> None:
    """treyhunner/countdown-cli#220: sixty seconds took sixty-six, because each late tick counted as one second."""
    rng, at, timer = random.Random(3), 0.0, start_timer(1, instant(0))
    while not timer.over:
        at += 1 + rng.random() * 0.2
        timer = advance(timer, instant(at))
        assert timer.spent_s == pytest.approx(at)
    assert 60 <= at < 61.3


def test_two_tickers_and_a_storm_of_them_count_once() -> None:
    """aeraedu#66: two tickers, and time ran at double speed."""
    sitting = begin()
    for second in range(1, 101):
        for _ in range(3):
            sitting = room.tick(sitting, instant(second))
    assert sitting.timer.spent_s == 100
    assert sum(reply.seconds for reply in sitting.replies) == 100


def test_however_questions_are_visited_the_exam_ends_at_its_own_deadline() -> None:
    """BibleOL#82: a timer of the single exercise switched the exam's off. Ours only books time; the exam decides."""
    for jumps in (0, 1, 7, 500):
        rng, sitting = random.Random(jumps), begin()
        for second in sorted(rng.uniform(0, 3599) for _ in range(jumps)):
            sitting = room.go(sitting, rng.randrange(10), instant(second))
        assert not room.tick(sitting, instant(3599.9)).submitted
        over = room.tick(sitting, instant(3600))
        assert over.timed_out
        assert sum(reply.seconds for reply in over.replies) == pytest.approx(3600)
        with pytest.raises(SittingOver):
            room.go(sitting, 1, instant(3600))


@pytest.mark.parametrize("offset", [-1, 1, 0.5])
def test_a_clock_change_during_an_exam_is_no_time_at_all(offset: float) -> None:
    """ankitects/anki#371's kind in an exam: wall and offset jump together at a clock change; across a restart too."""
    summer, winter = timezone(timedelta(hours=2)), timezone(timedelta(hours=2 + offset))
    timer = start_timer(60, Instant(wall=START.astimezone(summer), boot_s=0, boot_id="a"))
    later = (START + timedelta(seconds=600)).astimezone(winter)
    assert advance(timer, Instant(wall=later, boot_s=600, boot_id="a")).left_s == 3000
    restarted = advance(timer, Instant(wall=later, boot_s=5, boot_id="b"))
    assert (restarted.left_s, restarted.clock_moved) == (3000, False)


def test_tallies_run_on_over_fifty_questions() -> None:
    """quizapp#40 (of another project): time and tallies began again every ten questions."""
    sitting = room.sit(assemble(blueprint(), bank(30), 2, 50), instant(0))
    for index in range(50):
        sitting = room.go(sitting, index, instant(60 * index))
        sitting = room.answer(sitting, index, "key" if index % 2 else "no-0", instant(60 * index + 30))
        assert sitting.timer.spent_s == 60 * index + 30
        assert len(sitting.unanswered) == 49 - index
    result = score(room.submit(sitting, instant(3000)), bank(30).questions, lambda o: "d")
    assert (result.total.right, result.total.total, result.unanswered) == (25, 50, 0)
    assert result.seconds == 3000


def test_what_is_skipped_counts_as_wrong() -> None:
    """aeraedu#40, alphaonelabs#589: skipped questions were left out, and one right of one was 100 %."""
    sitting = room.answer(begin(), 3, "key", instant(5))
    result = score(room.submit(sitting, instant(9)), bank().questions, lambda o: "d")
    assert (result.total.right, result.total.total, result.total.rate, result.unanswered) == (1, 10, 0.1, 9)
    for group in (result.by_objective, result.by_domain, result.by_style):
        assert sum(share.total for share in group.values()) == 10


def test_an_answer_stays_with_its_question_whatever_the_order_of_visits() -> None:
    """kolibri#12467, azure-cloud-exams#70: the index within a section met the one of the exam; a selection moved on."""
    rng, sitting = random.Random(8), begin()
    order = list(range(10))
    rng.shuffle(order)
    given = {index: rng.choice(["key", "no-0", "no-1"]) for index in order[:7]}
    for second, index in enumerate(order):
        sitting = room.go(sitting, index, instant(second))
        assert sitting.replies[sitting.at].response is None
        if index in given:
            sitting = room.answer(sitting, index, given[index], instant(second))
    result = score(room.submit(sitting, instant(60)), bank().questions, lambda o: "d")
    for index, item in enumerate(result.items):
        assert (item.index, item.question_id) == (index, sitting.paper.items[index].question_id)
        assert item.objective == sitting.paper.items[index].objective
        assert item.correct == (given.get(index) == "key")
    for objective, share in result.by_objective.items():
        mine = [i for i, item in enumerate(sitting.paper.items) if item.objective == objective]
        assert (share.right, share.total) == (sum(given.get(i) == "key" for i in mine), len(mine))


def test_the_command_line_tells_an_exams_time_in_the_candidates_zone(tmp_path: Path) -> None:
    """py-fsrs#23's kind: the list of exams told UTC, the screens the zone of the settings."""
    study = open_study(tmp_path)
    study.save_settings(zone="Asia/Kathmandu")  # UTC+5:45, and 10:00 in UTC is the start
    exams = Exams(study)
    desk = exams.start(EXAM, count=10)
    exams.submit(desk, desk.sitting)
    study.close()
    said = CliRunner().invoke(app, ["--db", str(tmp_path / "quizapp.db"), "exam", "list"])
    assert "Handed in 1: 2026-11-29 15:45, 0 of 10" in said.output
