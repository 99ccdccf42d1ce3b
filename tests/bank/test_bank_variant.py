"""A variant is a question and a seed: the same pair always shows the same thing, on every machine and version."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal

import pytest
from pydantic import TypeAdapter

from quizapp.bank.number import parse_quantity
from quizapp.bank.schema import Question
from quizapp.bank.variant import FormulaError, evaluate, fill, make_variant, printed, shuffled

from .samples import COMMON, single


def numeric(**fields: object) -> Question:
    body = {
        **COMMON,
        "kind": "numeric",
        "ask": "{n} of {k} with {n}?",
        "why": "{n}: {answer}",
        "params": {"n": {"min": 1, "max": 50}, "k": {"values": [0.5, 2048]}},
        "answer": {"function": "ratio", "args": {"a": "$n", "b": "$k"}, "scale": 100},
        "unit": "%",
        "decimals": 1,
    }
    return TypeAdapter(Question).validate_python({**body, **fields})


def test_known_variants_stay_as_they_are() -> None:
    """A stored (question, seed) must show the same after an upgrade: these were written down on 2026-11-29."""
    assert shuffled(list("abcdefgh"), random.Random("q:7")) == list("cfgabhde")
    assert make_variant(numeric(), 7).params == {"n": 28, "k": 2048}
    assert [c.id for c in make_variant(single(), 7).choices] == list("acbz")


def test_placeholders_are_filled_and_other_braces_stay() -> None:
    variant = make_variant(numeric(), 3)
    assert "{" not in variant.ask + variant.why
    assert variant.ask.count(str(variant.params["n"])) >= 2
    assert fill("{a} {b} {{a}} {0} ${a}", {"a": "1"}) == "1 {b} {1} {0} $1"


def test_thousands_are_separated_except_in_code() -> None:
    item = numeric(
        ask="`delay: {n}` of {n}\n\n```\nsize: {n}\n```\nand {k}",
        why="{n} / {k} = {answer}",
        params={"n": {"values": [1234567]}, "k": {"values": [0.5, -2048.25]}},
    )
    variants = {make_variant(item, seed).params["k"]: make_variant(item, seed) for seed in range(20)}
    assert variants[0.5].ask == "`delay: 1234567` of 1,234,567\n\n```\nsize: 1234567\n```\nand 0.5"
    assert variants[0.5].why == "1,234,567 / 0.5 = 246,913,400.0"
    assert variants[-2048.25].ask.endswith("and -2,048.25")


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        ("999", 0, "999"),
        ("1000", 0, "1,000"),
        ("-12345.678", 1, "-12,345.7"),
        ("81920", 2, "81,920.0"),
        ("0.5", 2, "0.5"),
        ("999.96", 1, "1,000.0"),
        ("-999", 0, "-999"),
    ],
)
def test_what_is_printed_is_read_back(value: str, decimals: int, shown: str) -> None:
    assert printed(Decimal(value), decimals) == shown
    assert parse_quantity(shown, whole=decimals == 0).value == round(Decimal(value), decimals)


def test_numbers_vary_over_their_whole_range() -> None:
    drawn = Counter(make_variant(numeric(), seed).params["n"] for seed in range(2000))
    assert set(drawn) == set(range(1, 51))
    assert max(drawn.values()) < 90


def test_positions_of_the_key_are_even() -> None:
    places = Counter([c.id for c in make_variant(single(), seed).choices].index("a") for seed in range(3000))
    assert set(places) == {0, 1, 2}
    assert all(abs(count - 1000) < 120 for count in places.values())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"function": "ratio", "args": {"a": 1, "b": 0}}, "cannot be computed"),
        ({"function": "nothing"}, "no function 'nothing'"),
        ({"function": "fcfs_steps", "args": {"lengths": [3], "slots": 10**9}}, "at most"),
        ({"function": "ratio", "args": {"a": 1e308, "b": 1e-308}}, "cannot be computed"),
        ({"function": "product", "args": {"values": [10**15, 10**15]}}, "too large"),
        ({"value": 1e30}, "too large"),
        ({"value": 2, "scale": 1e300}, "too large"),
    ],
)
def test_what_cannot_be_computed_says_so(answer: dict[str, object], words: str) -> None:
    with pytest.raises(FormulaError, match=words):
        evaluate(numeric(params={}, ask="x", why="y", answer=answer).answer, {})  # type: ignore[union-attr]


def test_scale_is_exact() -> None:
    item = numeric(params={}, ask="x", why="y", answer={"value": 0.7, "scale": 100})
    assert str(make_variant(item, 0).answer) == "70.0"
