"""Grading: pure, by id and never by position, with the reason for every part.

Scores are corrected for indiscriminate answers, so that ticking everything, keeping the order as shown or a random
order earns nothing: multiple (hits - wrong) / keys, order (pairs in order - pairs out of order) / pairs, match the
share of left sides with their own right side.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from quizapp.bank.number import parse_quantity
from quizapp.bank.response import Response
from quizapp.bank.schema import Match, Multiple, Numeric, Order, Short, Single
from quizapp.bank.units import with_unit
from quizapp.bank.variant import Variant, printed


@dataclass(frozen=True)
class Part:
    """The verdict on one option, item, left side, distractor or text.

    `chosen`: the learner picked it (order and match: placed or paired it). `right`: it belongs to the key (order and
    match: it was placed or paired rightly). `text` is what was shown, `why` the reason.
    """

    id: str
    text: str
    chosen: bool
    right: bool
    why: str


@dataclass(frozen=True)
class Grade:
    """`score` from 0 to 1; `correct` only for a whole answer; `blank` when there was none (then not wrong either).

    `misconceptions` are those that the wrong parts stand for, most telling first. `message` is one sentence.
    """

    score: float
    correct: bool
    blank: bool
    parts: tuple[Part, ...]
    misconceptions: tuple[str, ...]
    message: str


def grade(variant: Variant, response: Response) -> Grade:
    """Judge a response to a variant.

    Raises Unclear when a typed number can be read two ways or has a unit that does not fit, and ValueError when the
    response has not the shape of the question's kind or names an id that the question does not have.
    """
    return _BY_KIND[variant.question.kind](variant, None if _is_blank(response) else response)


def _is_blank(response: Response) -> bool:
    return response is None or (response.strip() == "" if isinstance(response, str) else not response)


def _result(score: float, blank: bool, parts: list[Part], misconceptions: list[str], right: str, wrong: str) -> Grade:
    correct = score == 1.0
    unique = tuple(dict.fromkeys(misconceptions))
    message = "Not answered." if blank else (right if correct else wrong)
    return Grade(score, correct, blank, tuple(parts), () if blank or correct else unique, message)


def _single(variant: Variant, response: Any) -> Grade:
    question = variant.question
    assert isinstance(question, Single)
    if response is not None:
        _known({_text(response)}, {o.id for o in question.options})
    parts = [Part(o.id, o.text, o.id == response, o.correct, o.why) for o in _shown(question.options, variant)]
    wrong = [o.misconception for o in question.options if o.id == response and o.misconception]
    score = 1.0 if any(p.chosen and p.right for p in parts) else 0.0
    return _result(score, response is None, parts, wrong, "Correct.", "Not correct.")


def _multiple(variant: Variant, response: Any) -> Grade:
    question = variant.question
    assert isinstance(question, Multiple)
    chosen = _ids(response, {o.id for o in question.options})
    parts = [Part(o.id, o.text, o.id in chosen, o.correct, o.why) for o in _shown(question.options, variant)]
    hits = sum(p.chosen and p.right for p in parts)
    misses = sum(p.chosen and not p.right for p in parts)
    wrong = [o.misconception for o in question.options if o.id in chosen and o.misconception]
    score = max(0.0, (hits - misses) / question.choose)
    sentence = f"{hits} of {question.choose} found" + (f", {misses} wrong." if misses else ".")
    return _result(score, response is None, parts, wrong, "Correct.", f"Not correct: {sentence}")


def _numeric(variant: Variant, response: Any) -> Grade:
    question = variant.question
    assert isinstance(question, Numeric)
    assert variant.answer is not None
    answer = with_unit(printed(variant.answer, question.decimals), question.unit)
    if response is None:
        return _result(0.0, True, [Part("answer", answer, False, False, variant.why)], [], "", "")
    quantity = parse_quantity(_text(response), question.unit, whole=variant.whole)
    tolerance = allowed(question, variant.answer)
    right = abs(quantity.value - variant.answer) <= tolerance
    note = f" ({quantity.note})" if quantity.note else ""
    parts = [Part("answer", answer, right, right, variant.why)]
    wrong: list[str] = []
    if not right:
        for i, trap in enumerate(variant.traps):
            if abs(quantity.value - trap.value) <= allowed(question, trap.value):
                text = with_unit(printed(trap.value, question.decimals), question.unit)
                parts.append(Part(f"trap-{i + 1}", text, True, False, trap.why))
                wrong.append(trap.misconception)
                break
    message = f"Not correct{note}: the answer is {answer}."
    return _result(1.0 if right else 0.0, False, parts, wrong, f"Correct{note}.", message)


def allowed(question: Numeric, value: Decimal) -> Decimal:
    """How far from `value` an answer may be, inclusive: the widest of the relative and the absolute tolerance, and,
    where the value has more digits than are printed, half a unit of the last printed digit."""
    relative = abs(value) * Decimal(str(question.tolerance_rel))
    rounding = Decimal(5).scaleb(-question.decimals - 1) if round(value, question.decimals) != value else Decimal(0)
    return max(relative, Decimal(str(question.tolerance_abs)), rounding)


def _order(variant: Variant, response: Any) -> Grade:
    question = variant.question
    assert isinstance(question, Order)
    key = [item.id for item in question.items]
    placed = [] if response is None else _listed(response)
    if placed and sorted(placed) != sorted(key):
        raise ValueError("an order names every item once")
    position = {item: i for i, item in enumerate(placed)}
    parts = [
        Part(item.id, item.text, bool(placed), bool(placed) and position[item.id] == i, item.why)
        for i, item in enumerate(question.items)
    ]
    score = 0.0
    if placed and placed != [choice.id for choice in variant.choices]:
        pairs = list(itertools.combinations(key, 2))
        in_order = sum(position[a] < position[b] for a, b in pairs)
        score = max(0.0, (2 * in_order - len(pairs)) / len(pairs))
    places = sum(p.right for p in parts)
    message = f"Not correct: {places} of {len(key)} in their place."
    return _result(score, response is None, parts, [question.misconception], "Correct.", message)


def _match(variant: Variant, response: Any) -> Grade:
    question = variant.question
    assert isinstance(question, Match)
    pairs: dict[str, str] = {} if response is None else response
    if not isinstance(pairs, dict):
        raise ValueError("a match is answered with a mapping of left ids to right ids")
    rights = {p.id for p in question.pairs} | {d.id for d in question.extra}
    _known({_text(left) for left in pairs}, {p.id for p in question.pairs})
    _known({_text(right) for right in pairs.values()}, rights)
    parts, wrong, misled = [], [], []
    for pair in question.pairs:
        given = pairs.get(pair.id)
        right = given == pair.id
        parts.append(Part(pair.id, f"{pair.left} — {pair.right}", given is not None, right, pair.why))
        if given is not None and not right:
            wrong.append(pair.misconception)
    for extra in question.extra:
        used = extra.id in pairs.values()
        parts.append(Part(extra.id, extra.text, used, not used, extra.why))
        if used:
            misled.append(extra.misconception)
    hits = sum(pairs.get(p.id) == p.id for p in question.pairs)
    message = f"Not correct: {hits} of {len(question.pairs)} pairs."
    return _result(hits / len(question.pairs), response is None, parts, misled + wrong, "Correct.", message)


def _short(variant: Variant, response: Any) -> Grade:
    question = variant.question
    assert isinstance(question, Short)
    same = _exactly if question.exact else loosely
    if response is None:
        return _result(0.0, True, [Part("answer", question.accept[0], False, False, question.why)], [], "", "")
    typed = same(_text(response))
    right = typed != "" and typed in {same(text) for text in question.accept}  # of marks alone nothing is left
    parts = [Part("answer", question.accept[0], right, right, question.why)]
    wrong: list[str] = []
    if not right:
        for i, reject in enumerate(question.reject):
            if typed == same(reject.text):
                parts.append(Part(f"reject-{i + 1}", reject.text, True, False, reject.why))
                wrong.append(reject.misconception)
                break
    message = f"Not correct: the answer is {question.accept[0]}."
    return _result(1.0 if right else 0.0, False, parts, wrong, "Correct.", message)


def loosely(text: str) -> str:
    """NFKC and casefold, without spaces, underscores, hyphens and dashes; an outer full stop or quotes do not count."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return re.sub(r"[\s_\-‐-―−]", "", folded).strip("\"'`“”‘’.")


def _exactly(text: str) -> str:
    return text.strip()


def _shown(options: Any, variant: Variant) -> list[Any]:
    by_id = {option.id: option for option in options}
    return [by_id[choice.id] for choice in variant.choices]


def _ids(response: Any, known: set[str]) -> set[str]:
    chosen = set() if response is None else set(_listed(response))
    _known(chosen, known)
    return chosen


def _listed(response: Any) -> list[str]:
    if not isinstance(response, list | tuple | set | frozenset):
        raise ValueError("this question is answered with a list of ids")
    return [_text(one) for one in response]


def _known(given: set[Any], known: set[str]) -> None:
    unknown = sorted(str(one) for one in given if one not in known)
    if unknown:
        raise ValueError(f"the question has no '{unknown[0]}'; it has {', '.join(sorted(known))}")


def _text(response: Any) -> str:
    if not isinstance(response, str):
        raise ValueError("this question is answered with a text")
    return response


_BY_KIND: dict[str, Callable[[Variant, Any], Grade]] = {
    "single": _single,
    "multiple": _multiple,
    "numeric": _numeric,
    "order": _order,
    "match": _match,
    "short": _short,
}
