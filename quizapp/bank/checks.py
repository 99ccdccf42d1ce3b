"""What a question's fields cannot show alone: names that lead nowhere, formulas that cannot be computed."""

from __future__ import annotations

import inspect
from typing import Any

from quizapp.bank.errors import FieldPath
from quizapp.bank.grade import loosely
from quizapp.bank.messages import closest
from quizapp.bank.model import Bank
from quizapp.bank.schema import Formula, Match, Multiple, Numeric, Order, Question, Short, Single
from quizapp.bank.units import parse_unit
from quizapp.bank.variant import FormulaError, make_variant

SEEDS = 50
"""Variants that are tried when a bank is read."""

Fault = tuple[FieldPath, str]
"""Where in the question, and a sentence."""


def reference_faults(question: Question, bank: Bank) -> list[Fault]:
    """Names that lead nowhere."""
    found: list[Fault] = []

    def check(path: FieldPath, name: str | None, table: dict[str, Any], what: str, where: str) -> None:
        if name is not None and name not in table:
            found.append(
                (path, f"{what} '{name}' is not listed{closest(name, table)}; add it to {where} or correct it")
            )

    for i, source in enumerate(question.sources):
        check(("sources", i), source, bank.sources, "source", "sources.yaml")
    if bank.objectives:
        for i, objective in enumerate(question.objectives):
            check(("objectives", i), objective, bank.objectives, "objective", "exams/*.yaml")
    if bank.lessons:
        for i, section in enumerate(question.covers):
            check(("covers", i), section, bank.lessons, "lesson section", "lessons.yaml")
    for path, misconception in misconceptions_of(question):
        check(path, misconception, bank.misconceptions, "misconception", "misconceptions.yaml")
    return found


def misconceptions_of(question: Question) -> list[tuple[FieldPath, str | None]]:
    """Every misconception that a question names, with its place."""
    match question:
        case Single() | Multiple():
            return [(("options", i, "misconception"), o.misconception) for i, o in enumerate(question.options)]
        case Numeric():
            return [(("traps", i, "misconception"), t.misconception) for i, t in enumerate(question.traps)]
        case Order():
            return [(("misconception",), question.misconception)]
        case Match():
            pairs = [(("pairs", i, "misconception"), p.misconception) for i, p in enumerate(question.pairs)]
            return [*pairs, *((("extra", i, "misconception"), d.misconception) for i, d in enumerate(question.extra))]
        case Short():
            return [(("reject", i, "misconception"), r.misconception) for i, r in enumerate(question.reject)]


def formula_faults(question: Question) -> list[Fault]:
    """Unknown functions, wrong arguments, a unit that cannot be read, and what cannot be computed."""
    if not isinstance(question, Numeric):
        return []
    found: list[Fault] = []
    if parse_unit(question.unit) is None:
        found.append(
            (("unit",), f"the unit '{question.unit}' cannot be read; write for example GB, ms, %, x, tokens/s")
        )
    places: list[tuple[FieldPath, Formula]] = [(("answer",), question.answer)]
    places += [(("traps", i), trap) for i, trap in enumerate(question.traps)]
    for path, formula in places:
        problem = _signature_fault(formula)
        if problem:
            found.append(((*path, "function"), problem))
    if not found:
        for seed in range(SEEDS):
            try:
                make_variant(question, seed)
            except FormulaError as error:
                found.append((("answer",), f"{error}; check the arguments and the values of 'params'"))
                break
    return found


def text_faults(question: Question) -> list[Fault]:
    """Accepted texts of which nothing is left to compare."""
    if not isinstance(question, Short) or question.exact:
        return []
    message = "'{}' is made of marks that are not compared, so nobody could answer it; accept a word, or 'exact: true'"
    return [(("accept", i), message.format(text)) for i, text in enumerate(question.accept) if not loosely(text)]


def _signature_fault(formula: Formula) -> str | None:
    if formula.function is None:
        return None
    from labs.formulas import FUNCTIONS

    function = FUNCTIONS.get(formula.function)
    if function is None:
        near = closest(formula.function, FUNCTIONS)
        return f"there is no function '{formula.function}'{near}; labs/formulas.py lists them"
    signature = inspect.signature(function)
    try:
        signature.bind(**formula.args)
    except TypeError as error:
        takes = ", ".join(signature.parameters)
        return f"'{formula.function}' does not take these arguments ({error}); it takes {takes}"
    return None
