"""Lint rules for one question: each yields a sentence for what an author should mend."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import date

from quizapp.bank.grade import allowed, loosely
from quizapp.bank.schema import PLACEHOLDER, Multiple, Numeric, Order, Question, Short, Single
from quizapp.bank.texts import options_of, reasons_of, texts_of, words
from quizapp.bank.variant import FormulaError, make_variant, plain_number
from quizapp.text import clean

SEEDS = 50
FEWEST_VARIANTS = 6
"""A parametric question with fewer sets of numbers can be learnt by heart."""

_OF_THE_ABOVE = re.compile(r"^\W*(all|none|both|neither|any) of (the )?(above|these|others)\b", re.I)
_REFERENCE = re.compile(
    r"\b(?i:options?|answers?|choices?)\s+\(?[A-H1-8]\b(?!\w)|\b(?i:both|neither)\s+[A-H]\s+(and|nor)\s+[A-H]\b"
)
_NEGATIVE = re.compile(
    r"\bwhich\b(?:(?!\b(?:that|who|whose|when|if|where|because|although)\b)[^.?!])*?"
    r"\b(?<!and )(?<!or )(?<!but )(not|except|never|least)\b"
)
_ORDER_WORD = re.compile(r"^\W*(first|second|third|then|next|after that|finally|lastly|at last)\b", re.I)

Rule = Callable[[Question, date], Iterator[str]]


def same_option_text(question: Question, today: date) -> Iterator[str]:
    seen: set[str] = set()
    for text in options_of(question):
        folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".")
        if folded in seen:
            yield f"the text '{text[:60]}' is there twice; make the options differ"
        seen.add(folded)


def pinned(question: Question, today: date) -> Iterator[str]:
    if isinstance(question, Single | Multiple):
        for option in question.options:
            if _OF_THE_ABOVE.search(option.text) and option.pin != "last":
                yield f"option '{option.id}' says '{option.text[:40]}' but is shuffled; add 'pin: last' or rewrite it"


def cross_reference(question: Question, today: date) -> Iterator[str]:
    for field, text in texts_of(question):
        found = _REFERENCE.search(text)
        if found:
            yield f"'{field}' says '{found[0]}', but letters change with every shuffle; name the thing itself"


def negative_stem(question: Question, today: date) -> Iterator[str]:
    plain = re.sub(r"\*\*.*?\*\*", "", question.ask, flags=re.DOTALL)
    found = _NEGATIVE.search(plain.replace("Which", "which"))
    if found:
        yield f"the stem asks for the negative; write **{found[1]}** in bold or turn the question round"


def given_away(question: Question, today: date) -> Iterator[str]:
    stem = loosely(question.ask)
    if isinstance(question, Short):
        for text in question.accept:
            if len(loosely(text)) >= 3 and re.search(rf"\b{re.escape(text.casefold())}\b", question.ask.casefold()):
                yield f"the stem holds the accepted answer '{text}'; ask without it"
    elif isinstance(question, Single):
        inside = [o for o in question.options if len(loosely(o.text)) >= 8 and loosely(o.text) in stem]
        if len(inside) == 1 and inside[0].correct:
            yield f"the stem holds the key '{inside[0].text[:60]}' and no other option; ask without it"


def repeated_why(question: Question, today: date) -> Iterator[str]:
    seen: dict[str, str] = {}
    for field, why in reasons_of(question):
        key = " ".join(words(why))
        if key in seen:
            yield f"'{field}' is the same as '{seen[key]}'; say why this one is right or wrong"
        seen.setdefault(key, field)


def expired(question: Question, today: date) -> Iterator[str]:
    if question.expires is not None and question.expires < today:
        yield f"the fact expired on {question.expires}; check it against its sources and move 'expires'"


def hostile_characters(question: Question, today: date) -> Iterator[str]:
    for field, text in texts_of(question):
        if clean(text) != text:
            yield f"'{field}' holds control or direction characters; remove them"


def order_words(question: Question, today: date) -> Iterator[str]:
    if isinstance(question, Order):
        for item in question.items:
            found = _ORDER_WORD.match(item.text)
            if found:
                yield f"item '{item.id}' starts with '{found[1]}', which gives its place away; rephrase it"


def reject_accepted(question: Question, today: date) -> Iterator[str]:
    if isinstance(question, Short) and not question.exact:
        accepted = {loosely(text) for text in question.accept}
        for reject in question.reject:
            if loosely(reject.text) in accepted:
                yield f"'{reject.text}' is both accepted and rejected; remove one"


def hidden_parameter(question: Question, today: date) -> Iterator[str]:
    if isinstance(question, Numeric):
        shown = set(PLACEHOLDER.findall(question.ask))
        for name in question.params:
            if name not in shown:
                yield f"parameter '{name}' is not shown in 'ask', so the learner cannot know it; write {{{name}}}"


def variants(question: Question, today: date) -> Iterator[str]:
    """Fifty variants are computed: each has an answer, they differ, and no trap is as good as the answer."""
    if not isinstance(question, Numeric):
        return
    asks = set()
    for seed in range(SEEDS):
        try:
            variant = make_variant(question, seed)
        except FormulaError as error:
            yield f"seed {seed}: {error}"
            return
        asks.add(variant.ask)
        assert variant.answer is not None
        for i, trap in enumerate(variant.traps):
            if abs(trap.value - variant.answer) <= allowed(question, variant.answer):
                shown = ", ".join(f"{name}={value}" for name, value in variant.params.items())
                value, answer = (plain_number(round(number, 6)) for number in (trap.value, variant.answer))
                given = f" for {shown}" if shown else ""
                yield f"trap {i + 1} ({value}) counts as the answer ({answer}){given}; change the values"
                return
    if question.params and len(asks) < FEWEST_VARIANTS:
        yield f"only {len(asks)} different variants in {SEEDS}; give the parameters more values"


RULES: dict[str, Rule] = {
    "same-option-text": same_option_text,
    "pin-last": pinned,
    "cross-reference": cross_reference,
    "negative-stem": negative_stem,
    "given-away": given_away,
    "repeated-why": repeated_why,
    "expired": expired,
    "hostile-characters": hostile_characters,
    "order-words": order_words,
    "reject-accepted": reject_accepted,
    "hidden-parameter": hidden_parameter,
    "variants": variants,
}
