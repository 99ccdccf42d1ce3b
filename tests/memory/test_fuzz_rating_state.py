"""Fuzz stays within Anki's bounds and keeps order; ratings follow their table; states have an exact JSON form."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.memory.fuzz import fuzz_bounds, fuzz_factor, fuzz_passing, fuzzed
from quizapp.memory.mix import new_comes_first
from quizapp.memory.rating import Rating, rate
from quizapp.memory.state import BadState, CardState


def anki_delta(interval: float) -> float:
    """`fuzz_delta` of Anki's fuzz.rs, written out range by range."""
    if interval < 2.5:
        return 0.0
    delta = 1.0
    delta += 0.15 * (min(interval, 7.0) - 2.5)
    if interval > 7:
        delta += 0.1 * (min(interval, 20.0) - 7.0)
    if interval > 20:
        delta += 0.05 * (interval - 20.0)
    return delta


def test_a_hundred_thousand_samples_stay_within_bounds_and_grow() -> None:
    rng = random.Random(1)
    for _ in range(100_000):
        last = rng.choice([0, rng.randrange(1, 30), rng.randrange(1, 3000)])
        hard = max(1, round(last * rng.uniform(0.3, 2)))
        good = max(hard, round(hard * rng.uniform(1, 3)))
        easy = max(good, round(good * rng.uniform(1, 2)))
        plain = [hard, good, easy]
        result = fuzz_passing(plain, last, rng.random(), 36_500)
        previous = 0
        for before, after in zip(plain, result, strict=True):
            floor = max(last + 1 if before > last else 1, previous + 1)
            wanted = max(before, floor)
            delta = anki_delta(wanted)
            lowest, highest = max(floor, int(wanted - delta + 0.5)), int(wanted + delta + 0.5)
            if lowest == highest > 2:
                highest += 1  # Anki widens a range of one day
            assert lowest <= after <= highest
            if before > last:
                assert after > last  # ankitects/anki #2694, #4431
            assert after > previous
            previous = after


def test_every_day_of_the_range_is_equally_likely() -> None:
    """py-fsrs gives half the probability to both ends and oversteps by one."""
    lower, upper = fuzz_bounds(10, 1, 36_500)
    assert (lower, upper) == (8, 12)
    seen = Counter(fuzzed(10, fuzz_factor("q", n), 1, 36_500) for n in range(20_000))
    assert sorted(seen) == [8, 9, 10, 11, 12]
    assert max(seen.values()) / min(seen.values()) < 1.15


@pytest.mark.parametrize(
    ("interval", "bounds"),
    [(1, (1, 1)), (2, (2, 2)), (3, (2, 4)), (7, (5, 9)), (20, (17, 23)), (365, (345, 385)), (36_500, (34_673, 36_500))],
)
def test_bounds_as_in_anki(interval: int, bounds: tuple[int, int]) -> None:
    assert fuzz_bounds(interval, 1, 36_500) == bounds


def test_the_factor_depends_only_on_card_and_answers() -> None:
    random.seed(5)
    first = fuzz_factor("q", 3)
    random.seed(6)
    assert fuzz_factor("q", 3) == first
    assert fuzz_factor("q", 4) != first
    assert fuzz_factor("r", 3) != first
    assert 0 <= first < 1


def test_steps_of_minutes_are_left_out() -> None:
    assert fuzz_passing([None, None, 8], 0, 0.5, 36_500)[:2] == [None, None]


def test_the_longest_interval_is_a_ceiling() -> None:
    for factor in (0.0, 0.5, 0.999):
        found = fuzz_passing([36_500, 36_500, 36_500], 36_000, factor, 36_500)
        assert found == sorted(found)
        assert found[0] > 36_000
        assert found[-1] <= 36_500


@pytest.mark.parametrize(
    ("score", "correct", "blank", "confidence", "first", "rating"),
    [
        (1, True, False, "guess", True, "hard"),
        (1, True, False, "unsure", True, "good"),
        (1, True, False, None, True, "good"),
        (1, True, False, "sure", True, "easy"),
        (1, True, False, "guess", False, "hard"),
        (1, True, False, "unsure", False, "good"),
        (1, True, False, None, False, "good"),
        (1, True, False, "sure", False, "good"),
        (0.75, False, False, "guess", False, "again"),
        (0.75, False, False, "unsure", False, "hard"),
        (0.75, False, False, None, False, "hard"),
        (0.75, False, False, "sure", True, "hard"),
        (0.74, False, False, "sure", True, "again"),
        (0.5, False, False, None, False, "again"),
        (0, False, False, "guess", False, "again"),
        (0, False, False, "sure", False, "again"),
        (0, False, True, None, False, "again"),
        (0, False, True, "sure", True, "again"),
    ],
)
def test_rating_table(score, correct, blank, confidence, first, rating) -> None:
    found, reason = rate(score, correct, blank, confidence, first)
    assert found.word == rating
    assert reason


def test_a_better_answer_never_rates_lower() -> None:
    for confidence in ("guess", "unsure", None, "sure"):
        for first in (True, False):
            ratings = [rate(s, s == 1, False, confidence, first)[0] for s in (0, 0.25, 0.5, 0.75, 0.9, 1)]
            assert ratings == sorted(ratings)


def test_rating_words() -> None:
    assert [Rating.named(r.word) for r in Rating] == list(Rating)
    with pytest.raises(ValueError, match="not one of again, hard, good, easy"):
        Rating.named("perfect")


STATES = st.builds(
    CardState,
    state=st.just("review"),
    stability=st.floats(0.001, 1e5),
    difficulty=st.floats(1, 10),
    due_day=st.integers(0, 10**6),
    last_day=st.none() | st.integers(0, 10**6),
    last_at=st.none() | st.integers(0, 2**50),
    interval=st.integers(0, 36_500),
    reps=st.integers(0, 10**4),
    lapses=st.integers(0, 10**3),
    leech=st.booleans(),
    key=st.none() | st.text(max_size=16),
    review=st.none() | st.integers(1, 10**9),
)


@settings(max_examples=300, deadline=None)
@given(STATES)
def test_json_form_is_exact(state: CardState) -> None:
    assert CardState.from_json(state.to_json()) == state
    assert CardState.from_json(state.to_json()).to_json() == state.to_json()


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", '{"state":"lost"}', '{"state":"review"}', '{"unknown":1}',
        '{"state":"review","stability":5.0,"difficulty":5.0}',
        '{"state":"relearning","stability":5.0,"difficulty":5.0,"due_at":5}',
        '{"state":"review","stability":-1.0,"difficulty":5.0,"due_day":5}',
        '{"state":"review","stability":NaN,"difficulty":5.0,"due_day":5}',
        '{"state":"review","stability":5.0,"difficulty":11.0,"due_day":5}',
    ],
)  # fmt: skip
def test_a_state_that_cannot_be_is_refused(text: str) -> None:
    """py-fsrs fails with a bare AssertionError on a relearning card without a step."""
    with pytest.raises(BadState):
        CardState.from_json(text)


def test_new_cards_are_spread_evenly_among_reviews() -> None:
    order, new_left, due_left, new_done, due_done = "", 5, 20, 0, 0
    while new_left or due_left:
        if new_comes_first(new_done, new_left, due_done, due_left):
            order += "n"
            new_done, new_left = new_done + 1, new_left - 1
        else:
            order += "r"
            due_done, due_left = due_done + 1, due_left - 1
    assert order.count("n") == 5
    assert order[0] == "r"
    assert max(len(run) for run in order.split("n")) <= 5
    assert "nn" not in order
