"""Sorting a bank into shelves, many questions at a glance, loses nothing that one question says."""

from __future__ import annotations

import random
from collections import Counter

from exam.helpers import own_bank

from quizapp.bank.model import Bank
from quizapp.bank.schema import Single
from quizapp.progress.shelf import Shelves, beliefs, beliefs_of, chance_of, objectives, style, topic


def mixed_bank() -> Bank:
    """The bank with objectives and beliefs dealt anew from a few, so that questions differ in one thing only."""
    rng = random.Random(1)
    dealt = {}
    for name, question in own_bank().questions.items():
        changes: dict[str, object] = {"objectives": rng.sample(["a", "b", "c"], rng.randint(1, 2))}
        if isinstance(question, Single):
            beliefs = [None, rng.choice([None, "x", "y"])]
            changes["options"] = [
                one.model_copy(update={"misconception": rng.choice(beliefs)})
                for one in question.options[: rng.choice([2, len(question.options)])]
            ]
        dealt[name] = question.model_copy(update=changes)
    return Bank(questions=dealt, topic=dict.fromkeys(dealt, "t") | {name: "u" for name in list(dealt)[::2]})


def test_each_question_of_the_bank_stands_on_a_shelf_that_says_what_it_says() -> None:
    bank = mixed_bank()
    shelves = Shelves(bank)
    for name, question in bank.questions.items():
        number = shelves.number(name)
        assert number is not None
        shelf = shelves.shelves[number]
        assert (shelf.topic, shelf.style) == (bank.topic[name], question.style)
        assert shelf.objectives == tuple(question.objectives)
        assert (set(shelf.beliefs), shelf.chance) == (beliefs_of(question), chance_of(question))
    assert sum(shelf.questions for shelf in shelves.shelves) == len(bank.questions)
    assert shelves.number("in-no-bank") is None


def test_values_are_counted_as_one_by_one() -> None:
    bank = mixed_bank()
    shelves = Shelves(bank)
    some = [name for n, name in enumerate(bank.questions) if n % 3]
    chosen = [bank.questions[name] for name in some]
    assert shelves.values(some, topic) == Counter(bank.topic[name] for name in some)
    assert shelves.values(some, style) == Counter(one.style for one in chosen)
    assert shelves.values(some, objectives) == Counter(key for one in chosen for key in one.objectives)
    assert shelves.values(some, beliefs) == Counter(belief for one in chosen for belief in beliefs_of(one))
    assert shelves.values(["in-no-bank"], topic) == Counter()
