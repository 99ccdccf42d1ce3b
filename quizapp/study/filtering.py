"""Filters over the bank: which question ids they choose."""

from __future__ import annotations

from functools import cached_property

from quizapp.bank.model import Bank
from quizapp.bank.schema import Question
from quizapp.bank.texts import options_of
from quizapp.study.values import Filter


class Chooser:
    """The filters of one bank. What a search looks through is made once, since every letter typed asks for it."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    @cached_property
    def _texts(self) -> dict[str, str]:
        topic = self._bank.topic
        return {
            name: "\n".join((name, one.ask, *options_of(one), *one.tags, topic.get(name, ""))).casefold()
            for name, one in self._bank.questions.items()
        }

    def chosen(self, filter: Filter) -> list[str] | None:
        """Ids that the filter chooses by what the bank knows, in its order; None: all. The store knows the flags."""
        if filter == Filter(flagged=filter.flagged):
            return None
        found = list(self._bank.questions)
        for word in filter.text.casefold().split():
            texts = self._texts
            found = [one for one in found if word in texts[one]]
        return [one for one in found if self._fits(filter, one, self._bank.questions[one])]

    def _fits(self, filter: Filter, question_id: str, question: Question) -> bool:
        """All but the words."""
        if filter.ids and question_id not in filter.ids:
            return False
        if filter.topics and self._bank.topic.get(question_id) not in filter.topics:
            return False
        if filter.kinds and question.kind not in filter.kinds:
            return False
        if filter.styles and question.style not in filter.styles:
            return False
        return not filter.objectives or not set(filter.objectives).isdisjoint(question.objectives)
