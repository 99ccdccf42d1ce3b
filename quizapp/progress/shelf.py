"""What the bank says of each question: its part of the exam, its chance, the beliefs it tempts to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from quizapp.bank.checks import misconceptions_of
from quizapp.bank.model import Bank
from quizapp.bank.schema import Match, Multiple, Order, Question, Single
from quizapp.progress.mastery import Part

Key = TypeVar("Key", bound=Hashable)


def chance_of(question: Question) -> float:
    """What a blind guess scores: 0 where nothing is offered to choose from."""
    match question:
        case Single():
            return 1 / len(question.options)
        case Multiple():
            return 1 / math.comb(len(question.options), question.choose)
        case Order():
            return 1 / math.factorial(len(question.items))
        case Match():
            return 1 / math.perm(len(question.pairs) + len(question.extra), len(question.pairs))
    return 0.0


def beliefs_of(question: Question) -> set[str]:
    """Misconceptions that its wrong options, traps or pairs stand for."""
    return {name for _, name in misconceptions_of(question) if name}


@dataclass(frozen=True)
class Shelf:
    """Questions alike in topic, style, objectives, the beliefs they tempt to, what a blind guess scores, difficulty."""

    topic: str
    style: str
    objectives: tuple[str, ...]
    beliefs: tuple[str, ...]
    chance: float
    difficulty: int
    """As its author judged, 1 to 5."""
    questions: int = 0


def _shelf_for(question: Question, topic: str) -> Shelf:
    beliefs = tuple(sorted(beliefs_of(question)))
    return Shelf(topic, question.style, tuple(question.objectives), beliefs, chance_of(question), question.difficulty)


def topic(shelf: Shelf) -> tuple[str, ...]:
    return (shelf.topic,)


def style(shelf: Shelf) -> tuple[str, ...]:
    return (shelf.style,)


def beliefs(shelf: Shelf) -> tuple[str, ...]:
    return shelf.beliefs


def objectives(shelf: Shelf) -> tuple[str, ...]:
    """A question of several objectives is in the part of each: such parts overlap."""
    return shelf.objectives


def together(exam: Collection[str]) -> Callable[[Shelf], tuple[tuple[str, ...], ...]]:
    """By all the objectives of an exam that a question has: each of the exam's questions is in one part only."""

    def key(shelf: Shelf) -> tuple[tuple[str, ...], ...]:
        mine = tuple(sorted(set(shelf.objectives) & set(exam)))
        return (mine,) if mine else ()

    return key


@dataclass(frozen=True)
class Seen:
    """Questions with a memory that are alike: in which bin (`bins`) now and on the exam's day, and whether mature."""

    now: int
    later: int
    mature: bool
    questions: Sequence[str]


class Shelves:
    """The bank sorted into shelves once; questions are then counted by shelf, not looked at one by one."""

    def __init__(self, bank: Bank) -> None:
        numbers: dict[Shelf, int] = {}
        looks: dict[tuple[object, ...], int] = {}  # what most questions have in common can be told at a glance
        self._shelf: dict[str, int] = {}
        for name, question in bank.questions.items():
            subject = bank.topic.get(name, "")
            look: tuple[object, ...] = (name,)
            if isinstance(question, Single):
                tempting = tuple([option.misconception for option in question.options])
                look = subject, question.style, tuple(question.objectives), tempting, question.difficulty
            number = looks.get(look)
            if number is None:
                number = looks[look] = numbers.setdefault(_shelf_for(question, subject), len(numbers))
            self._shelf[name] = number
        self.number: Callable[[str], int | None] = self._shelf.get
        """Of a question's shelf; None for one that is in no bank. It is asked a hundred thousand times a screen."""
        counts = Counter(self._shelf.values())
        self.shelves = [replace(shelf, questions=counts[number]) for shelf, number in numbers.items()]
        self.tempting: Counter[str] = Counter()
        """How many questions offer each belief."""
        for shelf in self.shelves:
            for belief in shelf.beliefs:
                self.tempting[belief] += shelf.questions

    def numbers(self, wanted: Callable[[Shelf], bool]) -> set[int]:
        """Of the shelves that are wanted."""
        return {number for number, shelf in enumerate(self.shelves) if wanted(shelf)}

    def values(self, questions: Iterable[str], by: Callable[[Shelf], Iterable[Key]]) -> Counter[Key]:
        """How many of them each topic, style, … has."""
        found: Counter[Key] = Counter()
        for number, count in self._count(questions).items():
            for value in by(self.shelves[number]):
                found[value] += count
        return found

    def _count(self, questions: Iterable[str]) -> dict[int, int]:
        """Questions by shelf; what is in no bank is left out."""
        counted: Counter[int | None] = Counter(map(self.number, questions))
        return {shelf: count for shelf, count in counted.items() if shelf is not None}

    def offered(self, answers: Mapping[int, Sequence[str]]) -> dict[str, int]:
        """How many answers were given where each belief was offered. `answers`: questions by number of answers."""
        found: Counter[str] = Counter()
        for times, questions in answers.items():
            for belief, count in self.values(questions, beliefs).items():
                found[belief] += times * count
        return found

    def sort(self, seen: Sequence[Seen], first_wrong: Sequence[str], first_right: Sequence[str]) -> Sorted:
        """The learner's questions on the shelves."""
        return Sorted(
            self.shelves,
            [(one, self._count(one.questions)) for one in seen],
            self._count(first_wrong),
            self._count(first_right),
        )


@dataclass(frozen=True)
class Sorted:
    """Counts by shelf, to be added up by whatever the screens ask for."""

    shelves: Sequence[Shelf]
    seen: Sequence[tuple[Seen, Mapping[int, int]]]
    first_wrong: Mapping[int, int]
    first_right: Mapping[int, int]

    def difficulties(self, exam: Collection[str]) -> tuple[float | None, float | None]:
        """Mean difficulty of an exam's questions that were answered ever, and of those that never were."""
        totals = [[0, 0], [0, 0]]
        for number, shelf in enumerate(self.shelves):
            if not set(shelf.objectives).isdisjoint(exam):
                answered = self.first_wrong.get(number, 0) + self.first_right.get(number, 0)
                for total, count in zip(totals, (answered, shelf.questions - answered), strict=True):
                    total[0] += count
                    total[1] += count * shelf.difficulty
        answered_mean, unseen_mean = (told / count if count else None for count, told in totals)
        return answered_mean, unseen_mean

    def parts(self, by: Callable[[Shelf], Iterable[Key]], later: bool = False) -> dict[Key, Part]:
        """Parts by `objectives`, `topic` or `together`; with `later` the bins are those of the exam's day."""
        parts: dict[Key, Part] = {}
        keys = [tuple(by(shelf)) for shelf in self.shelves]
        for number, shelf in enumerate(self.shelves):
            right = self.first_right.get(number, 0)
            for key in keys[number]:
                part = parts.setdefault(key, Part())
                total = part.questions + shelf.questions
                part.chance = (part.chance * part.questions + shelf.chance * shelf.questions) / total
                part.questions = total
                part.first = (part.first[0] + right + self.first_wrong.get(number, 0), part.first[1] + right)
        for one, counts in self.seen:
            at = one.later if later else one.now
            for number, count in counts.items():
                for key in keys[number]:
                    parts[key].seen[at] += count
                    parts[key].mature += count * one.mature
        return parts
