"""The table of docs/engine.md is true: every bug of other engines that applies here has tests named after it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "engine.md").read_text("utf-8")
REQUIRED = [f"R{row}" for row in (*range(1, 9), 10, 11, 12)]
REQUIRED += [str(row) for row in (*range(1, 15), *range(16, 37), *range(50, 56), 57, 61, 65, 66)]
"""Row 15 needs a prefix cache, which this engine does not have."""
EXTRA = {
    "test_tokens_are_the_same_alone_and_in_any_company": "54",
    "test_an_executor_failure_finishes_one_request_and_leaks_nothing": "14",
    "test_logits_equal_the_textbook_formulas": "61",
    "test_min_new_tokens_masks_the_stop_token": "65",
}
"""Tests with another name that see a row's bug too; the row has named ones besides."""
NAMED = re.compile(r"`(test_\w+\.py)::(test_\w+)`")


def table() -> list[tuple[list[str], str]]:
    """(row names, the cell of tests) of every line."""
    lines = PAGE[PAGE.index("| row | kind of bug | tests |") :].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert all(len(kind) > 10 for _, kind, _ in cells)
    return [(rows.split(", "), tests) for rows, _, tests in cells]


@cache
def functions_of(file: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((HERE / file).read_text("utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return {node.name: node for node in found}


def rows_in(test: str) -> set[str]:
    """The row numbers at the beginning or the end of a test's name: test_r5_and_10_..., ..._29."""
    lead = re.match(r"test_((?:r?\d+_(?:and_)?)*)", test)
    assert lead is not None
    tail = re.search(r"_(r?\d+)$", test.lower())
    found = re.findall(r"r?\d+", lead[1]) + ([tail[1]] if tail else [])
    return {row.upper() for row in found}


def test_every_row_that_applies_is_there_once() -> None:
    assert sorted(row for rows, _ in table() for row in rows) == sorted(REQUIRED)


@pytest.mark.parametrize("row", REQUIRED)
def test_a_row_names_tests_that_are_there_and_are_about_it(row: str) -> None:
    ((rows, cell),) = [line for line in table() if row in line[0]]
    named = NAMED.findall(cell)
    assert not NAMED.sub("", cell).strip()
    for file, test in named:
        assert test in functions_of(file), f"{file} has no {test}"
        marks = [ast.unparse(mark) for mark in functions_of(file)[test].decorator_list]
        assert not any(word in mark for mark in marks for word in ("skip", "xfail", "mark.prove")), test
        assert rows_in(test) & set(rows) or EXTRA.get(test) in rows, f"{test} is about another row"
    assert any(row in rows_in(test) for _, test in named), f"no test carries the number {row}"


def test_no_test_with_a_row_s_number_is_left_out() -> None:
    listed = {test for _, cell in table() for _, test in NAMED.findall(cell)}
    files = [*HERE.glob("test_bugs_*.py"), HERE / "test_torch_bug_rows.py"]
    numbered = {test for file in files for test in functions_of(file.name) if rows_in(test) & set(REQUIRED)}
    assert numbered - listed == set()
