"""What a learner answers, by kind, and how it is read from a line of text.

| kind | response |
|---|---|
| single | an option id |
| multiple | a list of option ids |
| numeric, short | the typed text |
| order | a list of all item ids, first step first |
| match | a mapping of left id to right id |

None is a blank: not answered, which is not the same as wrong.
"""

from __future__ import annotations

import re
import unicodedata

from quizapp.bank.errors import Unclear
from quizapp.bank.number import parse_quantity
from quizapp.bank.schema import Match, Multiple, Numeric, Order, Single
from quizapp.bank.variant import Variant

Response = str | list[str] | dict[str, str] | None

MAX_LENGTH = 1_000
"""Characters of a typed line; no answer of any kind needs as many."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def read_plain(variant: Variant, raw: str) -> Response:
    """Read one typed line: `B`, `AC`, `C A B`, `1B 2A`, `8.4 GB`, or text. An empty line is a blank (None).

    Letters name `variant.choices` as shown, numbers name `variant.lefts`. Raises Unclear with what to type instead.
    """
    text = unicodedata.normalize("NFKC", raw).strip()
    if not text:
        return None
    if len(text) > MAX_LENGTH:
        raise Unclear(f"That is too long for an answer ({len(text):,} characters).")
    match variant.question:
        case Single():
            return _single(variant, text)
        case Multiple():
            return _multiple(variant, text)
        case Order():
            return _order(variant, text)
        case Match():
            return _match(variant, text)
        case Numeric():
            parse_quantity(text, variant.unit, whole=variant.whole)
            return raw.strip()
        case _:
            return raw.strip()


def _single(variant: Variant, text: str) -> str:
    ids = _letters(variant, text)
    if len(set(ids)) != 1:
        raise Unclear("This question has one answer. Type one letter.")
    return ids[0]


def _multiple(variant: Variant, text: str) -> list[str]:
    question = variant.question
    assert isinstance(question, Multiple)
    chosen = list(dict.fromkeys(_letters(variant, text)))
    if len(chosen) > question.choose:
        raise Unclear(f"That is {len(chosen)} letters; the question asks for {question.choose}.")
    return chosen


def _order(variant: Variant, text: str) -> list[str]:
    ids = _letters(variant, text)
    if sorted(ids) != sorted(choice.id for choice in variant.choices):
        raise Unclear(f"Type each letter from A to {LETTERS[len(variant.choices) - 1]} once, first step first.")
    return ids


def _match(variant: Variant, text: str) -> dict[str, str]:
    pairs = re.findall(r"(\d+)\s*[-=:.)>]*\s*([A-Za-z])", text)
    leftover = re.sub(r"(\d+)\s*[-=:.)>]*\s*([A-Za-z])", "", text)
    if not pairs or re.sub(r"[\s,;]", "", leftover):
        raise Unclear("Type a number and a letter for each pair, for example 1B 2A 3C.")
    result: dict[str, str] = {}
    for number, letter in pairs:
        if not 1 <= int(number) <= len(variant.lefts):
            raise Unclear(f"There is no {number} on the left; the numbers go from 1 to {len(variant.lefts)}.")
        left = variant.lefts[int(number) - 1].id
        if left in result:
            raise Unclear(f"{number} is there twice. Give each number one letter.")
        right = _by_letter(variant, letter)
        if right in result.values():
            raise Unclear(f"{letter.upper()} is there twice. Each letter belongs to one number at most.")
        result[left] = right
    return result


def _letters(variant: Variant, text: str) -> list[str]:
    compact = re.sub(r"[\s,;.>&+)(-]|\band\b", "", text, flags=re.IGNORECASE)
    if not compact or not re.fullmatch(r"[A-Za-z]+", compact):
        raise Unclear(f"Type letters from A to {LETTERS[len(variant.choices) - 1]}.")
    return [_by_letter(variant, letter) for letter in compact]


def _by_letter(variant: Variant, letter: str) -> str:
    index = LETTERS.find(letter.upper())
    if not 0 <= index < len(variant.choices):
        last = LETTERS[len(variant.choices) - 1]
        raise Unclear(f"There is no {letter.upper()} here; the letters go from A to {last}.")
    return variant.choices[index].id
