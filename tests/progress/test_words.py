"""What the sentences say: the exam's day and those after it, one meaning of due, the limits of a figure."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from study.helpers import START, ahead, bank_of, open_study, single, small_bank
from typer.testing import CliRunner

from quizapp.cli import app
from quizapp.clock import FixedClock
from quizapp.progress import report, words
from quizapp.progress.readiness import Readiness, quantile
from quizapp.study import Study, practice
from quizapp.study.planning import day_plan
from quizapp.study.progress import Progress
from quizapp.tui.screens import progress_pages


def document(study: Study) -> dict[str, Any]:
    return {**Progress(study).all(), "plan": day_plan(study)}


def page(name: str, found: dict[str, Any]) -> str:
    blocks = dict(progress_pages.PAGES)[name](found, 100, 0)
    return "\n".join(block.first.plain + block.body.plain for block in blocks)


def command(study: Study, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What `quizapp progress` prints of the same store at the same time."""
    from quizapp.commands import progress

    return "\n".join(progress._lines(document(study)))


# The exam's day


@pytest.mark.parametrize(("days", "plan"), [(1, True), (0, False), (-2, False)])
def test_the_day_and_the_days_after_are_told_apart_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int, plan: bool
) -> None:
    exam = (START + timedelta(days=days)).date()
    with open_study(tmp_path, exam_date=exam.isoformat()) as study:
        found = document(study)
        assert found["exam"] == {"date": exam.isoformat(), "days": days}
        assert (found["plan"] is not None) is plan
        assert (found["readiness"]["without_study_until_exam"] is not None) is plan
        told, said = page("Readiness", found), command(study, monkeypatch)
        assert study.home().exam_days == days
    for text in (told, said):
        assert ("The exam is today." in text) == (days == 0)
        assert ("The exam was on 08 Jun 2026." in text) == (days == -2)
        assert ("of the marks today" in text) == (days == 0)
    assert ("If you stopped studying" in told) is plan
    assert ("of the marks today" in report.html(found)) == (days == 0)


def test_after_midnight_the_exam_is_today_on_every_page_though_the_study_day_is_the_day_before(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2026, 6, 20, 1, 0, tzinfo=UTC))
    with open_study(tmp_path, small_bank(), clock, exam_date="2026-06-20") as study:
        found = document(study)
        assert (study.home().exam_days, found["exam"]["days"], found["plan"]) == (0, 0, None)


def test_without_a_date_there_is_no_exam(tmp_path: Path) -> None:
    with open_study(tmp_path) as study:
        found = document(study)
    assert found["exam"] is None
    assert "No exam ahead." in page("Plan", found)
    assert "The exam" not in page("Readiness", found)


# Due, and in learning


def mixed(study: Study) -> None:
    """Ten cards: three due today and from before, and others in learning."""
    for n in range(5):
        study.answer(practice.card(study, f"q{n:03}"), "right", "sure", 1_000)
    ahead(study, days=60)
    for n in range(5, 8):
        study.answer(practice.card(study, f"q{n:03}"), "wrong", "sure", 1_000)


def test_due_and_in_learning_are_the_same_numbers_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_study(tmp_path, small_bank(12), exam_date="2026-09-01", learn_ahead_minutes=20) as study:
        mixed(study)
        home, stats, found = study.home(), study.stats(), document(study)
        said = command(study, monkeypatch)
    ahead_of = found["forecast"]
    due = ahead_of["backlog"] + ahead_of["days"][0]["due"] - ahead_of["learning"]
    assert (home.due, home.learning) == (stats["due"], stats["learning"]) == (due, ahead_of["learning"]) == (5, 3)
    assert "3 in learning, 5 due" in home.headline
    for text in (said, page("Forecast", found), report.html(found)):
        assert "5 due (5 of them from days before), 3 in learning" in text
    assert "The first column is today, 8." in page("Forecast", found)
    assert "3 in learning" in page("Plan", found)


def test_what_is_in_learning_for_later_is_told_with_what_may_be_asked_now(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(12), learn_ahead_minutes=0, new_per_day=3) as study:
        mixed(study)
        assert study.home().headline.startswith("3 in learning (0 now), 5 due")
        for n in range(5):
            study.answer(practice.card(study, f"q{n:03}"), "right", "sure", 1_000)
        assert study.home().headline.startswith("All done for now, 3 in learning. The next card comes in")


# Limits of the figures


def test_the_plan_says_that_it_does_not_keep_to_the_limit_of_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_study(tmp_path, small_bank(60), exam_date="2026-07-10", new_per_day=4, minutes_a_day=20) as study:
        found, said = document(study), command(study, monkeypatch)
        assert (found["plan"]["new"], found["plan"]["new_left"]) == (10, 4)
        for text in (page("Plan", found), said):
            assert "10 new are more than the 4 that 'New a day' leaves for today" in text
        study.answer(practice.card(study, "q000"), "right", "sure", 1_000)
        assert (day_plan(study) or {})["new_left"] == 3
        study.save_settings(new_per_day=20)
        assert "New a day" not in page("Plan", document(study))


def test_it_is_said_where_what_was_answered_is_easier_than_what_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = bank_of([single(f"q{n:03}", difficulty=1 + n // 4) for n in range(12)])
    with open_study(tmp_path, bank) as study:
        assert "flatter" not in page("Readiness", document(study))
        study.answer(practice.card(study, "q000"), "right", "sure", 1_000)
        study.answer(practice.card(study, "q005"), "wrong", "sure", 1_000)
        found = document(study)
        assert found["readiness"]["evidence"]["difficulty"] == {"answered": 1.5, "unseen": 2.1}
        for text in (page("Readiness", found), command(study, monkeypatch), report.html(found)):
            assert "First answers may flatter" in text
            assert "(difficulty 1.5 of 5)" in text
            assert "(2.1)" in text
        for name in ("q009", "q010"):
            study.answer(practice.card(study, name), "right", "sure", 1_000)
        assert "flatter" not in page("Readiness", document(study))


def test_readiness_says_that_running_out_of_time_is_not_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_study(tmp_path) as study:
        found = document(study)
        for text in (page("Readiness", found), command(study, monkeypatch), report.html(found)):
            assert "Running out of time is not in it" in text


def test_readiness_and_retention_say_which_answers_they_count(tmp_path: Path) -> None:
    with open_study(tmp_path, learn_ahead_minutes=0) as study:
        study.answer(practice.card(study, "q000"), "wrong", "sure", 1_000)
        ahead(study, days=1)
        study.answer(practice.card(study, "q000"), "right", "sure", 1_000)
        found = document(study)
    assert found["readiness"]["evidence"]["later_answers"] == 1
    assert found["retention"]["all"]["both"]["total"] == 0  # it was still in learning
    assert "in learning too; Retention has those in review only" in page("Readiness", found)
    assert "Readiness counts those in learning as well" in page("Retention", found)


def test_a_forecast_of_a_sample_says_about(tmp_path: Path) -> None:
    for count, about in ((20, False), (400, True)):
        with open_study(tmp_path / str(count), small_bank(count), exam_date="2026-06-20", minutes_a_day=60) as study:
            found = document(study)
        told = page("Plan", found)
        assert found["plan"]["workload"]["sampled"] is about
        assert ("About " in told) is about
        if about:
            new = sum(day["new"] for day in found["plan"]["workload"]["days"])
            assert f"About {new:,} new questions and" in told
            assert "question would still be new" not in told
            assert f"About {found['plan']['workload']['unseen_at_exam']:,} questions would still be new" in told


# A target


def test_the_chance_of_a_target_is_that_of_the_distribution_of_one_exam() -> None:
    exam = [(0.5, 0.6, 0.05), (0.5, 0.8, 0.05)]
    one = Readiness(0, 0.7, 1, 0, 1, 1, 0, {}, {}, exam, 50)
    assert one.chance(0.7) == pytest.approx(0.5 * 0.0359 + 0.5 * 0.9861, abs=1e-3)
    assert one.chance(0.01) > 0.999
    assert one.chance(1.0) < 0.001
    assert one.chance(0.7) > one.chance(0.71) == one.chance(0.72)  # 36 of 50 are the next
    median = quantile(exam, 0.5)
    assert one.chance(median) == pytest.approx(0.5, abs=0.05)


def test_a_target_is_told_only_to_those_who_set_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_study(tmp_path, small_bank(120)) as study:
        found = document(study)
        assert found["readiness"]["target"] is None
        assert "target" not in page("Readiness", found)
        study.save_settings(target=70)
        for n in range(99):
            practice.answer(study, practice.card(study, f"q{n:03}"), "right" if n % 3 else "wrong", None, 1_000)
        found = document(study)
        assert found["readiness"]["target"] == {"share": 0.7, "chance": None}
        assert "its chance is told from 100 first answers on" in page("Readiness", found)
        practice.answer(study, practice.card(study, "q099"), "right", None, 1_000)
        found = document(study)
        target = json.loads(json.dumps(found["readiness"]["target"]))
        assert target["share"] == 0.7
        assert 0.9 < target["chance"] <= 1  # what was answered today is recalled today
        study.save_settings(target=90)
        found = document(study)
        target = found["readiness"]["target"]
        assert 0.1 < target["chance"] < 0.9
        cases = f"{target['chance'] * 100:.0f} of 100 cases"
        for text in (page("Readiness", found), command(study, monkeypatch), report.html(found)):
            assert f"Your target of 90 %: one exam of 50 questions reaches it in {cases}." in text


def test_no_chance_is_told_as_none_or_as_certain() -> None:
    ready = {"one_exam": {"questions": 50}, "target": {"share": 0.7, "chance": 0.001}}
    assert "fewer than 1 of 100 cases" in words.target_words(ready)
    ready["target"]["chance"] = 0.999
    assert "more than 99 of 100 cases" in words.target_words(ready)


def test_the_command_says_what_readiness_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    said = " ".join(CliRunner().invoke(app, ["progress"]).stdout.split())
    assert "Running out of time is not in it" in said
    assert "Today: 0 due" in said
    assert "about 0" not in said
