"""A mock exam as lines of plain text: questions without their key, the state of the paper, the result, the review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from quizapp.bank.grade import Grade
from quizapp.bank.model import Bank
from quizapp.bank.response import LETTERS
from quizapp.bank.schema import Match, Multiple, Numeric, Order, Short, Single
from quizapp.bank.variant import Variant
from quizapp.plain.wording import _inline, _instruction, _key_lines, _part_lines, _text
from quizapp.study.exam_values import Finished, Offer, Past
from quizapp.study.seat import Seat
from quizapp.text import counted, one_line, percent

HELP = """\
Type your answer and press Enter; it is kept and the next question comes. Nothing is judged before you hand in.
  one option: B        several: AC        an order: C A B        pairs: 1B 2A 3C
  a number: 8.4 GB     a text: as it is
An empty line goes to the next question. Commands begin with a slash:
  /p question before    /g 12 go to question 12    /u next unanswered    /f flag
  /x B strike option B out, or take it back        /c take the answer back
  /t time left          /o overview                /submit hand in       /q leave; the clock goes on"""


def time_words(seconds: float) -> str:
    minutes, rest = divmod(max(0, int(seconds)), 60)
    if minutes == 0:
        return counted(rest, "second")
    return counted(minutes, "minute") + (f" {counted(rest, 'second')}" if rest and minutes < 5 else "")


def question_lines(seat: Seat) -> Iterator[str]:
    """The question that is asked, with what stands for it so far."""
    variant, reply = seat.variant, seat.reply
    flagged = " Flagged." if reply.flagged else ""
    left = time_words(seat.sitting.timer.left_s)
    yield ""
    yield f"Question {seat.at + 1} of {seat.count}. {left} left.{flagged} {_instruction(variant.question, variant)}"
    yield from _text(variant.ask)
    for number, one in enumerate(variant.lefts, 1):
        yield f"{number}. {_inline(one.text)}"
    for letter, choice in zip(LETTERS, variant.choices, strict=False):
        yield f"{letter}. {_inline(choice.text)}{' (struck out)' if choice.id in reply.struck else ''}"
    if reply.response is not None:
        part = "" if reply.complete else " (a part is missing)"
        yield f"Your answer so far: {response_words(variant, reply.response)}{part}."
    elif reply.unread:
        yield f"You typed {one_line(reply.unread, 40)}, which cannot be read; it counts as unanswered."


def response_words(variant: Variant, response: Any) -> str:
    """A response by the letters and numbers that were shown."""
    letter = {choice.id: LETTERS[n] for n, choice in enumerate(variant.choices)}
    match variant.question:
        case Single():
            return letter.get(response, "?")
        case Multiple():
            return "".join(sorted(letter.get(one, "?") for one in response))
        case Order():
            return " ".join(letter.get(one, "?") for one in response)
        case Match():
            numbers = {left.id: n for n, left in enumerate(variant.lefts, 1)}
            return " ".join(
                f"{numbers[left]}{letter[right]}"
                for left, right in sorted(response.items(), key=lambda p: numbers[p[0]])
            )
        case _:
            return one_line(str(response))


def complete(variant: Variant, response: Any) -> bool:
    """Whether nothing is missing from a response."""
    match variant.question:
        case Multiple():
            return len(response) == variant.question.choose
        case Match():
            return len(response) == len(variant.lefts)
        case Single() | Order() | Numeric() | Short():
            return response is not None


def overview_lines(seat: Seat) -> Iterator[str]:
    """What is answered, what is not, what is flagged."""
    sitting = seat.sitting
    yield f"{seat.count - len(sitting.unanswered)} of {seat.count} answered. {time_words(sitting.timer.left_s)} left."
    for indexes, words in (
        (sitting.unanswered, "Not answered"),
        (sitting.incomplete, "A part is missing"),
        (sitting.flagged, "Flagged"),
    ):
        if indexes:
            yield f"{words}: {', '.join(str(n + 1) for n in indexes)}."


def hand_in_lines(seat: Seat) -> Iterator[str]:
    yield from overview_lines(seat)
    unanswered = len(seat.sitting.unanswered)
    if unanswered:
        yield f"{counted(unanswered, 'unanswered question')} will count as wrong."
    yield "Type yes to hand in. Anything else goes back to the questions."


def result_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """`told` is `Finished.summary`."""
    yield f"Result of {one_line(told['title'])}."
    span = f"{percent(told['low'])} to {percent(told['high'])}"
    yield f"{told['right']} of {told['questions']} right, {percent(told['rate'])}."
    yield f"Range: {span} ({percent(told['interval'])} interval)."
    if told["timed_out"]:
        yield "Time ran out; what was answered by then was handed in."
    if told["unanswered"]:
        yield f"{told['unanswered']} unanswered, counted as wrong."
    if told["pass_mark"] == "undisclosed":
        yield "The vendor publishes neither pass mark nor scale, so there is no verdict here and no scaled score."
    if told["covers"]:
        yield one_line(told["covers"])
    for title, key in (("domain", "by_domain"), ("objective", "by_objective"), ("style", "by_style")):
        yield f"By {title}, the weakest first:"
        for name, one in sorted(told[key].items(), key=lambda pair: (pair[1]["rate"], pair[0])):
            label = f"{name} {one['title']}" if key == "by_objective" else one["title"] or "other"
            span = f"{percent(one['low'])} to {percent(one['high'])}"
            yield f"  {one['right']} of {one['total']} ({span}): {one_line(label)}"
    if told["misconceptions"]:
        yield "Beliefs that misled you:"
        for one in told["misconceptions"]:
            yield f"  {counted(one['times'], 'time')}: {one_line(one['name'])}"
    changed = told["changed"]
    if any(changed.values()):
        yield (
            f"Answers changed: {changed['to right']} to right, {changed['to wrong']} to wrong, "
            f"{changed['wrong to wrong']} from wrong to wrong."
        )


def review_lines(finished: Finished, index: int, grade: Grade, bank: Bank) -> Iterator[str]:
    """One question of a handed-in exam with its key and reasons."""
    item, variant = finished.summary["items"][index], finished.desk.variant(index)
    verdict = "right" if item["correct"] else "wrong" if item["answered"] else "not answered"
    extra = (f", changed {item['changed']}" if item["changed"] else "") + (", flagged" if item["flagged"] else "")
    yield ""
    yield f"Question {index + 1}: {verdict}, {time_words(item['seconds'])}{extra}."
    yield from _text(variant.ask)
    for number, one in enumerate(variant.lefts, 1):
        yield f"{number}. {_inline(one.text)}"
    for letter, choice in zip(LETTERS, variant.choices, strict=False):
        yield f"{letter}. {_inline(choice.text)}"
    if item["answered"]:
        yield f"You answered: {response_words(variant, item['response'])}."
    elif item.get("unread"):
        yield f"You typed {one_line(item['unread'], 40)}, which cannot be read."
    yield from _key_lines(variant, grade)
    yield from _text(variant.explain)
    yield from _part_lines(variant, grade)
    for key in grade.misconceptions if item["answered"] else ():
        if key in bank.misconceptions:
            found = bank.misconceptions[key]
            yield f"A common belief: {_inline(found.belief)} In truth: {_inline(found.truth)}"


def list_lines(
    offers: Sequence[Offer],
    choice: Mapping[str, Offer],
    history: Sequence[Past],
    running: Seat | None,
    zone: tzinfo,
) -> Iterator[str]:
    """`quizapp exam list`; times are told in `zone`. `choice`: what is offered with choice questions only."""
    if running is not None:
        yield f"Running: {one_line(running.desk.title)}. Go on with 'quizapp exam resume'."
        yield from overview_lines(running)
    for offer in offers:
        if not offer.lengths:
            yield one_line(f"{offer.blueprint.id}: no mock of {offer.blueprint.title}. {offer.blueprint.covers}")
            continue
        lengths = ", ".join(map(str, offer.lengths))
        yield f"{offer.blueprint.id}: {one_line(offer.blueprint.title)}. Questions to choose from: {lengths}."
        if offer.mixed:
            only = choice.get(offer.blueprint.id)
            yield f"  With --choice-only: {', '.join(map(str, only.lengths)) if only else 'none'}."
        for words in offer.says:
            yield f"  {one_line(words)}"
        yield f"  {counted(offer.pool, 'question')} of the bank can come, {offer.unseen:,} never answered."
    for past in history:
        span = f"{percent(past.low)} to {percent(past.high)}"
        when = f"{past.started_at.astimezone(zone):%Y-%m-%d %H:%M}"
        late = "time ran out, " if past.timed_out else ""
        yield f"Handed in {past.number}: {when}, {past.right} of {past.total}, {span}, {late}{one_line(past.title)}."
