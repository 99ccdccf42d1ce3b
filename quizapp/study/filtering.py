"""Filters over the bank: which question ids they choose."""

from __future__ import annotations

from functools import cached_property

from quizapp.bank.model import Bank
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
        topic, questions = self._bank.topic, self._bank.questions
        found = list(questions)
        if filter.ids:
            ids = set(filter.ids)
            found = [one for one in found if one in ids]
        if filter.topics:
            found = [one for one in found if topic.get(one) in filter.topics]
        if filter.kinds:
            found = [one for one in found if questions[one].kind in filter.kinds]
        if filter.styles:
            found = [one for one in found if questions[one].style in filter.styles]
        if filter.objectives:
            found = [one for one in found if not set(filter.objectives).isdisjoint(questions[one].objectives)]
        for word in filter.text.casefold().split():
            texts = self._texts
            found = [one for one in found if word in texts[one]]
        return found
