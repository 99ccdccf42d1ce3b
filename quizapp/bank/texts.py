"""The texts of a question, and how alike two questions are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from quizapp.bank.schema import Match, Multiple, Numeric, Order, Question, Short, Single

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be because been but by can do does for from has have how if in into is it its no not of on
        or so than that the their them then there these they this those to was what when where which while who why will
        with would you your each one two""",
    )
)


def options_of(question: Question) -> list[str]:
    """What the learner chooses from, as written."""
    match question:
        case Single() | Multiple():
            return [o.text for o in question.options]
        case Order():
            return [i.text for i in question.items]
        case Match():
            lefts = [p.left for p in question.pairs]
            return [*lefts, *(p.right for p in question.pairs), *(d.text for d in question.extra)]
        case _:
            return []


def texts_of(question: Question) -> Iterator[tuple[str, str]]:
    """(field, text) of everything that a learner can come to read."""
    yield "ask", question.ask
    yield "explain", question.explain
    for i, text in enumerate(options_of(question)):
        yield f"options.{i}", text
    yield from reasons_of(question)


def reasons_of(question: Question) -> Iterator[tuple[str, str]]:
    """(field, text) of every `why`."""
    match question:
        case Single() | Multiple():
            for option in question.options:
                yield f"options.{option.id}.why", option.why
        case Order():
            for item in question.items:
                yield f"items.{item.id}.why", item.why
        case Match():
            for pair in question.pairs:
                yield f"pairs.{pair.id}.why", pair.why
            for extra in question.extra:
                yield f"extra.{extra.id}.why", extra.why
        case Numeric():
            yield "why", question.why
            for i, trap in enumerate(question.traps):
                yield f"traps.{i}.why", trap.why
        case Short():
            yield "why", question.why
            for i, reject in enumerate(question.reject):
                yield f"reject.{i}.why", reject.why


def words(text: str) -> list[str]:
    """Lower-case words; hyphens and apostrophes inside a word are dropped, numbers stay."""
    folded = re.sub(r"(?<=\w)[-'’](?=\w)", "", unicodedata.normalize("NFKC", text).casefold())
    return re.findall(r"\w+", folded)


def content_words(text: str) -> set[str]:
    """Words that carry meaning, roughly without plural."""
    return {word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words(text)} - STOP_WORDS


def shingles(sequence: list[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(sequence[i : i + size]) for i in range(len(sequence) - size + 1)}


def near_duplicates(questions: Iterable[Question], threshold: float = 0.4) -> list[tuple[str, str, float]]:
    """Pairs of questions whose stem and options share at least `threshold` of their word pairs (Jaccard index).

    Numbers are left out, so that the same calculation with other figures counts as the same question.
    """
    prints: list[tuple[str, set[tuple[str, ...]]]] = []
    for question in questions:
        grams: set[tuple[str, ...]] = set()
        for text in (question.ask, *options_of(question)):
            grams |= shingles([w for w in words(text) if not w.isdigit()], 2)
        prints.append((question.id, grams))
    found = []
    for i, (one, a) in enumerate(prints):
        for other, b in prints[i + 1 :]:
            smaller, larger = sorted((len(a), len(b)))
            if smaller >= threshold * larger and larger:
                alike = len(a & b) / len(a | b)
                if alike >= threshold:
                    found.append((one, other, alike))
    return found
