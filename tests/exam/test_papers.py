"""Papers assembled from the bank as it ships: weights, near-duplicates, and how much two of them share."""

from __future__ import annotations

from functools import cache

import pytest

from exam.helpers import EXAM, own_bank
from quizapp.bank.texts import near_duplicates
from quizapp.exam.assemble import CHOICE, Familiarity, Paper, Pool, assemble, pool_of
from quizapp.exam.blueprint import Blueprint, blueprints

EXAMS = (EXAM, "ncp-genl-serving")


@cache
def blueprint(exam: str = EXAM) -> Blueprint:
    return blueprints(own_bank().exams)[exam]


@cache
def twins() -> frozenset[frozenset[str]]:
    """Pairs found by the detector of the bank's lint; at lint's own threshold (0.4) the bank has none."""
    questions = list(own_bank().questions.values())
    return frozenset(frozenset({one, other}) for one, other, _ in near_duplicates(questions, 0.15))


@cache
def choice_pool(exam: str) -> Pool:
    return pool_of(blueprint(exam), own_bank()).of_kinds(CHOICE, own_bank())


def paper(seed: int, count: int = 50, known: dict[str, Familiarity] | None = None, exam: str = EXAM) -> Paper:
    return assemble(blueprint(exam), own_bank(), seed, count, known, twins())


def judge(found: Paper) -> None:
    ids = [item.question_id for item in found.items]
    assert len(set(ids)) == len(ids)
    weights = blueprint(found.blueprint).weights()
    for objective, weight in weights.items():
        have = sum(item.objective == objective for item in found.items)
        assert abs(have - weight * len(ids)) <= 1
        assert all(
            objective in own_bank().questions[i.question_id].objectives for i in found.items if i.objective == objective
        )
    families = [own_bank().questions[one].family for one in ids]
    named = [one for one in families if one]
    assert len(set(named)) == len(named)
    there = set(ids)
    assert not any(pair <= there for pair in twins())


@pytest.mark.parametrize("exam", EXAMS)
@pytest.mark.parametrize("first", range(0, 50, 10))
def test_papers_keep_the_weights_and_hold_no_near_duplicates(first: int, exam: str) -> None:
    assert twins()
    for seed in range(first, first + 10):
        judge(paper(seed, exam=exam))


def choice_paper(seed: int, count: int, exam: str) -> Paper:
    found = assemble(blueprint(exam), own_bank(), seed, count, None, twins(), pool=choice_pool(exam))
    assert {own_bank().questions[item.question_id].kind for item in found.items} <= CHOICE
    judge(found)
    return found


@pytest.mark.parametrize("exam", EXAMS)
def test_papers_of_choice_questions_keep_the_weights_and_hold_no_near_duplicates(exam: str) -> None:
    for seed, count in enumerate((10, 25, blueprint(exam).questions.min, blueprint(exam).questions.max)):
        assert len(choice_paper(seed, count, exam).items) == count


@pytest.mark.prove
@pytest.mark.parametrize("exam", EXAMS)
def test_two_hundred_papers_of_choice_questions(exam: str) -> None:
    for seed in range(200):
        choice_paper(seed, (blueprint(exam).questions.max, blueprint(exam).questions.min, 25, 10)[seed % 4], exam)


@pytest.mark.prove
@pytest.mark.parametrize(("exam", "longest"), [(EXAM, 60), (EXAMS[1], 50)])
def test_a_thousand_papers(exam: str, longest: int) -> None:
    lengths = (50, longest, 25, 10)
    for seed in range(1000):
        judge(paper(seed, lengths[seed % 4] if seed >= 500 else 50, exam=exam))


@pytest.mark.parametrize("exam", EXAMS)
def test_three_mocks_of_fifty_in_a_row_share_no_question(exam: str) -> None:
    seen: dict[str, int] = {}
    shared = []
    last: set[str] = set()
    for number in range(3):
        known = {one: Familiarity(seen=n > 0, in_last_paper=one in last) for one, n in seen.items()}
        now = {item.question_id for item in paper(number, known=known, exam=exam).items}
        shared.append(len(now & set(seen)))
        last = now
        for one in now:
            seen[one] = seen.get(one, 0) + 1
    assert shared == [0, 0, 0]


@pytest.mark.parametrize("exam", EXAMS)
def test_objectives_have_enough_for_two_mocks(exam: str) -> None:
    bank, weights = own_bank(), blueprint(exam).weights()
    for objective, weight in weights.items():
        families = {q.family or q.id for q in bank.questions.values() if q.exams and objective in q.objectives}
        assert len(families) >= 2 * round(weight * 50), objective


def test_a_fresh_variant_each_time() -> None:
    first, second = paper(1), paper(2)
    seeds = {item.question_id: item.seed for item in first.items}
    both = [item for item in second.items if item.question_id in seeds]
    assert both
    assert all(item.seed != seeds[item.question_id] for item in both)
