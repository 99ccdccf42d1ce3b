"""Each question and answer counts once, for the exam that was chosen, and the pages say the same of one day."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from exam.helpers import key_of, own_bank, wrong_of
from study.helpers import ahead, bank_of, open_study, single, small_bank
from typer.testing import CliRunner

from quizapp.cli import app
from quizapp.exam.blueprint import blueprints
from quizapp.memory.pace import Pace
from quizapp.progress import report
from quizapp.study import Study, practice
from quizapp.study.exams import Exams
from quizapp.study.pace import pace_of
from quizapp.study.planning import day_plan
from quizapp.study.progress import Progress
from quizapp.study.seat import Seat
from quizapp.tui.fields import EXAMS
from quizapp.tui.screens import progress_pages

NCA, NCP = "nca-genl-serving", "ncp-genl-serving"


def answer(study: Study, name: str, right: bool, seconds: float = 30, sure: bool = False) -> None:
    card = practice.card(study, name)
    given = key_of(card.variant) if right else wrong_of(card.variant)
    practice.answer(study, card, given, "sure" if sure else None, int(seconds * 1000))  # type: ignore[arg-type]


def of_exam(exam: str) -> list[str]:
    """Questions of the real bank that an exam may ask."""
    mine = set(blueprints(own_bank().exams)[exam].weights())
    return [name for name, question in own_bank().questions.items() if mine & set(question.objectives)]


def words(page: str, found: dict[str, Any]) -> str:
    blocks = dict(progress_pages.PAGES)[page](found, 100, 0)
    return "\n".join(block.first.plain + block.body.plain for block in blocks)


def overlapping() -> Any:
    """Twelve questions of two objectives, six of which have both."""
    kinds = (["a"], ["a", "b"], ["b", "a"], ["b"])
    return bank_of([single(f"q{n:03}", objectives=kinds[n % 4]) for n in range(12)])


def test_ten_answers_are_ten_answers_whatever_the_questions_are_about(tmp_path: Path) -> None:
    several = [name for name in of_exam(NCA) if len(own_bank().questions[name].objectives) > 3]
    with open_study(tmp_path, own_bank()) as study:
        for n, name in enumerate(several[:10]):
            answer(study, name, right=n < 7)
        found = {**Progress(study).all(), "plan": None}
    ready, evidence = found["readiness"], found["readiness"]["evidence"]
    assert (evidence["first_answers"], evidence["first_right"], evidence["seen"], evidence["studied"]) == (
        10,
        7,
        10,
        10,
    )
    assert evidence["questions"] == len(of_exam(NCA))
    assert f"10 of {len(of_exam(NCA))} questions answered at least once" in words("Readiness", found)
    assert f"10 of {len(of_exam(NCA))} questions answered at least once" in report.html(found)
    assert ready["high"] - ready["low"] > 0.35
    assert ready["low"] < 0.5 < 0.8 < ready["high"]


def test_steps_that_raise_the_score_name_each_question_once(tmp_path: Path) -> None:
    with open_study(tmp_path, overlapping()) as study:
        steps = Progress(study).all()["readiness"]["raise"]
        assert [(one["objective"], one["questions"]) for one in steps] == [("a", 9), ("b", 3)]
        assert sum(one["minutes"] for one in steps) == 24  # three answers of forty seconds for each
        for n in range(12):
            answer(study, f"q{n:03}", right=True)
        ahead(study, days=400)
        steps = Progress(study).all()["readiness"]["raise"]
    assert {one["what"] for one in steps} == {"review"}
    assert sum(one["questions"] for one in steps) == 12


def test_an_answer_in_a_mock_exam_is_a_first_answer_and_studies_nothing(tmp_path: Path) -> None:
    with open_study(tmp_path, own_bank()) as study:
        sit(study, NCA, 20)
        found = {**Progress(study).all(), "plan": None}
    evidence = found["readiness"]["evidence"]
    assert (evidence["seen"], evidence["first_answers"], evidence["studied"]) == (20, 20, 0)
    assert "the card stays new" in words("Readiness", found)
    assert "mock exams, practice ahead" in words("Days and time", found)


def sit(study: Study, exam: str, count: int) -> None:
    """Thirty seconds a question, all right."""
    exams = Exams(study)
    seat = Seat(exams, exams.start(exam, count))
    for index in range(count):
        seat.go(index)
        ahead(study, seconds=30)
        seat.answer(key_of(seat.variant))
    seat.hand_in()


def test_only_mock_exams_of_the_chosen_exam_count_and_their_length_is_said(tmp_path: Path) -> None:
    with open_study(tmp_path, own_bank()) as study:
        progress = Progress(study)
        sit(study, NCP, 10)
        none = {**progress.all(), "plan": None}
        assert none["readiness"]["evidence"]["mock_exams"] == 0
        assert "No mock exam of this exam yet." in words("Readiness", none)
        sit(study, NCA, 20)
        found = {**progress.all(), "plan": None}
        evidence = found["readiness"]["evidence"]
    assert (evidence["mock_exams"], evidence["best_mock"], evidence["best_mock_questions"]) == (1, 1.0, 20)
    assert "1 mock exam of this exam; best 100 % of 20 questions." in words("Readiness", found)


def test_the_exam_of_the_settings_is_the_one_that_is_prepared_for(tmp_path: Path) -> None:
    with open_study(tmp_path, own_bank(), exam_date="2026-07-10") as study:
        progress = Progress(study)
        plans = {}
        for exam, title in EXAMS.items():
            study.save_settings(exam=exam)
            found = {**progress.all(), "plan": day_plan(study, progress)}
            assert (found["readiness"]["exam"], found["readiness"]["title"]) == (exam, title)
            assert title in words("Readiness", found)
            assert title in words("Plan", found)
            assert set(found["plan"]["questions"]) <= set(of_exam(exam))
            plans[exam] = found["plan"]["questions"]
        assert plans[NCA] != plans[NCP]
        assert Progress(study, NCA).all()["readiness"]["exam"] == NCA  # settings say NCP
        study.save_settings(exam="gone")
        assert progress.all()["readiness"]["exam"] == NCA
        assert {key: one.title.partition(" (")[0] for key, one in progress.offered.items()} == EXAMS


def test_the_command_takes_an_exam_and_refuses_an_unknown_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    run = CliRunner()
    done = run.invoke(app, ["progress", "--exam", NCP, "--json"])
    assert json.loads(done.stdout)["readiness"]["exam"] == NCP
    assert EXAMS[NCP] in run.invoke(app, ["progress", "--exam", NCP]).stdout
    refused = run.invoke(app, ["progress", "--exam", "nowhere"])
    assert refused.exit_code == 2
    assert f"it has {NCA}, {NCP}" in " ".join(refused.stderr.split())


def test_a_plan_counts_what_is_in_learning_as_home_does(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(12), exam_date="2026-07-10", learn_ahead_minutes=5) as study:
        for n in range(5):
            answer(study, f"q{n:03}", right=n < 2)
        plan = day_plan(study)
        assert plan is not None
        assert (plan["learning"], plan["learning_later"]) == (study.home().learning, 5 - study.home().learning)
        assert plan["learning"] == 3  # the others come in ten minutes
        assert set(plan["questions"][:3]) == {"q002", "q003", "q004"}
        assert plan["next_learning_minutes"] == 10
        told = words("Plan", {"plan": plan})
        assert "3 in learning" in told
        assert "2 in learning come back later, the first in 10 minutes." in told
        ahead(study, minutes=8)
        again = day_plan(study)
        assert again is not None
        assert (again["learning"], again["learning_later"]) == (5, 0)
        ahead(study, days=1)
        tomorrow = day_plan(study)
        assert tomorrow is not None
        assert len(set(tomorrow["questions"])) == len(tomorrow["questions"])
        assert (tomorrow["learning"], tomorrow["due"]) == (5, 0)


def test_minutes_that_were_spent_are_gone_and_the_end_of_them_is_said(tmp_path: Path) -> None:
    bank = small_bank(60)
    with open_study(tmp_path, bank, exam_date="2026-07-10", minutes_a_day=10, learn_ahead_minutes=0) as study:
        fresh = day_plan(study)
        assert fresh is not None
        assert (fresh["new"], fresh["spent"], fresh["used_up"]) == (5, 0, False)
        for n in range(3):
            answer(study, f"q{n:03}", right=True, seconds=80)
        some = day_plan(study)
        assert some is not None
        assert (some["spent"], some["used_up"]) == (4.0, False)
        assert 0 < some["new"] < fresh["new"] - 1
        assert "4 of today's 10 minutes spent; now: " in words("Plan", {"plan": some})
        assert study.home().minutes_today == some["spent"]
        for n in range(3, 8):
            answer(study, f"q{n:03}", right=True, seconds=80)
        over = day_plan(study)
        assert over is not None
        assert over["used_up"]
        assert over["new"] > 0
        assert over["workload"]["days"][0]["new"] == 0
        told = words("Plan", {"plan": over})
        assert "Today's plan is done: 11 of today's 10 minutes spent." in told
        assert "You may go on: " in told
        ahead(study, days=1)
        assert not (day_plan(study) or {})["used_up"]


def test_what_is_in_learning_belongs_to_the_minutes_of_the_day(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(60), exam_date="2026-07-10", minutes_a_day=10) as study:
        for n in range(6):
            answer(study, f"q{n:03}", right=False, seconds=80)
        plan = day_plan(study)
        assert plan is not None
        assert (plan["spent"], plan["learning"], plan["new"], plan["used_up"]) == (8.0, 6, 0, False)
        assert "8 of today's 10 minutes spent; now: 6 in learning" in words("Plan", {"plan": plan})
        for n in (6, 7):
            answer(study, f"q{n:03}", right=False, seconds=80)
        over = day_plan(study)
        assert over is not None
        assert (over["learning"], over["new"], over["used_up"]) == (8, 0, True)


def test_answering_ahead_of_the_day_and_mock_exams(tmp_path: Path) -> None:
    """Practice that is only logged is study time on every page; a mock exam's time is its own."""
    with open_study(tmp_path, own_bank(), exam_date="2026-07-10") as study:
        name = of_exam(NCA)[0]
        answer(study, name, right=True, seconds=60, sure=True)
        ahead(study, days=1)
        answer(study, name, right=True, seconds=60)
        assert study.home().reviews_today == 0
        sit(study, NCP, 10)
        plan, found = day_plan(study), Progress(study).all()
        assert plan is not None
        assert found["time"]["by_origin"]["exam"] == 5.0
        assert plan["spent"] == study.home().minutes_today == study.stats()["minutes_today"] == 1.0


def test_every_page_takes_a_question_to_last_as_long(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(60), exam_date="2026-07-10", new_per_day=10, minutes_a_day=20) as study:
        for seconds in (None, 20):
            if seconds:
                for n in range(50, 60):
                    answer(study, f"q{n:03}", right=n % 2 > 0, seconds=seconds)
                ahead(study, days=1)
            found, plan = Progress(study).all(), day_plan(study)
            assert plan is not None
            with study.database.reading() as connection:
                pace = pace_of(connection)
            home = study.home()
            minutes = round(pace.minutes(home.new, home.due, home.learning))
            assert f"about {minutes} minutes" in home.headline
            assert plan["new"] * pace.new <= 20 * 60 - pace.minutes(learning=plan["learning"]) * 60
            assert (plan["new"] + 1) * pace.new > 20 * 60 - pace.minutes(learning=plan["learning"]) * 60
            step = next(one for one in found["readiness"]["raise"] if one["what"] == "learn")
            assert step["minutes"] == pytest.approx(step["questions"] * pace.new / 60, abs=1)
            assert found["forecast"]["seconds_a_card"] == pytest.approx(pace.review, abs=0.1)
        assert pace.answer < Pace().answer


def test_a_pace_follows_the_learner_and_stays_sane() -> None:
    assert Pace.of(0, 0) == Pace(40.0)
    assert Pace.of(20, 400).answer == pytest.approx(30.0)  # half the usual, half her own
    assert Pace.of(2_000, 50_000).answer == pytest.approx(25.15, abs=0.01)
    assert Pace.of(10_000, 10.0).answer == 5.0
    assert Pace.of(10_000, 10_000 * 600.0).answer == 120.0
    assert Pace(30).minutes(new=2, due=5, learning=3) == pytest.approx((2 * 90 + 5 * 36 + 3 * 30) / 60)


def test_a_step_is_told_by_the_objective_and_its_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_study(tmp_path, own_bank()) as study:
        found = Progress(study).all()
    told = words("Readiness", found)
    first = found["readiness"]["raise"][0]
    assert first["title"] == own_bank().objectives[first["objective"]].title
    assert f"1  {first['objective']} {first['title']}: {first['questions']:,} new to learn" in told
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    assert f"{first['objective']} {first['title']}: learn" in CliRunner().invoke(app, ["progress"]).stdout


@pytest.mark.parametrize("exam", ["2027-12-31", "2126-01-01", "9999-12-31"])
def test_an_exam_far_off_has_a_plan_for_today_and_no_simulation_of_every_day(
    tmp_path: Path, exam: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A year simulated took a second, and a mistyped year minutes."""
    from quizapp.study import planning

    asked: list[int] = []

    def simulated(curve: Any, cards: Any, days: int, *rest: Any) -> Any:
        asked.append(days)
        return simulate(curve, cards, 1, *rest)

    simulate = planning.simulate
    monkeypatch.setattr(planning, "simulate", simulated)
    with open_study(tmp_path, small_bank(), exam_date=exam) as study:
        plan = day_plan(study)
        assert plan is not None
        assert plan["questions"]
        assert plan["workload"] is None
        told = progress_pages.plan({**Progress(study).all(), "plan": plan}, 80, 0)
    assert asked == []
    words = "\n".join(block.body.plain for block in told)
    assert "too far off" in words
    assert exam[:4] in words
