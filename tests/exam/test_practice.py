"""Practice as use cases: what is chosen, in which order, and what an answer does to the card."""

from __future__ import annotations

from pathlib import Path

import pytest
from study import helpers

from exam.helpers import START, key_of, open_study, pass_time, wrong_of
from quizapp.store.cards import card_of
from quizapp.store.database import Database
from quizapp.study import practice
from quizapp.study.practice import Choice
from quizapp.study.progress import Progress
from quizapp.study.queue import reopen
from quizapp.study.replay import check
from quizapp.study.rows import state_of
from quizapp.study.study import Study


def ask(study, question_id: str, right: bool, confidence: str | None = None):
    card = practice.card(study, question_id)
    return practice.answer(study, card, key_of(card.variant) if right else wrong_of(card.variant), confidence, 5000)


def mature(study, question_id: str) -> None:
    """Right on the first day, right again when it came."""
    for day in (0, 10):
        study.clock.instant = START.replace(hour=9)
        pass_time(study, days=day)
        for _ in range(3):
            card = reopen(study.database, study.moment(), study.bank, question_id, None)
            study.answer(card, key_of(card.variant), "unsure")
            pass_time(study, minutes=15)
            if study.card_info(question_id).state == "review":
                break


def test_what_is_not_due_keeps_its_interval_and_a_miss_comes_back_today(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    one, other = list(study.bank.questions)[:2]
    mature(study, one)
    mature(study, other)
    before = {name: study.card_info(name) for name in (one, other)}
    assert all(info.due_at > study.clock.now() for info in before.values())
    right, wrong = ask(study, one, True), ask(study, other, False)
    assert right.outcome is None
    assert "stays as it is" in right.words
    assert "comes today" in wrong.words
    assert study.card_info(one).due_at == before[one].due_at
    after = study.card_info(other)
    assert after.due_at <= study.clock.now()
    assert (after.stability, after.lapses, after.interval_days) == (
        before[other].stability, 0, before[other].interval_days,
    )  # fmt: skip
    assert after.reviews[0].origin == "practice"
    assert check(study.database).ok
    undone = study.undo()
    assert undone is not None
    assert undone.question_id == other
    assert study.card_info(other).due_at == before[other].due_at
    assert check(study.database).ok


def test_a_due_card_and_a_new_card_are_reviewed_as_in_study(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    one, new = list(study.bank.questions)[:2]
    mature(study, one)
    pass_time(study, days=400)
    info = study.card_info(one)
    done = ask(study, one, True, "sure")
    assert done.outcome is not None
    assert study.card_info(one).interval_days > info.interval_days
    assert ask(study, new, False).outcome.rating == "again"
    assert study.stats()["reviews_today"] == 2
    assert check(study.database).ok


def test_choices_follow_the_last_answers(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    sure, shy, guessed, good = list(study.bank.questions)[:4]
    ask(study, shy, False, "unsure")
    ask(study, sure, False, "sure")
    ask(study, guessed, True, "guess")
    ask(study, good, True, "sure")

    def ids(kind: str, value: str = "") -> list[str]:
        return practice.question_ids(study, Choice(kind, value))

    assert set(ids("missed")) == {sure, shy}
    assert ids("surest") == [sure, shy]
    assert set(ids("unsure")) == {shy, guessed}
    assert not {sure, shy, guessed, good} & set(ids("unseen"))
    assert ids("ids", f"{good},gone,{shy}") == [good, shy]
    assert len(ids("pace")) == practice.PACE_ITEMS
    counts = {way.kind: count for way, count in practice.ways(study)}
    assert (counts["missed"], counts["unsure"], counts["unseen"]) == (2, 2, len(study.bank.questions) - 4)
    study.suspend(shy, True)
    assert ids("missed") == [sure]
    pass_time(study, hours=1)
    ask(study, sure, True, "sure")
    assert ids("missed") == []


def test_cram_has_the_seen_cards_only_the_weakest_memory_first(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    strong, weak = list(study.bank.questions)[:2]
    mature(study, strong)
    study.clock.instant = START
    card = practice.card(study, weak)
    study.answer(card, wrong_of(card.variant), "sure")
    pass_time(study, days=11)
    assert practice.question_ids(study, Choice("cram")) == [weak, strong]
    assert {way.kind: count for way, count in practice.ways(study)}["cram"] == 2


def test_a_mix_up_comes_with_the_belief_behind_it(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    for one in practice.values(study, "pair"):
        assert one.words == study.bank.misconceptions[one.value].belief


@pytest.mark.parametrize("kind", ["topic", "objective", "style", "pair"])
def test_each_value_has_the_questions_it_says(tmp_path: Path, kind: str) -> None:
    study = open_study(tmp_path)
    values = practice.values(study, kind)
    assert values
    for one in values:
        ids = practice.question_ids(study, Choice(kind, one.value))
        assert len(ids) == one.count > 0
        assert len(set(ids)) == len(ids)


def test_explaining_writes_nothing(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    ids = practice.question_ids(study, Choice("explain", "schemes"))
    assert ids
    assert {study.bank.topic[one] for one in ids} == {"schemes"}
    practice.card(study, ids[0])
    assert study.stats()["reviews"] == 0


def test_counts_and_orders_are_those_of_the_cards_one_by_one(tmp_path: Path) -> None:
    """The store counts and ranks by itself; here each card is asked for what the rules look at."""
    study = open_study(tmp_path)
    asked = list(study.bank.questions)[:24]
    for n, one in enumerate(asked):
        ask(study, one, n % 3 > 0, ("sure", "unsure", "guess", None)[n % 4])
        pass_time(study, hours=20)
    study.suspend(asked[1], True)
    pass_time(study, days=3)
    infos = [study.card_info(one) for one in study.bank.questions if one != asked[1]]
    missed = {info.id for info in infos if info.reviews and info.reviews[0].score < 1}
    unsure = {info.id for info in infos if info.reviews and info.reviews[0].confidence in ("unsure", "guess")}
    sure = {info.id for info in infos if info.reviews and info.reviews[0].confidence == "sure"}
    unseen = {info.id for info in infos if not info.reviews}
    due = {info.id for info in infos if info.due_at is not None and info.due_at <= study.clock.now()}
    counts = {way.kind: count for way, count in practice.ways(study)}
    assert counts["topic"] == len(infos)
    assert counts["cram"] == sum(info.state != "new" for info in infos)
    expected = {"missed": missed, "surest": missed, "unsure": unsure, "unseen": unseen}
    for kind, ids in expected.items():
        found = practice.question_ids(study, Choice(kind))
        assert (set(found), len(found)) == (ids, counts[kind])
    rank = [
        0 if one in missed else 1 if one in due else 2 if one in unseen else 3
        for one in practice.question_ids(study, Choice("topic"))
    ]
    assert rank == sorted(rank)
    assert set(rank) == {0, 1, 2, 3}
    surest = [one not in sure for one in practice.question_ids(study, Choice("surest"))]
    assert surest == sorted(surest)
    assert len(set(surest)) == 2
    scheduler, tomorrow = study.moment().scheduler, study.moment().today + 1
    with study.database.reading() as connection:
        states = {info.id: state_of(card_of(connection, info.id)) for info in infos}
    recalls = [scheduler.retrievability(states[one], tomorrow) for one in practice.question_ids(study, Choice("cram"))]
    known = [one for one in recalls if one is not None]
    assert recalls == sorted(known) + [None] * (len(recalls) - len(known))
    assert len(known) == 23


def test_a_store_that_cannot_be_brought_in_line_offers_the_questions_of_this_bank_only(tmp_path: Path) -> None:
    with helpers.open_study(tmp_path, helpers.small_bank(3)) as writable:
        location, clock = writable.location, writable.clock
    database = Database(location.file, read_only=True)
    with Study(database, helpers.small_bank(1), clock, location) as study:
        for way in ("topic", "style", "pair", "unseen", "pace"):
            value = practice.values(study, way)[0].value if way in ("topic", "style", "pair") else ""
            assert practice.question_ids(study, Choice(way, value)) == ["q000"], way
        assert {way.kind: n for way, n in practice.ways(study)}["unseen"] == 1


def test_a_step_to_learn_has_what_is_new_and_a_step_to_review_what_was_studied(tmp_path: Path) -> None:
    bank = helpers.bank_of(
        [helpers.single(f"q{n:03}", objectives=["a", "b"] if n % 2 else ["b"], difficulty=3 - n % 3) for n in range(8)]
    )
    with helpers.open_study(tmp_path, bank) as study:
        study.answer(practice.card(study, "q003"), "wrong", "sure", 1_000)
        helpers.ahead(study, days=5)
        study.answer(practice.card(study, "q001"), "right", "sure", 1_000)
        helpers.ahead(study, days=5)
        with study.database.reading() as connection:
            order = [one for (one,) in connection.execute("SELECT question_id FROM card ORDER BY position")]
        expected = [one for one in order if one in ("q005", "q007")]
        assert practice.question_ids(study, Choice("new", "a")) == expected
        assert practice.question_ids(study, Choice("faded", "a")) == ["q003", "q001"]  # the weakest memory first
        steps = {step["objective"]: step for step in Progress(study).all()["readiness"]["raise"]}
        assert steps["b"]["questions"] == len(practice.question_ids(study, Choice("new", "b"))) == 6


def test_objectives_of_the_exam_come_first_with_what_is_known_of_them(tmp_path: Path) -> None:
    study = open_study(tmp_path)
    study.save_settings(exam="ncp-genl-serving")
    offered = practice.values(study, "objective")
    mine = set(Progress(study).weights())
    assert mine
    assert {one.value for one in offered[: len(mine)]} == mine
    assert {one.known for one in offered} == {"never seen"}
    wanted = offered[0].value
    names = practice.question_ids(study, Choice("objective", wanted))[:3]
    ask(study, names[0], True)
    ask(study, names[1], True)
    ask(study, names[2], False)
    assert next(one for one in practice.values(study, "objective") if one.value == wanted).known == "2 of 3 right"
    ask(study, names[1], False)
    again = next(one for one in practice.values(study, "objective") if one.value == wanted)
    assert (again.known, again.count) == ("1 of 3 right", offered[0].count)
