"""A sitting: what was planned, what was given, and the words that go with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from textual.content import Content

from quizapp.study.values import Outcome
from quizapp.tui import sheets
from quizapp.tui.draft import Draft, Entry
from quizapp.tui.sheets import Facts
from quizapp.tui.text import GAP, Block, line, plain, styled

RATINGS = ("again", "hard", "good", "easy")


@dataclass(frozen=True)
class Plan:
    """What to study: for how many minutes (None: until done), which topics (none: all)."""

    minutes: int | None = None
    topics: tuple[str, ...] = ()

    def next_card(self, study: Any) -> Any:
        from quizapp.study import Filter

        return study.next_card(Filter(topics=self.topics))


@dataclass
class Given:
    """A question that was answered in this sitting, and what came of it."""

    card: Any
    response: Any
    confidence: str | None
    outcome: Any
    facts: Facts

    @property
    def grade(self) -> Any:
        return self.outcome.grade

    def rerated(self, outcome: Any) -> Given:
        """After an override: the rating is new, the verdict stays."""
        return replace(self, outcome=replace(outcome, grade=self.grade))

    def blocks(self) -> list[Block]:
        variant = self.card.variant
        note = [GAP, Block(styled("Your note: ", "bold") + plain(self.card.note))] if self.card.note else []
        return [
            *sheets.verdict(self.grade, self.confidence),
            GAP,
            *sheets.parts(variant, self.grade, self.response),
            *sheets.explanation(variant, self.facts),
            *note,
        ]


def give(card: Any, response: Any, confidence: str | None, milliseconds: int) -> Callable[[Any], Given]:
    """The job for the store's thread: when it returns, the answer is on the disk."""

    def answer(study: Any) -> Given:
        outcome = study.answer(card, response, confidence, milliseconds, "study")
        return Given(card, response, confidence, outcome, facts_of(study.bank, card.question, outcome.grade))

    return answer


def facts_of(bank: Any, question: Any, grade: Any = None) -> Facts:
    """Sources and misleading beliefs, as the bank has them."""
    sources = [bank.sources[key] for key in question.sources if key in bank.sources]
    misled = grade.misconceptions if grade else ()
    beliefs = [bank.misconceptions[key] for key in misled if key in bank.misconceptions]
    return Facts(
        [(one.title, one.address, one.checked.isoformat()) for one in sources],
        [(one.name, one.truth) for one in beliefs[:2]],
    )


@dataclass
class Tally:
    answered: int = 0
    right: int = 0

    def add(self, given: Given, sign: int = 1) -> None:
        self.answered += sign
        self.right += sign * bool(given.grade.correct)

    @property
    def words(self) -> str:
        return (
            f"{self.answered} answered, {self.right} right." if self.answered else "Nothing answered in this sitting."
        )


def coming_back(given: Iterable[Given]) -> list[str]:
    """How many of the answered questions are in learning and come again soon; none: nothing to say."""
    last = {one.card.question.id: one.outcome for one in given}
    after = [outcome.state_after for outcome in last.values() if isinstance(outcome, Outcome)]
    count = sum(state.state in ("learning", "relearning") for state in after)
    if not count:
        return []
    return [
        f"{count} {'comes' if count == 1 else 'come'} back within minutes: Study asks {'it' if count == 1 else 'them'}."
    ]


def undone_words(undone: Any, mine: bool) -> str:
    """What was taken back; `mine`: the last answer of this sitting."""
    if undone.what != "answer":
        return str(undone.words)
    if mine:
        return "The last answer is taken back. Answer again."
    return f"Your answer of {undone.at:%Y-%m-%d %H:%M} to this question is taken back. Answer again."


def top(
    card: Any, tally: Tally, rest: int, left_s: float | None = None, minutes: int | None = None
) -> tuple[Content, Content, float | None]:
    """The first line of Study: topic and kind of the card on the left; answered, and the `rest`, on the right.

    In a sitting of `minutes` the `left_s` seconds stand in place of the rest, and the meter is that of the time.
    """
    left = styled("Study", "bold $right")
    right = styled(f"{tally.answered} answered", "$muted")
    if card is None:
        return left, right, None
    state = "" if card.state == "review" else f" · {card.state}"
    left += (
        styled("  ") + line(card.topic, "$muted") + styled(f" · {sheets.kind_words(card.question)}{state}", "$muted")
    )
    if card.flagged:
        left += styled("  ! flagged", "$wrong")
    if card.needs_check:
        left += styled("  ! may be out of date", "$wrong")
    if left_s is not None and minutes:
        return left, right + styled(f" · {_time_left(left_s)}", "$muted"), 1 - max(0.0, left_s) / (60 * minutes)
    return left, right + styled(f" · {rest:,} to go", "$muted"), tally.answered / max(1, tally.answered + rest)


def _time_left(seconds: float) -> str:
    """In minutes begun, so that it never says more is left than the learner has asked for."""
    return f"{ceil(seconds / 60)} min left" if seconds > 0 else "time is up"


def ask_words(draft: Draft, asks_confidence: bool) -> Content:
    """The bar under a question: what is missing, or the keys that answer."""
    if draft.missing:
        return styled(draft.missing, "$muted")
    read = plain(f"Read as {draft.words or draft.text}.  ") if isinstance(draft, Entry) else Content("")
    if not asks_confidence:
        return read + styled("Enter", "bold $right") + " answers"
    words = read + styled("How sure?   ", "bold")
    for key, what in (("Enter", "sure"), ("u", "unsure"), ("g", "guess")):
        words += styled(key, "bold $right") + f" {what}   "
    return words


def rating_words(outcome: Any) -> list[Block]:
    """The bar under a verdict: the rating, when it comes again, and how to change it."""
    due = line(outcome.next_due_text)
    first = (
        styled(f"Rated {outcome.rating.capitalize()}", "bold")
        + styled(f": {outcome.rating_reason}. It comes again ")
        + due
        + "."
    )
    if outcome.leech:
        first += styled("  ! this one keeps being forgotten: a note may help", "$wrong")
    second = styled("rate it yourself   ", "$muted")
    for number, word in enumerate(RATINGS, 1):
        second += styled(str(number), "bold $right") + styled(
            f" {word}   ", "bold" if word == outcome.rating else "$muted"
        )
    return [Block(first), Block(second)]
