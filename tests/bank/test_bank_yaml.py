"""YAML by the 1.2 core rules, and every way in which a file can be broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.bank.yaml12 import MAX_DEPTH, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("12", 12),
        ("-3", -3),
        ("010", 10),
        ("0o17", "0o17"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("2026-11-29", "2026-11-29"),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("=", "="),
    ],
)
def test_scalars_follow_yaml_1_2(text: str, value: object) -> None:
    read = read_yaml(f"key: {text}\n").value["key"]
    assert read == value
    assert type(read) is type(value)


def test_every_value_has_its_line() -> None:
    document = read_yaml("# head\n- id: a\n  options:\n    - {text: x}\n\n- id: b\n")
    assert document.line((0, "options", 0, "text")) == 4
    assert document.line((1, "id")) == 6
    assert document.line((1, "missing", 3)) == 6, "a value that is not there is placed at what encloses it"


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("- a: 1\n  a: 2\n", 2, "twice"),
        ("- a: &x [1]\n- b: *x\n", 2, "alias"),
        ("- a: &x [*x]\n", 1, "alias"),
        ("- a: !!python/object/apply:os.system [ls]\n", 1, "tag"),
        ("- a: 1\n\t- b: 2\n", 2, "tab"),
        ("- a: b: c\n", 1, "quotes"),
        ("- a: 'x\n", 2, "YAML"),
        ("- a: x\x00y\n", 1, "control"),
        ("- ? [1]\n  : 2\n", 1, "key"),
        ("- a: " + "9" * 50 + "\n", 1, "digits"),
        ("- " + "[" * 2000 + "\n", 1, "deep"),
        ("- " + "[" * (MAX_DEPTH + 3) + "]" * (MAX_DEPTH + 3) + "\n", 1, "deep"),
    ],
)
def test_broken_text_is_named_by_line(text: str, line: int, word: str) -> None:
    mistakes = read_yaml(text).mistakes
    assert (mistakes[0].line, word in mistakes[0].message) == (line, True), mistakes


def test_ten_doublings_cost_nothing() -> None:
    bomb = "- a0: &a0 [x, x]\n" + "".join(f"- a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
    document = read_yaml(bomb)
    assert len(document.mistakes) == 2 * 59
    assert len(str(document.value)) < 5000


def test_a_syntax_error_costs_only_its_own_entry() -> None:
    document = read_yaml('- id: a\n- id: "b\n- id: c\n- [1\n- id: d\n')
    assert document.value == [{"id": "a"}, {"id": "c"}, {"id": "d"}]
    assert [mistake.line for mistake in document.mistakes] == [2, 5]
    assert document.line((2, "id")) == 5


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    document = read_yaml(text)
    assert document.mistakes or document.value is None or isinstance(document.value, str | int | float | list | dict)
