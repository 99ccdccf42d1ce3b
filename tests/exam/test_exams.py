"""Mock exams as use cases, on a real store and the real bank."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import text

from exam.helpers import EXAM, START, key_of, open_study, own_bank, pass_time, wrong_of
from quizapp.bank.model import Bank
from quizapp.clock import FixedClock
from quizapp.exam import sitting as sit_room
from quizapp.store.errors import Conflict
from quizapp.study.exams import ExamError, Exams
from quizapp.study.queue import reopen
from quizapp.study.replay import check, rebuild


def sit_through(exams: Exams, desk, right: int, answered: int | None = None):
    """Answers the first `answered` questions, the first `right` of them right, ten seconds each, saved each time."""
    sitting = desk.sitting
    for index in range(len(sitting.replies) if answered is None else answered):
        pass_time(exams._study, seconds=10)
        sitting = sit_room.go(sitting, index, exams.now())
        variant = desk.variant(index)
        sitting = sit_room.answer(sitting, index, key_of(variant) if index < right else wrong_of(variant), exams.now())
        pass_time(exams._study, seconds=10)
        sitting = sit_room.tick(sitting, exams.now())
        exams.save(desk, sitting)
    return sitting


def test_a_mock_is_sat_saved_resumed_by_another_process_and_scored(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    desk = exams.start(EXAM)
    assert (len(desk.questions), desk.sitting.paper.minutes) == (50, 60)
    sit_through(exams, desk, right=12, answered=20)
    study.close()  # nothing is handed in

    other = open_study(tmp_path, FixedClock(study.clock.now()))  # type: ignore[arg-type]
    exams = Exams(other)
    pass_time(other, minutes=5)
    desk = exams.running()
    assert desk is not None
    assert [r.response is not None for r in desk.sitting.replies] == [True] * 20 + [False] * 30
    assert desk.sitting.away_s == pytest.approx(300)
    assert desk.sitting.timer.left_s == pytest.approx(3600 - 300 - 20 * 20)
    done = exams.submit(desk, desk.sitting)
    told = done.summary
    assert (told["right"], told["questions"], told["unanswered"]) == (12, 50, 30)
    assert told["low"] < 0.24 < told["high"]
    assert told["pass_mark"] == "undisclosed"
    assert sum(s["total"] for s in told["by_objective"].values()) == 50
    assert [i["correct"] for i in told["items"]] == [True] * 12 + [False] * 38
    assert exams.running() is None
    assert [(p.right, p.total) for p in exams.history()] == [(12, 50)]
    assert exams.result(desk.number).summary == told
    other.close()


def test_the_deadline_comes_while_the_program_is_closed_and_the_last_answers_day_counts(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    desk = exams.start(EXAM, count=10)
    assert desk.sitting.paper.minutes == 12
    sit_through(exams, desk, right=3, answered=5)
    pass_time(study, days=2)
    assert Exams(study).running() is None
    told = exams.result().summary
    assert told["timed_out"]
    assert (told["right"], told["unanswered"]) == (3, 5)
    assert told["submitted_at"] == "2026-11-29T10:01:40+00:00"
    assert check(study.database).ok


def test_home_says_that_an_exam_is_running(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    desk = exams.start(EXAM, count=10)
    assert study.home().headline.startswith("A mock exam is running")
    exams.submit(desk, desk.sitting)
    assert "running" not in study.home().headline


def test_only_one_exam_runs_and_a_second_window_cannot_overwrite_it(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    desk = exams.start(EXAM, count=10)
    with pytest.raises(ExamError, match="is running"):
        exams.start(EXAM)
    other = Exams(study)
    assert other.running() is not None
    exams.save(desk, sit_room.toggle_flag(desk.sitting, 3, exams.now()))
    with pytest.raises(Conflict, match="another window"):
        other.save(desk, desk.sitting)
    exams.submit(desk, desk.sitting)
    with pytest.raises(Conflict, match="handed in already"):
        exams.save(desk, desk.sitting)


def test_a_paper_is_frozen_whatever_happens_to_the_bank(tmp_path: Path) -> None:
    bank = Bank(**{**vars(own_bank()), "questions": dict(own_bank().questions)})
    study = open_study(tmp_path, bank=bank)
    exams = Exams(study)
    desk = exams.start(EXAM, count=10)
    shown = [desk.variant(i) for i in range(10)]
    sitting = sit_through(exams, desk, right=10)
    gone, changed = (item.question_id for item in sitting.paper.items[:2])
    del bank.questions[gone]
    other = next(q for q in bank.questions.values() if q.id not in desk.questions)
    bank.questions[changed] = other.model_copy(update={"id": changed})
    again = exams.running()
    assert again is not None
    assert [again.variant(i) for i in range(10)] == shown
    done = exams.submit(again, sitting)
    assert done.summary["right"] == done.summary["questions"] == 10
    assert done.changed_since == {gone, changed}
    with study.database.read() as session:
        logged = {name for (name,) in session.execute(text("SELECT question_id FROM review"))}
    assert logged == set(desk.questions) - {gone, changed}


def answered_right(study, question_id: str, days: tuple[int, ...]):
    """Studies one question right on each of `days` after START, through the learning steps of the day."""
    for day in days:
        study.clock.instant = START.replace(hour=9)
        pass_time(study, days=day)
        for _ in range(3):
            card = reopen(study.database, study.moment(), study.bank, question_id, None)
            if card.state == "review" and card.due_at > study.clock.now():
                break
            study.answer(card, key_of(card.variant), "sure")
            pass_time(study, minutes=15)


def states(study) -> dict:
    return {row.id: study.card_info(row.id) for row in study.browse()}


def test_an_exams_answers_reach_memory_by_the_rule(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    paper = exams.start(EXAM, count=25, seed=7).sitting.paper
    exams.submit(exams.running(), exams.running().sitting)  # learn what would come, then study some of it
    ids = [item.question_id for item in paper.items]
    resting, due = ids[:4], ids[4:8]
    for one in resting:
        answered_right(study, one, (0, 20))
    for one in due:
        answered_right(study, one, (0,))
    study.clock.instant = START.replace(hour=9)
    pass_time(study, days=21)
    before = states(study)
    assert all(before[one].due_at > study.clock.now() for one in resting)
    assert all(before[one].due_at <= study.clock.now() for one in due)
    new_before, reviews_before = study.counts().new_all + study.counts().buried, study.stats()["reviews"]

    # The same questions again: the last paper's are avoided only as long as there are others, so name them by hand.
    small = Bank(**{**vars(own_bank()), "questions": {one: own_bank().questions[one] for one in ids}})
    study.bank = small
    exams = Exams(study)
    desk = exams.start(EXAM, count=25, seed=7)
    sitting = desk.sitting
    wrong = {resting[0], resting[1], due[0], due[1]}
    blank = {resting[2], due[2]}
    for index, item in enumerate(sitting.paper.items):
        sitting = sit_room.go(sitting, index, exams.now())
        if item.question_id not in blank:
            variant = desk.variant(index)
            response = wrong_of(variant) if item.question_id in wrong else key_of(variant)
            sitting = sit_room.answer(sitting, index, response, exams.now())
        pass_time(study, seconds=20)
        sitting = sit_room.tick(sitting, exams.now())
    exams.submit(desk, sitting)
    study.bank = own_bank()
    after = states(study)

    for one in blank:
        assert after[one] == before[one]
    for one in resting:
        assert after[one].stability == before[one].stability
        assert after[one].lapses == before[one].lapses
    assert all(after[one].due_at <= study.clock.now() for one in resting[:2])
    assert after[resting[3]].due_at == before[resting[3]].due_at
    assert all(after[one].lapses == 1 for one in due[:2])
    assert after[due[3]].due_at > before[due[3]].due_at
    assert after[due[3]].reviews[0].origin == "exam"
    assert all(after[one].state == "new" for one in ids[8:])
    assert study.counts().new_all + study.counts().buried == new_before  # siblings of the reviewed rest for today
    assert study.stats()["reviews"] == reviews_before + 3
    report = check(study.database)
    assert report.ok, report.differences
    assert rebuild(study.database).ok
    assert states(study) == after


def test_two_mocks_of_fifty_share_no_question_and_the_weights_hold(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    papers = []
    for _ in range(2):
        desk = exams.start(EXAM)
        pass_time(study, minutes=1)
        papers.append({item.question_id for item in desk.sitting.paper.items})
        exams.submit(desk, desk.sitting)
    assert papers[0] & papers[1] == set()
    offer = exams.offers()[0]
    assert offer.unseen == offer.pool  # unanswered items are not seen
    assert offer.lengths == (10, 25, 50, 60)
    assert any("not published" in words for words in offer.says)


def test_an_exam_the_bank_cannot_fill_says_how_far_it_goes(tmp_path: Path) -> None:
    bank = own_bank()
    rare = [one for one, q in bank.questions.items() if "ncp-genl-acceleration" in q.objectives]
    few = {one: q for one, q in bank.questions.items() if one not in rare[4:]}
    exams = Exams(open_study(tmp_path, bank=Bank(**{**vars(bank), "questions": few})))
    offers = {offer.blueprint.id: offer for offer in exams.offers()}
    professional = offers["ncp-genl-serving"]
    assert professional.lengths[-1] < 40
    assert f"can fill {professional.lengths[-1]} questions" in " ".join(professional.says)
    with pytest.raises(ExamError, match=r"'ncp-genl-acceleration' needs .* ask for a shorter mock exam"):
        exams.start("ncp-genl-serving", count=40)
    assert exams.start("ncp-genl-serving").sitting.paper.minutes < 90
    assert offers["nca-genl"].lengths == ()
    with pytest.raises(ExamError, match="There is no exam 'x'"):
        exams.start("x")


def test_nothing_is_revealed_before_submit(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    desk = exams.start(EXAM, count=10)
    sitting = sit_through(exams, desk, right=5)
    with study.database.read() as session:
        record, summary = session.execute(text("SELECT record, summary FROM sitting")).one()
        assert session.execute(text("SELECT count(*) FROM review")).scalar() == 0
    assert summary is None
    assert "correct" not in json.dumps(json.loads(record)["replies"])
    exams.submit(desk, sitting)
    with study.database.read() as session:
        assert session.execute(text("SELECT count(*) FROM review WHERE origin = 'exam'")).scalar() == 10


def test_an_exam_whose_time_is_over_is_handed_in_when_home_is_shown_and_home_says_so(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    sit_through(exams, exams.start(EXAM, count=10), right=3, answered=5)
    assert study.home().headline.startswith("A mock exam is running")
    pass_time(study, days=2)
    study.close()

    study = open_study(tmp_path, FixedClock(study.clock.now()))
    headline = study.home().headline
    told = (
        "The time of your mock exam (NCA-GENL, inference serving) ran out and it was handed in as it was: 3 of 10 right"
    )
    assert headline.startswith(f"! {told}, 5 unanswered.")
    assert "running" not in headline
    assert headline.endswith("minutes.")  # and what is to be studied
    assert [past.right for past in Exams(study).history()] == [3]
    assert study.home().headline == headline  # until Mock exam is opened
    study.close()


def test_home_is_shown_although_the_exam_cannot_be_handed_in(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    Exams(study).start(EXAM, count=10)
    with study.database.writing() as connection:
        connection.execute("UPDATE sitting SET record = 'no record'")
    pass_time(study, days=2)
    assert study.home().headline.startswith("A mock exam is running")
    with pytest.raises(ExamError, match="cannot be read"):
        Exams(study).running()


def test_choice_questions_only_as_far_as_the_bank_can_fill(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    by_id = {offer.blueprint.id: offer for offer in exams.offers(choice_only=True)}
    all_kinds = {offer.blueprint.id: offer for offer in exams.offers()}
    assert by_id[EXAM].choice_only
    assert all_kinds[EXAM].mixed
    assert by_id[EXAM].pool < all_kinds[EXAM].pool
    assert "Kinds of question here: one right option, several right options. " in by_id[EXAM].says[0]
    desk = exams.start(EXAM, choice_only=True)
    assert len(desk.questions) == by_id[EXAM].usual
    assert {question.kind for question in desk.questions.values()} <= {"single", "multiple"}
    exams.submit(desk, desk.sitting)
    others = {one: q for one, q in own_bank().questions.items() if q.kind not in ("single", "multiple")}
    study.bank = Bank(**{**vars(own_bank()), "questions": others})
    exams = Exams(study)
    (offer,) = (offer for offer in exams.offers(choice_only=True) if offer.blueprint.id == EXAM)
    assert not offer.choice_only  # all kinds then, and it says so
    with pytest.raises(ExamError, match="with choice questions only"):
        exams.start(EXAM, choice_only=True)
    assert exams.start(EXAM, count=10).questions


def test_the_exam_to_begin_with(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    exams = Exams(study)
    assert exams.preferred() == EXAM
    desk = exams.start("ncp-genl-serving", count=10)
    exams.submit(desk, desk.sitting)
    assert exams.preferred() == "ncp-genl-serving"  # the one sat last
    desk = exams.start(EXAM, count=10)
    exams.submit(desk, desk.sitting)
    assert exams.preferred() == EXAM
    study.save_settings(exam="ncp-genl-serving")
    assert exams.preferred() == "ncp-genl-serving"  # chosen in Settings
