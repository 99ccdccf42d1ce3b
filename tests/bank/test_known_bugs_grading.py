"""Bugs that others shipped in grading and keys (docs/known-bugs.md, rows 41 and 44 to 51)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.bank.errors import Unclear
from quizapp.bank.grade import grade
from quizapp.bank.load import load_bank
from quizapp.bank.response import LETTERS, read_plain
from quizapp.bank.schema import Multiple, Question, Single
from quizapp.bank.variant import make_variant, plain_number

from .samples import ALL, COMMON_YAML, GOOD, match, multiple, order, question, short, single


def test_a_stored_answer_is_judged_alike_in_every_order_it_can_be_shown() -> None:
    """studentquiz#79: options were shuffled again on Check and the place was judged. Ours are ids."""
    for seed in range(40):
        assert grade(make_variant(single(), seed), "a").correct
        assert grade(make_variant(multiple(), seed), ["k1", "k0"]).correct
        assert grade(make_variant(order(), seed), ["i0", "i1", "i2", "i3"]).correct
        assert grade(make_variant(match(), seed), {"p2": "p2", "p0": "p0", "p1": "p1"}).correct
    shown = [make_variant(single(), seed) for seed in (1, 1)]
    assert shown[0].choices == shown[1].choices  # the same attempt is shown in the same order


def test_ticking_everything_is_refused_as_a_key_and_earns_nothing_where_half_is_wrong() -> None:
    """studentquiz#20: full marks for ticking all."""
    with pytest.raises(ValueError, match="ticking all would be right"):
        multiple(4, 0)
    for keys, wrong in ((2, 2), (2, 3), (3, 3), (2, 6)):
        item = multiple(keys, wrong)
        assert isinstance(item, Multiple)
        assert grade(make_variant(item, 1), [o.id for o in item.options]).score == 0


def test_each_variant_has_its_own_tolerance_and_each_trap_too() -> None:
    """frontend-app-authoring#2138: the tolerance held for the first answer only."""
    item = question(
        "numeric",
        ask="Half of {n}?",
        params={"n": {"values": [10, 200, 4000]}},
        answer={"function": "ratio", "args": {"a": "$n", "b": 2}},
        traps=[{"function": "ratio", "args": {"a": "$n", "b": 1}, "why": "whole", "misconception": "m"}],
        tolerance_rel=0.02,
        why="{answer}",
    )
    seen = set()
    for seed in range(30):
        variant = make_variant(item, seed)
        answer = variant.answer
        assert answer is not None
        seen.add(answer)
        for factor, right in (("1.02", True), ("0.98", True), ("1.0201", False), ("0.9799", False)):
            assert grade(variant, plain_number(answer * Decimal(factor))).correct is right
        assert grade(variant, plain_number(answer * 2 * Decimal("1.02"))).misconceptions == ("m",)
        assert grade(variant, plain_number(answer * 2 * Decimal("1.03"))).misconceptions == ()
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("unit", "typed", "said"),
    [
        ("tokens", "16k", "read as 16000 tokens"),
        ("tokens", "1.6e4", ""),
        ("ms", "16 s", "read as 16000 ms"),
        ("GB", "16 TB", "read as 16000 GB"),
    ],
)
def test_how_a_number_was_read_is_said_with_the_verdict(unit: str, typed: str, said: str) -> None:
    """Khan/perseus#2574, sakai#344: nobody saw what the program had made of the number."""
    for value in (16_000, 5):
        item = question("numeric", answer={"value": value}, unit=unit, why="w")
        message = grade(make_variant(item, 1), typed).message
        assert said in message
        assert ("read as" in message) == bool(said), message


@pytest.mark.parametrize("typed", [".", "-", "- -", "\"'", "_", "‐"])
def test_marks_alone_are_no_answer_whatever_a_bank_accepts(typed: str) -> None:
    """Eltaurus-Lt#23: what is left when joints and quotes are taken off was nothing, and nothing was accepted."""
    item = question("short", accept=["...", "in-flight batching"], why="w")
    assert not grade(make_variant(item, 1), typed).correct


def test_an_accepted_text_of_marks_alone_is_a_mistake_of_the_bank(bank_of: Callable[..., Path]) -> None:
    """It could be answered by nobody; as code, compared as written, it is fine."""
    text = f'- id: ID\n  kind: short\n  ask: Which mark?\n{COMMON_YAML}  accept: ["--"]\n  why: w\n'
    exact = text.replace("ID", "code") + "  exact: true\n"
    bank = load_bank([bank_of(bad=text.replace("ID", "bad"), code=exact)])
    (error,) = bank.errors
    assert (error.id, error.field) == ("bad", "accept.0")
    assert "exact: true" in error.message
    assert grade(make_variant(bank.questions["code"], 1), " -- ").correct


def test_a_text_is_matched_by_what_it_says_and_shown_as_it_was_written() -> None:
    """Anki-Android#4695, ankitects/anki#3422, Artemis#2082: marks ignored, ligatures mis-shown, a space was wrong."""
    item = question("short", accept=["\ufb01le caf\u00e9"], why="w")
    variant = make_variant(item, 1)
    for typed in ("file café", "FILE CAFE\u0301", " \ufb01le café \t"):
        assert grade(variant, typed).correct
    wrong = grade(variant, "file cafe")
    assert not wrong.correct
    assert "\ufb01le caf\u00e9" in wrong.message
    assert wrong.parts[0].text == "\ufb01le caf\u00e9"


@pytest.mark.parametrize("typed", ["max_num_seqs", "--max-num-seq", "--maxnumseqs", "--max-num-seqs=8"])
def test_nearly_right_is_wrong_for_code(typed: str) -> None:
    """Artemis#2570: fuzzy matching of code."""
    assert not grade(make_variant(question("short", accept=["--max-num-seqs"], exact=True, why="w"), 1), typed).correct
    assert not grade(make_variant(short(), 1), "in-flight batchin").correct


def test_wherever_keys_are_stored_they_are_shown_everywhere() -> None:
    """ai-engineering-from-scratch#381, mattpocock/skills#316: every key at B. Here all are stored first, even so."""
    first = single()
    assert isinstance(first, Single)
    assert first.options[0].correct
    shown = dict.fromkeys("ABC", 0)
    for number in range(2_000):
        variant = make_variant(first.model_copy(update={"id": f"q{number}"}), 0)
        shown[LETTERS[[c.id for c in variant.choices].index("a")]] += 1
        assert read_plain(variant, "A") == variant.choices[0].id
    assert max(shown.values()) - min(shown.values()) < 150


def test_two_questions_of_the_same_words_are_two_and_one_id_is_one(bank_of: Callable[..., Path]) -> None:
    """genanki#61: identity from the fields, so that equal notes collided. Ours is the author's id."""
    twin = GOOD.replace("id: good", "id: twin")
    bank = load_bank([bank_of(one=GOOD, two=twin, again=GOOD)])
    assert set(bank.questions) == {"good", "twin"}
    (error,) = bank.errors
    assert "already used" in error.message


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["a", "k0", "i0", "p0", "x", "10", ""]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(st.sampled_from(["p0", "p1", "x", "a"]) | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(ALL), ODD)
def test_a_stored_answer_of_another_shape_is_refused_and_never_crashes_the_score(item: Question, response: Any) -> None:
    """Artemis#1770's kind: one answer that cannot be read must not take the others with it."""
    try:
        found = grade(make_variant(item, 1), response)
    except (Unclear, ValueError):
        return
    assert found.blank or isinstance(response, str | list | tuple | dict)
    assert 0 <= found.score <= 1
