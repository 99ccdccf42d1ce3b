"""Numbers with units: decimal, inclusive, and asked about where two readings are possible."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.bank.errors import Unclear
from quizapp.bank.number import parse_quantity
from quizapp.bank.units import parse_unit, with_unit


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("8.4 GB", "GB", "8.4"),
        ("8.4", "GB", "8.4"),
        ("8.4gb", "GB", "8.4"),
        ("８．４ ＧＢ", "GB", "8.4"),
        ("8192 MiB", "GiB", "8"),
        ("8 GiB", "GB", "8.589934592"),
        ("8 GB", "GiB", "7.450580596923828125"),
        ("8 Gbit", "GB", "1"),
        ("1500 us", "ms", "1.5"),
        ("1500 µs", "ms", "1.5"),
        ("0.25 s", "ms", "250"),
        ("2 min", "s", "120"),
        ("74.5 %", "%", "74.5"),
        ("0.745x", "%", "74.5"),
        ("74.5 percent", "%", "74.5"),
        ("50 %", "", "0.5"),
        ("3x", "x", "3"),
        ("3 times", "x", "3"),
        ("16k", "tokens", "16000"),
        ("16k tokens", "tokens", "16000"),
        ("70B", "parameters", "70000000000"),
        ("1.2 M", "requests", "1200000"),
        ("5 requests", "", "5"),
        ("1 step", "steps", "1"),
        ("8 slot steps", "slot-steps", "8"),
        ("4000 tok/ms", "tokens/s", "4000000"),
        ("128 KiB per token", "KiB/token", "128"),
        ("989 TFLOPS", "TFLOP/s", "989"),
        ("2 FLOP/B", "FLOP/byte", "2"),
        ("1,234,567", "", "1234567"),
        ("1.234.567,8", "", "1234567.8"),
        ("1,234.5", "", "1234.5"),
        ("0,145", "", "0.145"),
        ("1,5", "", "1.5"),
        ("1 234 567", "", "1234567"),
        ("1_000", "", "1000"),
        ("1'000", "", "1000"),
        ("-5", "", "-5"),
        ("−5", "", "-5"),
        ("+5", "", "5"),
        (".5", "", "0.5"),
        ("8.", "", "8"),
        ("1e3", "", "1000"),
        ("5 x 10^3", "", "5000"),
        ("= 7", "", "7"),
        ("~7", "", "7"),
        ("1/4", "", "0.25"),
    ],
)
def test_read(text: str, unit: str, value: str) -> None:
    assert parse_quantity(text, unit).value == Decimal(value)


@pytest.mark.parametrize(("text", "value"), [("3,145", "3145"), ("16,000 tokens", "16000"), ("1,5", "1.5")])
def test_a_comma_separates_thousands_where_a_whole_number_is_asked_for(text: str, value: str) -> None:
    assert parse_quantity(text, "tokens", whole=True).value == Decimal(value)


@pytest.mark.parametrize(
    ("text", "unit", "words"),
    [
        ("3,145", "", "Did you mean 3145 or 3.145?"),
        ("-3,145", "", "Did you mean -3145 or -3.145?"),
        ("16,000", "tokens", "Did you mean 16000 or 16.000?"),
        ("0.745", "%", "Did you mean 0.745 % or 74.5 %?"),
        ("1,23,456", "", "more than one way"),
        ("12 34", "", "not a unit I know"),
        ("8 G", "GB", "not a unit I know"),
        ("8 m", "ms", "not a unit I know"),
        ("8 ms", "GB", "does not fit: the question asks for GB"),
        ("8 tokens", "steps", "does not fit"),
        ("8 GB/s", "GB", "does not fit"),
        ("8 GB", "", "bare number"),
        ("about eight", "GB", "does not start with a number"),
        ("inf", "", "does not start with a number"),
        ("nan", "", "does not start with a number"),
        ("", "GB", "Type a number, for example 8.4 GB"),
        ("1/0", "", "divides by zero"),
        ("1e999", "", "out of range"),
        ("9" * 100, "", "too long"),
        ("8 GB or 9 GB", "GB", "unit"),
        ("\x1b[31m8", "", "does not start with a number"),
    ],
)
def test_asked_about_not_guessed(text: str, unit: str, words: str) -> None:
    with pytest.raises(Unclear, match=r".") as raised:
        parse_quantity(text, unit)
    assert words in str(raised.value)
    assert str(raised.value).isprintable()


def test_a_conversion_is_told() -> None:
    assert parse_quantity("8 GiB", "GB").note == "read as 8.58993 GB"
    assert parse_quantity("8 GB", "GB").note == ""


@given(st.text(max_size=60), st.sampled_from(["", "GB", "%", "ms", "tokens/s", "x"]))
def test_any_text_is_read_or_asked_about(text: str, unit: str) -> None:
    try:
        value = parse_quantity(text, unit).value
    except Unclear:
        return
    assert value.is_finite()


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=4))
def test_what_we_print_we_read(value: Decimal) -> None:
    assert parse_quantity(f"{value:f} ms", "ms").value == value


@given(
    st.integers(1, 10**6),
    st.sampled_from(["B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"]),
    st.sampled_from(["MB", "GB", "MiB", "GiB"]),
)
def test_conversion_there_and_back(number: int, given_unit: str, asked: str) -> None:
    there = parse_quantity(f"{number} {given_unit}", asked).value
    unit, target = parse_unit(given_unit), parse_unit(asked)
    assert unit is not None
    assert target is not None
    assert abs(there * target.factor / unit.factor - number) < Decimal("1e-9") * number
    assert (given_unit == asked) == (there == number)


@pytest.mark.parametrize(
    ("text", "value"), [("3K tokens", "3000"), ("3k tokens", "3000"), ("1.5M tokens", "1500000"), ("3B params", "3E9")]
)
def test_a_multiplier_before_what_is_counted_counts_for_a_bare_number_too(text: str, value: str) -> None:
    read = parse_quantity(text)
    assert read.value == Decimal(value)
    assert read.note.startswith("read as")


@pytest.mark.parametrize("text", ["1,000 000", "1.000 000", "10²", "2¹⁰ tokens", "1²", "8₂"])
def test_marks_that_would_be_read_as_another_number_are_asked_about(text: str) -> None:
    for whole in (False, True):
        with pytest.raises(Unclear):
            parse_quantity(text, whole=whole)


@pytest.mark.parametrize(
    ("number", "unit", "words"),
    [
        ("1", "steps", "1 step"),
        ("1", "batches", "1 batch"),
        ("1", "GPUs", "1 GPU"),
        ("-1", "slot-steps", "-1 slot-step"),
        ("2", "steps", "2 steps"),
        ("1.0", "steps", "1.0 steps"),
        ("1", "ms", "1 ms"),
        ("1", "tokens/s", "1 tokens/s"),
        ("1", "x", "1 x"),
        ("1", "", "1"),
    ],
)
def test_one_thing_is_not_told_as_many(number: str, unit: str, words: str) -> None:
    assert with_unit(number, unit) == words


def test_a_multiple_that_makes_one_is_told_as_one() -> None:
    assert parse_quantity("0.001 k", "iterations").note == "read as 1 iteration"
