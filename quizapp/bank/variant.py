"""A variant is a question and a seed: the same pair always shows the same order and the same numbers."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from quizapp.bank.schema import PLACEHOLDER, Formula, Match, Multiple, Numeric, Order, Question, Short, Single

T = TypeVar("T")


class Choice(NamedTuple):
    """Something to choose: an option, an item to put in order, or a side of a match."""

    id: str
    text: str


class TrapValue(NamedTuple):
    """A number that a known mistake leads to, in the asked unit."""

    value: Decimal
    why: str
    misconception: str


@dataclass(frozen=True)
class Variant:
    """What is shown and what decides, with every placeholder filled.

    `choices` are in shown order: options, items of an order, right sides of a match. `lefts` are the left sides of a
    match. `answer` (in `unit`) and `traps` are of a numeric question only; `why` is the working of numeric and short.
    """

    question: Question
    seed: int
    ask: str
    explain: str
    choices: tuple[Choice, ...] = ()
    lefts: tuple[Choice, ...] = ()
    params: dict[str, int | float] = field(default_factory=dict)
    answer: Decimal | None = None
    unit: str = ""
    why: str = ""
    traps: tuple[TrapValue, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether a whole number is asked for."""
        return isinstance(self.question, Numeric) and self.question.decimals == 0


LARGEST_ANSWER = Decimal("1e20")
"""With six decimals this still fits Decimal's 28 digits."""
LARGEST_BESIDE_A_LIST = 100_000
"""Functions over lists take time and memory by their other numbers (slots, groups); a bank must not exhaust us."""


class FormulaError(ValueError):
    """A question's formula cannot be computed; the message names the function and the reason."""


def make_variant(question: Question, seed: int) -> Variant:
    """The variant of a question for a seed. Raises FormulaError when a numeric answer cannot be computed."""
    rng = random.Random(f"{question.id}:{seed}")
    if isinstance(question, Numeric):
        return _numeric(question, seed, rng)
    variant: dict[str, Any] = {"question": question, "seed": seed, "ask": question.ask, "explain": question.explain}
    match question:
        case Single() | Multiple():
            free = shuffled([Choice(o.id, o.text) for o in question.options if o.pin is None], rng)
            pinned = [Choice(o.id, o.text) for o in question.options if o.pin == "last"]
            return Variant(**variant, choices=(*free, *pinned))
        case Order():
            items = [Choice(i.id, i.text) for i in question.items]
            shown = shuffled(items, rng)
            while shown == items:
                shown = shuffled(items, rng)
            return Variant(**variant, choices=tuple(shown))
        case Match():
            rights = [Choice(p.id, p.right) for p in question.pairs] + [Choice(d.id, d.text) for d in question.extra]
            lefts = tuple(Choice(p.id, p.left) for p in question.pairs)
            return Variant(**variant, choices=tuple(shuffled(rights, rng)), lefts=lefts)
        case Short():
            return Variant(**variant, why=question.why)


def shuffled(items: list[T], rng: random.Random) -> list[T]:
    """Fisher-Yates over `random()`, the one method whose sequence Python promises to keep for a seed."""
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        result[i], result[j] = result[j], result[i]
    return result


def _numeric(question: Numeric, seed: int, rng: random.Random) -> Variant:
    params: dict[str, int | float] = {}
    for name, values in question.params.items():
        possible = values.all()
        params[name] = possible[int(rng.random() * len(possible))]
    answer = evaluate(question.answer, params)
    words = {name: grouped(plain_number(to_decimal(value))) for name, value in params.items()}
    words["answer"] = printed(answer, question.decimals)
    return Variant(
        question=question,
        seed=seed,
        ask=fill(question.ask, words),
        explain=fill(question.explain, words),
        params=params,
        answer=answer,
        unit=question.unit,
        why=fill(question.why, words),
        traps=tuple(TrapValue(evaluate(t, params), fill(t.why, words), t.misconception) for t in question.traps),
    )


def evaluate(formula: Formula, params: dict[str, int | float]) -> Decimal:
    """The value of a formula: a given number, or a named function of `labs.formulas`, times `scale`.

    Raises FormulaError when the function is unknown, does not take the arguments, or does not yield a number below
    LARGEST_ANSWER.
    """
    value = _called(formula, params) if formula.value is None else to_decimal(formula.value)
    value *= to_decimal(formula.scale)
    if abs(value) >= LARGEST_ANSWER:
        raise FormulaError(f"the result {value:.3g} is too large to be typed; use a larger unit or 'scale'")
    return value


def _called(formula: Formula, params: dict[str, int | float]) -> Decimal:
    from labs.formulas import FUNCTIONS

    function = FUNCTIONS.get(formula.function or "")
    if function is None:
        raise FormulaError(f"there is no function '{formula.function}' in labs.formulas")
    arguments = {name: _argument(value, params) for name, value in formula.args.items()}
    others = [value for value in arguments.values() if not isinstance(value, list)]
    if len(others) < len(arguments) and any(abs(value) > LARGEST_BESIDE_A_LIST for value in others):
        raise FormulaError(f"{formula.function} simulates a list; its numbers may be {LARGEST_BESIDE_A_LIST:,} at most")
    try:
        return to_decimal(function(**arguments))
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        given = ", ".join(f"{name}={value}" for name, value in arguments.items())
        raise FormulaError(f"{formula.function}({given}) cannot be computed: {error}") from error


def _argument(value: Any, params: dict[str, int | float]) -> Any:
    if isinstance(value, list):
        return [_argument(one, params) for one in value]
    return params[value[1:]] if isinstance(value, str) else value


def to_decimal(value: Any) -> Decimal:
    """A number as Decimal. Floats keep 15 digits, so that 0.1 + 0.2 is 0.3. Raises ValueError when not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | Decimal):
        raise ValueError(f"the result is {value!r}, not a number")
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    result = Decimal(format(value, ".15g")) if isinstance(value, float) else Decimal(value)
    if not result.is_finite():
        raise ValueError(f"the result is {value}")
    return result


def printed(value: Decimal, decimals: int) -> str:
    """A number as it is shown: at most `decimals` decimals, no trailing zeros, no exponent, thousands separated.

    `1,234` can be read two ways, so where decimals are asked for one of them stays: `1,234.0`.
    """
    text = grouped(plain_number(round(value, decimals)))
    return f"{text}.0" if decimals and "," in text and "." not in text else text


def grouped(text: str) -> str:
    """A plain number with a comma between groups of three digits, as the bank's texts write it: `81,920.5`."""
    whole, point, part = text.partition(".")
    return f"{int(whole):,}{point}{part}" if len(whole.lstrip("-")) > 3 else text


def plain_number(value: Decimal) -> str:
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def fill(text: str, words: dict[str, str]) -> str:
    """`{name}` replaced where the name is known; all other braces stay as they are. Code shows plain digits."""
    parts = _CODE.split(text)
    plain = {name: word.replace(",", "") for name, word in words.items()}
    return "".join(_filled(part, plain if i % 2 else words) for i, part in enumerate(parts))


_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)
"""Code in our small Markdown: fenced, or between backticks."""


def _filled(text: str, words: dict[str, str]) -> str:
    return PLACEHOLDER.sub(lambda found: words.get(found[1], found[0]), text)
