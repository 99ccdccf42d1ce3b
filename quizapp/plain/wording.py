"""Questions and verdicts as lines of plain text. The session cleans each line of what a terminal would obey."""

from __future__ import annotations

from collections.abc import Iterator

from quizapp.bank.grade import Grade
from quizapp.bank.model import Bank
from quizapp.bank.response import LETTERS
from quizapp.bank.schema import Match, Multiple, Numeric, Order, Question, Short, Single
from quizapp.bank.variant import Variant
from quizapp.plain.marks import unmarked
from quizapp.study import Card, Outcome
from quizapp.text import one_line

HELP = """\
Type your answer and press Enter.
  one option: B        several: AC        an order: C A B        pairs: 1B 2A 3C
  a number: 8.4 GB     a text: as it is   do not know: -
Add ! if you are sure, ? if it is a guess: B!  8.4 GB?  On a terminal you are asked where neither is there.
u undoes the last answer, f flags this question (/f REASON says why), s skips it, q quits, h shows this.
Where one of these letters is an option, write the command with a slash: /f"""

HOW_SURE = "How sure? 1 guess, 2 unsure, 3 sure, Enter not said: "


def question_lines(card: Card, number: int, limit: int | None) -> Iterator[str]:
    """The question without its key."""
    question, variant = card.question, card.variant
    of = f" of {limit}" if limit else ""
    yield ""
    yield f"Question {number}{of}. Topic {one_line(card.topic)}. {_state(card)}{_instruction(question, variant)}"
    if card.needs_check:
        yield f"Needs check: this fact was good until {question.expires} and may have changed."
    if card.flagged:
        yield f"You flagged this question. {one_line(card.flag_reason)}".rstrip()
    if card.note:
        yield f"Your note: {one_line(card.note)}"
    yield from _text(variant.ask)
    for i, left in enumerate(variant.lefts, 1):
        yield f"{i}. {_inline(left.text)}"
    for letter, choice in zip(LETTERS, variant.choices, strict=False):
        yield f"{letter}. {_inline(choice.text)}"


def verdict_lines(card: Card, outcome: Outcome, bank: Bank) -> Iterator[str]:
    """The verdict, the explanation, the reason for every part, the sources, and when it comes again."""
    grade, variant = outcome.grade, card.variant
    assert grade is not None
    yield _inline(grade.message)
    yield from _key_lines(variant, grade)
    yield from _text(variant.explain)
    yield from _part_lines(variant, grade)
    for key in grade.misconceptions:
        misconception = bank.misconceptions[key]
        yield f"A common belief: {_inline(misconception.belief)} In truth: {_inline(misconception.truth)}"
    for key in card.question.sources:
        source = bank.sources[key]
        address = "" if source.address == "computed" else f", {one_line(source.address)}"
        yield f"Source: {_inline(source.title)}{address}, checked {source.checked}."
    rated = f"Rated {outcome.rating}: {outcome.rating_reason}."
    yield f"As of {card.question.as_of}. {rated} Next: {outcome.next_due_text}."
    if outcome.leech:
        yield "You have often missed this one: flag it, or read up on it before it comes again."


def _state(card: Card) -> str:
    return "New. " if card.state == "new" else ""


def _instruction(question: Question, variant: Variant) -> str:
    match question:
        case Single():
            return "Choose one."
        case Multiple():
            return f"Choose {question.choose}."
        case Numeric():
            return f"Type a number in {question.unit}." if question.unit else "Type a number."
        case Order():
            return "Put these in order, first one first."
        case Match():
            return "Give each number its letter; some letters may stay unused." if question.extra else "Match them."
        case Short():
            return "Type it exactly." if question.exact else "Type a word or a few."


def _key_lines(variant: Variant, grade: Grade) -> Iterator[str]:
    """The right answer by the letters that were shown."""
    letter = {choice.id: LETTERS[i] for i, choice in enumerate(variant.choices)}
    match variant.question:
        case Single() | Multiple():
            keys = [part for part in grade.parts if part.right]
            yield f"Answer: {', '.join(letter[part.id] for part in keys)}."
        case Order():
            yield f"Right order: {' '.join(letter[part.id] for part in grade.parts)}."
        case Match():
            yield f"Right pairs: {' '.join(f'{n}{letter[left.id]}' for n, left in enumerate(variant.lefts, 1))}."
        case _:
            if grade.correct or grade.blank:
                yield f"Answer: {_inline(grade.parts[0].text)}."


def _part_lines(variant: Variant, grade: Grade) -> Iterator[str]:
    letter = {choice.id: LETTERS[i] for i, choice in enumerate(variant.choices)}
    number = {left.id: str(i) for i, left in enumerate(variant.lefts, 1)}
    match variant.question:
        case Single() | Multiple():
            for part in grade.parts:
                verdict = "right" if part.right else "wrong"
                chosen = ", your choice" if part.chosen else ""
                yield f"{letter[part.id]} ({verdict}{chosen}): {_inline(part.why)}"
        case Order():
            for part in grade.parts:
                yield f"{letter[part.id]}{'' if part.right else ' (elsewhere in yours)'}: {_inline(part.why)}"
        case Match():
            for part in grade.parts:
                none = "belongs to none" + (", but you used it" if part.chosen else "")
                verdict = none if part.id not in number else "right" if part.right else "missed"
                yield f"{number.get(part.id, '')}{letter[part.id]} ({verdict}): {_inline(part.why)}"
        case _:
            for part in reversed(grade.parts):
                yield f"{_inline(part.text)}: {_inline(part.why)}"


def _text(markdown: str) -> Iterator[str]:
    """Markdown as it reads aloud: fences dropped, bold in capitals, one line a line."""
    fenced = False
    for line in markdown.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif line.strip():
            yield line.rstrip() if fenced else unmarked(line.rstrip())


def _inline(markdown: str) -> str:
    return unmarked(one_line(markdown))
