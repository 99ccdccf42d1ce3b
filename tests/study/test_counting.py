"""What one review adds to its study day."""

import pytest

from quizapp.memory.state import CardState
from quizapp.study.counting import counts_of

IN_REVIEW = CardState(state="review", stability=5.0, difficulty=5.0, due_day=105, last_day=100, last_at=1, interval=5)


@pytest.mark.parametrize(
    ("day", "rating", "tested", "retained"),
    [(105, 3, 1, 1), (101, 2, 1, 1), (105, 1, 1, 0), (100, 3, 0, 0), (100, 1, 0, 0), (99, 3, 0, 0)],
)
def test_retention_counts_answers_of_a_later_study_day_only(day: int, rating: int, tested: int, retained: int) -> None:
    counts = counts_of(IN_REVIEW, day, rating, rating > 1, 10)
    assert (counts["tested"], counts["retained"], counts["due"], counts["reviews"]) == (tested, retained, 1, 1)


def test_a_decision_is_no_answer() -> None:
    assert not any(counts_of(IN_REVIEW, 105, None, False, 99).values())


def test_new_cards_count_as_new() -> None:
    counts = counts_of(CardState(), 105, 3, True, 10)
    assert (counts["new"], counts["due"], counts["tested"]) == (1, 0, 0)
