"""Filters over the bank: which question ids they choose."""

from __future__ import annotations

from functools import lru_cache

from quizapp.bank.load import Bank
from quizapp.bank.schema import Match, Multiple, Order, Question, Single
from quizapp.study.values import Filter


@lru_cache(maxsize=4096)
def _searchable(question_id: str, ask: str, rest: tuple[str, ...]) -> str:
    return "\n".join((question_id, ask, *rest)).casefold()


def _texts(question: Question) -> tuple[str, ...]:
    if isinstance(question, Single | Multiple):
        return tuple(o.text for o in question.options)
    if isinstance(question, Order):
        return tuple(i.text for i in question.items)
    if isinstance(question, Match):
        return tuple(side for p in question.pairs for side in (p.left, p.right))
    return ()


def chosen(bank: Bank, filter: Filter) -> list[str] | None:
    """Ids that the filter chooses by what the bank knows, in bank order; None: all. Flags are known to the store."""
    if filter == Filter(flagged=filter.flagged):
        return None
    words = filter.text.casefold().split()
    ids = set(filter.ids)

    def fits(question_id: str, question: Question) -> bool:
        if ids and question_id not in ids:
            return False
        if filter.topics and bank.topic.get(question_id) not in filter.topics:
            return False
        if filter.kinds and question.kind not in filter.kinds:
            return False
        if filter.styles and question.style not in filter.styles:
            return False
        if filter.objectives and not set(filter.objectives) & set(question.objectives):
            return False
        if words:
            rest = (*_texts(question), *question.tags, bank.topic.get(question_id, ""))
            text = _searchable(question_id, question.ask, rest)
            return all(word in text for word in words)
        return True

    return [question_id for question_id, question in bank.questions.items() if fits(question_id, question)]
