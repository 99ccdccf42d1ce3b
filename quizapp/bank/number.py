"""Reading a number with its unit, as a learner types it.

Decimal throughout, so that a value exactly at the tolerance counts. A number that two locales read differently
(`3,145`) is asked about, never guessed, unless a whole number is asked for: then its comma separates thousands.
GB is not GiB; a unit that can be converted is, any other is asked about.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

from quizapp.bank.errors import Unclear
from quizapp.bank.units import Unit, parse_unit, prefix_of, with_unit

MAX_LENGTH = 80
MAX_EXPONENT = 30

_NUMBER = re.compile(
    r"""^(?P<sign>[-+−–]?)\s*
    (?P<body>\d[\d.,'’_]*(?:[ ]\d{3}(?!\d))*(?:[.,]\d+)?|[.,]\d+)
    (?:\s*[eE](?P<exp>[-+−]?\d{1,4})(?![A-Za-z0-9])|\s*[x×*·]\s*10\s*(?:\^|\*\*)\s*(?P<ten>[-+−]?\d{1,4}))?
    \s*(?P<rest>.*)$""",
    re.VERBOSE,
)
_FRACTION = re.compile(r"^(?P<sign>[-+−]?)(?P<top>\d{1,12})\s*/\s*(?P<bottom>\d{1,12})(?P<rest>(?:\s.*|[^\d.,].*)?)$")


_RAISED = re.compile("[\u00b2\u00b3\u00b9\u2070-\u209c]")
"""Superscripts and subscripts, which NFKC would turn into digits of the number."""


@dataclass(frozen=True)
class Quantity:
    """A typed number in the asked unit. `note` says how it was read when it was converted, else it is empty."""

    value: Decimal
    note: str = ""


def parse_quantity(text: str, unit: str = "", whole: bool = False) -> Quantity:
    """Read `text` as a number in `unit`. A missing unit is taken as the asked one.

    `whole`: a whole number is asked for, so that the comma of `3,145` separates thousands, as in what is shown.
    Raises Unclear when there is no number, when it can be read two ways, or when its unit does not fit.
    """
    typed = unicodedata.normalize("NFKC", text).replace("\u00a0", " ").strip()
    typed = re.sub(r"^(?:=|~|≈|≃|about|approx\.?|ca\.?)\s*", "", typed, flags=re.IGNORECASE)
    example = f"{8 if whole else 8.4} {unit}".strip()
    if not typed:
        raise Unclear(f"Type a number, for example {example}.")
    if len(typed) > MAX_LENGTH:
        raise Unclear(f"That is too long for a number. Type one number, for example {example}.")
    if _RAISED.search(text):
        raise Unclear(f"Raised or lowered digits are not read. Write powers out, for example 100 or {example}.")
    value, rest = _value(typed, example, whole)
    return _in_unit(value, rest, unit)


def _value(typed: str, example: str, integral: bool) -> tuple[Decimal, str]:
    fraction = _FRACTION.match(typed)
    if fraction:
        if int(fraction["bottom"]) == 0:
            raise Unclear("That divides by zero. Type a number.")
        value = Decimal(int(fraction["top"])) / Decimal(int(fraction["bottom"]))
        return (-value if fraction["sign"] in ("-", "−") else value), fraction["rest"].strip()
    found = _NUMBER.match(typed)
    if not found:
        raise Unclear(f"'{_short(typed)}' does not start with a number. Type for example {example}.")
    value = Decimal(_digits(found["body"], integral, found["sign"]))
    exponent = int((found["exp"] or found["ten"] or "0").replace("−", "-"))
    if abs(exponent) > MAX_EXPONENT:
        raise Unclear(f"The exponent {exponent} is out of range. Type for example {example}.")
    value = value.scaleb(exponent)
    return (-value if found["sign"] in ("-", "−", "–") else value), found["rest"].strip()


def _digits(body: str, integral: bool, sign: str) -> str:
    """The digits with a decimal point, separators resolved. Raises Unclear when two readings are possible."""
    text = re.sub(r"(?<=\d)[ '’_](?=\d{3}(?!\d))", "", body)
    if re.search(r"[ '’_]", text) or re.search(r"[.,]\d*[ '’_]", body):
        raise Unclear(f"'{body}' has separators in odd places. Type the digits without them.")
    text = text[:-1] if text.endswith((".", ",")) else text
    dots, commas = text.count("."), text.count(",")
    if dots and commas:
        decimal, group = (".", ",") if text.rfind(".") > text.rfind(",") else (",", ".")
        whole, _, part = text.rpartition(decimal)
        if decimal not in whole and _grouped(whole, group):
            return f"{whole.replace(group, '')}.{part}"
    elif dots > 1 or commas > 1:
        group = "." if dots else ","
        if _grouped(text, group):
            return text.replace(group, "")
    elif commas == 1:
        whole, _, part = text.partition(",")
        if len(part) == 3 and 1 <= len(whole) <= 3 and whole != "0":
            if integral:
                return whole + part
            raise Unclear(f"Did you mean {sign}{whole}{part} or {sign}{whole}.{part}? Type it without a comma.")
        return f"{whole or '0'}.{part}"
    else:
        return text
    raise Unclear(f"'{body}' can be read in more than one way. Type it with a point for decimals and no other marks.")


def _grouped(text: str, mark: str) -> bool:
    first, *others = text.split(mark)
    return 1 <= len(first) <= 3 and first != "0" and all(len(group) == 3 for group in others)


def _in_unit(value: Decimal, typed_unit: str, asked: str) -> Quantity:
    target = parse_unit(asked)
    assert target is not None, f"the unit '{asked}' of a question must be readable"
    if not typed_unit:
        if target.is_percent and 0 < value < 1:
            percent = _plain(value * 100)
            raise Unclear(f"Did you mean {_plain(value)} % or {percent} %? Type it with the % sign.")
        return Quantity(value)
    shown = _short(typed_unit)
    given = parse_unit(typed_unit)
    if given is None or given.dimension != target.dimension:
        scaled = _with_prefix(value, typed_unit, target)
        if scaled is not None:
            return Quantity(scaled, f"read as {with_unit(_plain(scaled), asked)}")
    if given is None or not _fits(given, target):
        if given is None:
            raise Unclear(f"'{shown}' is not a unit I know. Type the number in {asked or 'plain digits'}.")
        wanted = f"the question asks for {asked}" if asked else "the question asks for a bare number"
        raise Unclear(f"'{shown}' does not fit: {wanted}. Convert it, or type the number alone.")
    if given.factor == target.factor:
        return Quantity(value)
    converted = value * given.factor / target.factor
    return Quantity(converted, f"read as {with_unit(_plain(converted), asked)}")


def _fits(given: Unit, target: Unit) -> bool:
    if given.dimension == target.dimension:
        return True
    # Asked for a bare count, a learner may name what is counted: "8 requests".
    return target.dimension == ("1", "") and given.is_count


def _with_prefix(value: Decimal, typed: str, target: Unit) -> Decimal | None:
    """`70 B`, `3k`, `1.2 M tokens`: a plain multiplier, where the asked unit is something counted."""
    multiplier, rest = prefix_of(typed)
    if multiplier is None or target.is_percent or not (target.is_count or target.dimension == ("1", "")):
        return None
    if rest:
        given = parse_unit(rest)
        if given is None or not _fits(given, target):
            return None
        return value * multiplier * given.factor / target.factor
    return value * multiplier / target.factor


def _plain(value: Decimal) -> str:
    text = format(value.normalize() if value == 0 else Decimal(format(value, ".6g")), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _short(text: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in text[:30])
