"""Judging a bank as a whole: what a test-wise guesser could exploit, what is told twice, what is copied or stale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

from quizapp.bank import guesser
from quizapp.bank.checks import misconceptions_of
from quizapp.bank.model import Bank
from quizapp.bank.response import LETTERS
from quizapp.bank.rules import RULES
from quizapp.bank.schema import KINDS, STYLES, Question, Single
from quizapp.bank.texts import near_duplicates, shingles, texts_of, words
from quizapp.text import counted, percent

ENOUGH = 40
"""Single-choice questions that it takes before shares say something."""
POSITION_SPREAD = 0.07
LONGEST_LIMIT = 0.35
GUESSER_MARGIN = 0.10
COPIED_WORDS = 8


@dataclass(frozen=True)
class Problem:
    """Something to mend; `id` is empty when it is the bank as a whole."""

    id: str
    rule: str
    message: str


@dataclass
class Report:
    """Shares are from 0 to 1 and over single-choice questions, as stored (before any shuffle)."""

    questions: int
    kinds: dict[str, int]
    styles: dict[str, int]
    objectives: dict[str, int]
    key_position: dict[str, float]
    longest_correct: float
    test_wise_score: float
    chance: float
    cues: dict[str, float]
    problems: list[Problem] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """The report for a person."""
        yield f"questions        {self.questions}"
        yield f"kinds            {_listed(self.kinds)}"
        yield f"styles           {_listed(self.styles)}"
        yield f"objectives       {_listed(self.objectives)}"
        yield f"key position     {', '.join(f'{k} {percent(v)}' for k, v in self.key_position.items())}"
        yield f"longest correct  {percent(self.longest_correct)}"
        yield f"test-wise score  {percent(self.test_wise_score)} (chance {percent(self.chance)})"
        yield f"single cues      {', '.join(f'{k} {percent(v)}' for k, v in self.cues.items())}"
        for problem in self.problems:
            yield f"{problem.id or 'bank'}: {problem.message} [{problem.rule}]"
        yield counted(len(self.problems), "problem") if self.problems else "no problems"


def lint_bank(bank: Bank, today: date, not_from: Iterable[str] = ()) -> Report:
    """Judge a bank. `today` decides what has expired; no question may copy eight words in a row from `not_from`."""
    questions = list(bank.questions.values())
    singles = [q for q in questions if isinstance(q, Single)]
    report = Report(
        questions=len(questions),
        kinds=_counted((q.kind for q in questions), KINDS),
        styles=_counted((q.style for q in questions), STYLES),
        objectives=_counted((o for q in questions for o in q.objectives), bank.objectives),
        key_position=key_positions(singles),
        longest_correct=guesser.score(singles, guesser.length),
        test_wise_score=guesser.score(singles),
        chance=guesser.chance(singles),
        cues={name: guesser.score(singles, cue) for name, cue in guesser.CUES.items()},
    )
    copied = _Copied(not_from)
    for question in questions:
        for rule, judge in RULES.items():
            report.problems.extend(Problem(question.id, rule, message) for message in judge(question, today))
        report.problems.extend(copied.problems(question))
    report.problems.extend(_duplicates(questions))
    report.problems.extend(_unused(bank))
    if len(singles) >= ENOUGH:
        report.problems.extend(_tells(report, singles))
    return report


def key_positions(singles: Sequence[Single]) -> dict[str, float]:
    """Share of single-choice questions whose key is stored first (A), second (B), …"""
    if not singles:
        return {}
    places = Counter(next(i for i, o in enumerate(q.options) if o.correct) for q in singles)
    widest = max(len(q.options) for q in singles)
    return {LETTERS[i]: places[i] / len(singles) for i in range(widest)}


def _tells(report: Report, singles: Sequence[Single]) -> Iterator[Problem]:
    fours = [q for q in singles if len(q.options) == 4]
    for letter, share in key_positions(fours).items():
        if len(fours) >= ENOUGH and abs(share - 0.25) > POSITION_SPREAD:
            message = f"the key is stored at {letter} in {percent(share)} of the four-option questions; aim at 25 %"
            yield Problem("", "key-position", message)
    if report.longest_correct > LONGEST_LIMIT:
        longest = percent(report.longest_correct)
        message = f"the longest option is right in {longest}; shorten keys or lengthen distractors"
        yield Problem("", "longest-correct", message)
    if report.test_wise_score > report.chance + GUESSER_MARGIN:
        score, chance = percent(report.test_wise_score), percent(report.chance)
        message = f"a guesser who only knows tests scores {score}; chance is {chance}"
        yield Problem("", "test-wise", message)


def _duplicates(questions: Sequence[Question]) -> Iterator[Problem]:
    for one, other, alike in near_duplicates(questions):
        message = f"shares {percent(alike)} of its wording with '{other}'; drop one or ask something else"
        yield Problem(one, "near-duplicate", message)


def _unused(bank: Bank) -> Iterator[Problem]:
    questions = bank.questions.values()
    exam_sources = {str(key) for exam in bank.exams.values() for key in exam.get("sources") or ()}
    used = {key for q in questions for key in q.sources} | exam_sources
    for key in sorted(set(bank.sources) - used - bank.borrowed):
        yield Problem("", "unused-source", f"source '{key}' is named by no question; use it or remove it")
    named = {name for q in questions for _, name in misconceptions_of(q)}
    for key in sorted(set(bank.misconceptions) - named - bank.borrowed):
        yield Problem("", "unused-misconception", f"misconception '{key}' is named by no option; use it or remove it")


class _Copied:
    def __init__(self, texts: Iterable[str]) -> None:
        runs = (run for text in texts for run in shingles(words(text), COPIED_WORDS))
        self.runs = {run for run in runs if sum(word.isalpha() for word in run) > COPIED_WORDS // 2}

    def problems(self, question: Question) -> Iterator[Problem]:
        for where, text in texts_of(question) if self.runs else ():
            sequence = words(text)
            for i in range(len(sequence) - COPIED_WORDS + 1):
                if tuple(sequence[i : i + COPIED_WORDS]) in self.runs:
                    run = " ".join(sequence[i : i + COPIED_WORDS])
                    yield Problem(question.id, "copied", f"'{where}' copies '{run}'; say it in other words")
                    break


def _counted(values: Iterable[str], known: Iterable[str]) -> dict[str, int]:
    counts = Counter(values)
    return {**{name: counts[name] for name in known}, **counts}


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items())
