"""A guesser that knows tests but not the subject: what it scores above chance, the bank gives away.

The cues are the classic ones of test-wiseness (Millman, Bishop and Ebel 1965, doi:10.1177/001316446502500304;
Haladyna, Downing and Rodriguez 2002, doi:10.1207/S15324818AME1503_5): the key tends to be the longest and most
qualified option, to avoid absolute words, to repeat words of the stem, and to share most with the other options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from quizapp.bank.schema import Option, Single
from quizapp.bank.texts import content_words

_ABSOLUTE = re.compile(
    r"\b(always|never|only|all|every|none|no|cannot|must|any|impossible|guarantees?d?|entirely)\b", re.IGNORECASE
)
_HEDGE = re.compile(
    r"\b(usually|often|may|might|can|typically|depends?|some|most|mainly|about|at least|at most)\b", re.IGNORECASE
)

Cue = Callable[[Single, Option], float]


def length(question: Single, option: Option) -> float:
    longest = max(len(o.text) for o in question.options)
    return len(option.text) / longest


def no_absolutes(question: Single, option: Option) -> float:
    return -float(len(_ABSOLUTE.findall(option.text)))


def hedged(question: Single, option: Option) -> float:
    return float(len(_HEDGE.findall(option.text)))


def stem_overlap(question: Single, option: Option) -> float:
    own = content_words(option.text)
    return len(own & content_words(question.ask)) / len(own) if own else 0.0


def convergence(question: Single, option: Option) -> float:
    """How much of it turns up in the other options."""
    own = content_words(option.text)
    others = [content_words(o.text) for o in question.options if o is not option]
    return sum(len(own & other) / len(own) for other in others) / len(others) if own and others else 0.0


CUES: dict[str, Cue] = {
    "length": length,
    "no_absolutes": no_absolutes,
    "hedged": hedged,
    "stem_overlap": stem_overlap,
    "convergence": convergence,
}


def everything(question: Single, option: Option) -> float:
    """All cues together, each as this option's share of the spread within the question."""
    return sum(_standard(question, option, cue) for cue in CUES.values())


def _standard(question: Single, option: Option, cue: Cue) -> float:
    values = [cue(question, o) for o in question.options]
    low, high = min(values), max(values)
    return (cue(question, option) - low) / (high - low) if high > low else 0.0


def score(questions: Sequence[Single], cue: Cue = everything) -> float:
    """Share of single-choice questions that the guesser gets right; where options tie it picks one of them blindly."""
    if not questions:
        return 0.0
    return sum(_hit(question, cue) for question in questions) / len(questions)


def _hit(question: Single, cue: Cue) -> float:
    values = [cue(question, option) for option in question.options]
    best = [o for o, value in zip(question.options, values, strict=True) if value >= max(values) - 1e-12]
    return sum(o.correct for o in best) / len(best)


def chance(questions: Sequence[Single]) -> float:
    """What blind guessing scores."""
    return sum(1 / len(q.options) for q in questions) / len(questions) if questions else 0.0
