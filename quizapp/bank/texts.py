"""The texts of a question, and how alike two questions are."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

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
    """Pairs of questions whose stem and options share at least `threshold` (above 0) of their word pairs (Jaccard).

    Numbers are left out, so that the same calculation with other figures counts as the same question.

    Not every question is compared with every other: two that are so alike share one of the word pairs that are rarest
    in the bank, among as many of each as may not be common to both (prefix filter: Chaudhuri et al., ICDE 2006).
    """
    prints = [(question.id, word_pairs(question)) for question in questions]
    counts = Counter(pair for _, pairs in prints for pair in pairs)
    holders: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    found = []
    for n, (other, b) in enumerate(prints):
        least = math.ceil(threshold * len(b) - 1e-9)
        rarest = sorted(b, key=lambda pair: (counts[pair], pair))[: len(b) - least + 1]
        for i in {i for pair in rarest for i in holders[pair]}:
            one, a = prints[i]
            share = _share(a, b, threshold)
            if share:
                found.append((i, n, one, other, share))
        for pair in rarest:
            holders[pair].append(n)
    return [(one, other, share) for _, _, one, other, share in sorted(found)]


class NearDuplicates:
    """The pairs of `near_duplicates`, as sets of two ids; each is decided when it is asked for."""

    def __init__(self, questions: Mapping[str, Question], threshold: float = 0.4) -> None:
        self._prints = cache(lambda one: word_pairs(questions[one]))
        self._threshold = threshold

    def __contains__(self, pair: object) -> bool:
        assert isinstance(pair, frozenset)
        one, other = pair
        return _share(self._prints(one), self._prints(other), self._threshold) > 0


def word_pairs(question: Question) -> set[tuple[str, ...]]:
    """Words that follow each other in its stem or an option; numbers are left out."""
    pairs: set[tuple[str, ...]] = set()
    for text in (question.ask, *options_of(question)):
        pairs |= shingles([w for w in words(text) if not w.isdigit()], 2)
    return pairs


def _share(a: set[tuple[str, ...]], b: set[tuple[str, ...]], threshold: float) -> float:
    """The Jaccard index, or 0 where it is below the threshold."""
    smaller, larger = sorted((len(a), len(b)))
    if not larger or smaller < threshold * larger:
        return 0.0
    common = len(a & b)
    share = common / (smaller + larger - common)
    return share if share >= threshold else 0.0
