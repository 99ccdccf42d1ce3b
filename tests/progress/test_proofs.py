"""What `docs/readiness.md` states, on simulated learners: small here, full size by `make prove`."""

from __future__ import annotations

import pytest

from benchmarks import exam_date, learners, readiness

TUNED_ON = 10_000
"""Seeds up to here were looked at while the model was made; the proofs use others."""


def test_most_intervals_hold_the_truth() -> None:
    found = readiness.coverage(60, TUNED_ON)
    assert found.held >= 0.78  # 0.9 of 60 within three standard errors
    assert found.width < 0.2
    assert abs(found.bias) < 0.03


def test_a_candidate_who_stops_answering_is_expected_to_forget() -> None:
    one = readiness.learner(TUNED_ON)
    day = readiness.study(one, 20, 10)
    now, later = readiness.ready(one, day), readiness.ready(one, day + 60)
    assert later.middle < now.middle
    assert one.score(day + 60) < one.score(day)


def test_aiming_at_the_date_pays_on_a_few_learners() -> None:
    found = exam_date.compare(12, TUNED_ON)
    assert found.difference > 0
    assert found.recall_error < 5


def test_both_plans_spend_no_more_than_their_minutes() -> None:
    spent = []
    real = exam_date.answer

    def counting(*given: object) -> int:
        seconds = real(*given)  # type: ignore[arg-type]
        spent.append(seconds)
        return seconds

    exam_date.answer = counting  # type: ignore[assignment]
    try:
        for aims in (False, True):
            spent.clear()
            exam_date.run(TUNED_ON, 10, 15, aims)
            overrun = exam_date.SECONDS * exam_date.AGAIN  # the last card of a day may be forgotten
            assert 10 * 15 * 60 * 0.8 < sum(spent) <= 10 * (15 * 60 + overrun)
    finally:
        exam_date.answer = real


@pytest.mark.prove
@pytest.mark.parametrize("ahead", [0, 14])
def test_ninety_per_cent_intervals_hold_the_truth_ninety_per_cent_of_the_time(ahead: int) -> None:
    found = readiness.coverage(1000, readiness.FRESH_SEEDS, ahead)
    print(found)
    assert 0.87 <= found.held <= 0.93


def test_the_simulated_bank_overlaps_as_the_real_one() -> None:
    """Where a question has several objectives, counting it for each would make of one answer several."""
    from quizapp.bank.load import load_bank

    exam = {f"nca-genl-{name}" for name in learners.WEIGHTS}
    real = [len(exam & set(question.objectives)) for question in load_bank().questions.values()]
    real = [count for count in real if count]
    simulated = sum(learners.SIZES.values()) / sum(learners.TOGETHER.values())
    assert simulated == pytest.approx(sum(real) / len(real), rel=0.1)
    assert sum(learners.WORTH[names] * count for names, count in learners.TOGETHER.items()) == pytest.approx(1)


@pytest.mark.parametrize("answers", readiness.FEW)
def test_a_few_answers_make_a_wide_interval_that_holds_the_truth(answers: int) -> None:
    found = readiness.coverage(60, TUNED_ON, 0, answers)
    assert found.held >= 0.78
    assert found.width > 0.22


@pytest.mark.prove
@pytest.mark.parametrize("answers", readiness.FEW)
def test_intervals_of_beginners_hold_the_truth_as_often(answers: int) -> None:
    found = readiness.coverage(1000, readiness.FRESH_SEEDS, 0, answers)
    print(found)
    assert 0.87 <= found.held <= 0.93


def test_a_target_is_reached_about_as_often_as_told() -> None:
    for one in readiness.reaching(60, TUNED_ON):
        assert abs(one.told - one.came) < 0.1
        assert 0.1 < one.came < 0.99


@pytest.mark.prove
@pytest.mark.parametrize("answers", [None, readiness.TARGET_ANSWERS])
def test_a_target_is_reached_as_often_as_told_within_three_points(answers: int | None) -> None:
    """By those who have just enough answers to be told, too."""
    found = readiness.reaching(1000, answers=answers)
    print(*found, sep="\n")
    for one in found:
        assert abs(one.told - one.came) <= 0.03


@pytest.mark.prove
def test_aiming_at_the_date_reaches_at_least_plain_fsrs_over_200_learners() -> None:
    found = exam_date.compare(200)
    print(found)
    assert found.low >= 0
    assert found.recall_error <= 3
