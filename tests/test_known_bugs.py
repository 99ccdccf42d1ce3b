"""`docs/known-bugs.md` is true: every kind of bug has one row, every row its proof, and every test named exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "known-bugs.md").read_text("utf-8")
KINDS = [*map(str, range(1, 53)), "T1", "T2", "R1"]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::([\w:]+)`")


def rows() -> dict[str, list[str]]:
    """The cells of every row, by its name."""
    found: dict[str, list[str]] = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and not set(cells[0]) <= set("-") and cells[0] != "row":
            assert cells[0] not in found, f"row {cells[0]} is there twice"
            found[cells[0]] = cells
    return found


@cache
def functions_of(file: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file, those of a class as `Class::function`."""
    found = {}
    for node in ast.parse((ROOT / file).read_text("utf-8")).body:
        inside = [(f"{node.name}::", one) for one in node.body] if isinstance(node, ast.ClassDef) else [("", node)]
        for prefix, one in inside:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                found[prefix + one.name] = one
    return found


def test_every_kind_has_its_row() -> None:
    assert list(rows()) == KINDS


@pytest.mark.parametrize("row", KINDS)
def test_a_row_names_tests_that_are_there_or_says_why_not(row: str) -> None:
    name, kind, here, proof = rows()[row]
    assert len(kind) > 10
    assert len(here) > 10
    if proof.startswith("does not apply: "):
        assert len(proof) > 30
        return
    named = NAMED.findall(proof)
    assert named, f"row {name} names no test"
    assert not NAMED.sub("", proof).strip(), f"row {name} has words beside its tests"
    for file, test in named:
        assert (ROOT / file).is_file(), file
        assert test.rpartition("::")[2].startswith("test_"), test
        assert test in functions_of(file), f"{file} has no {test}"


@pytest.mark.parametrize("row", KINDS)
def test_a_named_test_asserts_and_is_never_skipped(row: str) -> None:
    """Nor is it one of the long proofs, which `make test` leaves out."""
    for file, test in NAMED.findall(rows()[row][3]):
        node = functions_of(file)[test]
        marks = [ast.unparse(mark) for mark in node.decorator_list]
        assert not any(word in mark for mark in marks for word in ("mark.skip", "xfail", "mark.prove")), (test, marks)
        helpers = {name for name, one in functions_of(file).items() if "assert " in ast.unparse(one)}
        calls = {one.func.id for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
        assert test in helpers or calls & helpers or "pytest.raises" in ast.unparse(node), f"{test} asserts nothing"
