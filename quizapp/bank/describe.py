"""A variant with its key, as plain data (`bank show --json`) and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from quizapp.bank.grade import allowed
from quizapp.bank.model import Bank
from quizapp.bank.response import LETTERS
from quizapp.bank.schema import Match, Multiple, Numeric, Order, Short, Single
from quizapp.bank.variant import Variant, grouped, plain_number, printed


def describe(variant: Variant) -> dict[str, Any]:
    """The keys of `quizapp bank show --json`; fields by kind."""
    q = variant.question
    common = {"id": q.id, "kind": q.kind, "style": q.style, "seed": variant.seed, "ask": variant.ask}
    rest = {"explain": variant.explain, "sources": q.sources, "as_of": q.as_of, "objectives": q.objectives}
    return {**common, **_by_kind(variant), **rest}


def _by_kind(variant: Variant) -> dict[str, Any]:
    q = variant.question
    shown = [choice.id for choice in variant.choices]
    match q:
        case Single() | Multiple():
            options = {o.id: o for o in q.options}
            keys = [o for o in shown if options[o].correct]
            listed = [
                {"id": o, **options[o].model_dump(include={"text", "correct", "why", "misconception"})} for o in shown
            ]
            return {"options": listed, "answer": keys if isinstance(q, Multiple) else keys[0]}
        case Numeric():
            assert variant.answer is not None
            traps = [{"value": _number(t.value), "why": t.why, "misconception": t.misconception} for t in variant.traps]
            return {
                "params": variant.params,
                "answer": _number(variant.answer),
                "printed": printed(variant.answer, q.decimals),
                "unit": q.unit,
                "tolerance": _number(allowed(q, variant.answer)),
                "why": variant.why,
                "traps": traps,
            }
        case Order():
            items = {i.id: i for i in q.items}
            listed = [{"id": i, "text": items[i].text, "why": items[i].why} for i in shown]
            return {"options": listed, "answer": list(items), "misconception": q.misconception}
        case Match():
            pairs, extra = {p.id: p for p in q.pairs}, {d.id: d for d in q.extra}
            rights = [
                {
                    "id": i,
                    "text": text,
                    "correct": i in pairs,
                    "why": (pairs.get(i) or extra[i]).why,
                    "misconception": (pairs.get(i) or extra[i]).misconception,
                }
                for i, text in variant.choices
            ]
            lefts = [{"id": left.id, "text": left.text} for left in variant.lefts]
            return {"lefts": lefts, "options": rights, "answer": {i: i for i in pairs}}
        case Short():
            rejects = [reject.model_dump() for reject in q.reject]
            return {"answer": q.accept[0], "accept": q.accept, "exact": q.exact, "why": variant.why, "reject": rejects}


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def sheet(variant: Variant, bank: Bank) -> Iterator[str]:
    """A question with its key, line by line."""
    q, shown = variant.question, describe(variant)
    yield f"{q.id}  ({q.kind}, {q.style}, difficulty {q.difficulty})"
    yield ""
    yield variant.ask
    yield ""
    for number, left in enumerate(variant.lefts, 1):
        yield f"  {number}. {left.text}"
    place = {choice.id: LETTERS[i] for i, choice in enumerate(variant.choices)}
    for option in shown.get("options", ()):
        mark = "*" if isinstance(q, Single | Multiple) and option["correct"] else " "
        yield f"{mark} {place[option['id']]}. {option['text']}"
        yield f"       {option['why']}"
    yield f"Answer: {_answer(variant, shown, place)}"
    for trap in shown.get("traps", ()):
        yield f"  trap {trap['value']}: {trap['why']}"
    yield shown.get("why", "")
    yield ""
    yield variant.explain
    yield ""
    for key in q.sources:
        source = bank.sources[key]
        yield f"Source: {source.title}, {source.address} (checked {source.checked})"
    yield f"As of {q.as_of}."


def _answer(variant: Variant, shown: dict[str, Any], place: dict[str, str]) -> str:
    match variant.question:
        case Single():
            return place[shown["answer"]]
        case Multiple():
            return "".join(sorted(place[i] for i in shown["answer"]))
        case Order():
            return " ".join(place[i] for i in shown["answer"])
        case Match():
            return " ".join(f"{n}{place[left.id]}" for n, left in enumerate(variant.lefts, 1))
        case Numeric():
            tolerance = grouped(plain_number(Decimal(str(shown["tolerance"]))))
            return f"{shown['printed']} {shown['unit']}".rstrip() + (f" (± {tolerance})" if tolerance != "0" else "")
        case _:
            return " or ".join(shown["accept"])
