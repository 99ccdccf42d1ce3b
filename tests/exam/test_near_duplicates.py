"""The detector of near-duplicates compares few pairs and finds the same ones as comparing all."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from study.helpers import single

from exam.helpers import own_bank
from quizapp.bank.schema import Question
from quizapp.bank.texts import NearDuplicates, near_duplicates, word_pairs

SENTENCES = st.lists(st.sampled_from(["cache", "batch", "token", "page", "7"]), max_size=7).map(" ".join)
THRESHOLDS = st.sampled_from([0.05, 0.15, 0.25, 1 / 3, 0.4, 0.5, 0.6, 0.9, 1.0])


def compared(questions: list[Question], threshold: float) -> list[tuple[str, str, float]]:
    """Every question with every other."""
    prints = [(one.id, word_pairs(one)) for one in questions]
    shares = [(one, other, len(a & b) / max(1, len(a | b))) for (one, a), (other, b) in combinations(prints, 2)]
    return [found for found in shares if found[2] >= threshold]


@settings(max_examples=300, deadline=None)
@given(st.lists(SENTENCES, max_size=14), THRESHOLDS)
def test_the_same_pairs_as_comparing_every_question_with_every_other(asks: list[str], threshold: float) -> None:
    questions = [single(f"q{n}").model_copy(update={"ask": ask}) for n, ask in enumerate(asks)]
    expected = compared(questions, threshold)
    assert near_duplicates(questions, threshold) == expected
    asked = NearDuplicates({one.id: one for one in questions}, threshold)
    pairs = {(one.id, other.id) for one, other in combinations(questions, 2) if frozenset({one.id, other.id}) in asked}
    assert pairs == {(one, other) for one, other, _ in expected}


def test_the_same_pairs_in_the_bank_that_ships() -> None:
    questions = list(own_bank().questions.values())
    expected = compared(questions, 0.15)
    assert near_duplicates(questions, 0.15) == expected
    assert len(expected) > 5
