"""The questions of a practice choice: Study's screen over another queue, with the log rule of practice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from textual import on
from textual.content import Content

from quizapp.study import practice
from quizapp.study.practice import PACE_S, Choice
from quizapp.tui import actions, sheets, sitting
from quizapp.tui.messages import Answered, Reply
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.screens.study import StudyScreen
from quizapp.tui.sheets import Facts
from quizapp.tui.sitting import Given
from quizapp.tui.text import GAP, Block, line, styled
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.top import TopLine, meter

PACE_BAR = 24
ROOMS = {"practice": " to Practice", "progress": " to Progress", "result": " to the result"}
"""Where a drill may have begun, by the first word of that screen's places."""


@dataclass
class PracticePlan:
    """Which questions are still to come. Used in the store's thread only, but for `done` and `total`."""

    choice: Choice
    minutes: int | None = None
    total: int = 0
    done: int = 0
    facts: Facts = field(default_factory=Facts)
    """Of the question fetched last."""
    _left: list[str] | None = None

    def next_card(self, study: Any) -> Any:
        """The next question; None when there is none left."""
        if self._left is None:
            self._left = practice.question_ids(study, self.choice)
            self.total = len(self._left)
        if not self._left:
            self.done = self.total
            return None
        card = practice.card(study, self._left.pop(0))
        self.done = self.total - len(self._left)
        self.facts = sitting.facts_of(study.bank, card.question)
        return card


class NextReady(Reply):
    """value: Card or None."""


@dataclass
class Drilled(Given):
    """An answer of practice. `logged` says what became of a card that was not due; empty when it was a review."""

    logged: str = ""
    took_s: float = 0.0


def give(card: Any, response: Any, confidence: str | None, milliseconds: int) -> Callable[[Any], Drilled]:
    """The job for the store's thread: when it returns, the answer is on the disk."""

    def answer(study: Any) -> Drilled:
        said: Any = confidence
        done = practice.answer(study, card, response, said, milliseconds)
        facts = sitting.facts_of(study.bank, card.question, done.grade)
        outcome = done.outcome or done  # what was only logged has a grade and no outcome
        return Drilled(card, response, confidence, outcome, facts, done.words, milliseconds / 1000)

    return answer


class PracticeScreen(StudyScreen, inherit_bindings=False):
    """One more phase than Study: `explain`, which shows the key without asking."""

    BINDINGS = actions.bindings(["study", "drill", "box.note"])

    def __init__(self, choice: Choice) -> None:
        super().__init__()
        self.choice = choice
        self.plan: Any = PracticePlan(choice)

    def on_mount(self) -> None:
        super().on_mount()
        self.fetch()
        if self.choice.kind == "pace":
            self.set_interval(1.0, self._paint_pace)

    def action_back(self) -> None:
        """Out of a pacing drill by way of what it has measured."""
        if self.choice.kind == "pace" and self.tally.answered and self.phase not in ("over", "judging"):
            self.card = None
            self._over(f"Stopped after {self.tally.answered} of {self.plan.total}.")
        else:
            self.app.pop_screen()

    def fetch(self) -> None:
        self._enter("loading")
        self.ask_store(NextReady, self.plan.next_card)

    @on(NextReady)
    def _next_ready(self, message: NextReady) -> None:
        self.card = message.value
        if self.card is None:
            self._over("That was all of it." if self.plan.total else "There is nothing of this kind now.")
        else:
            self._ask(self.card)

    @property
    def _phase_places(self) -> set[str]:
        if self.phase == "explain":
            return {"drill.explain"}
        if self.phase == "verdict" and not self.back_steps and self._logged:
            return {"study.verdict.past"}
        if self.phase == "over":
            return {f"drill.over.{self._came_from}"}
        return super()._phase_places

    @property
    def _came_from(self) -> str:
        """The room below, to which Enter leads."""
        below = cast(QuizScreen, self.app.screen_stack[-2])
        return next(iter(below.places)).partition(".")[0]

    @property
    def spent_s(self) -> float:
        """Seconds on the questions answered so far; verdicts do not count. A pacing drill looks back at all of them."""
        return sum(one.took_s for one in self.given if isinstance(one, Drilled))

    def _ask(self, card: Any) -> None:
        if self.choice.kind != "explain":
            super()._ask(card)
            return
        self.card, self.draft, self.phase = card, None, "explain"
        blocks = [*sheets.key(card.variant), *sheets.explanation(card.variant, self.plan.facts)]
        self.sheet.reveal(card.variant, blocks)
        self._paint()

    def _judge(self, response: Any, confidence: str | None) -> None:
        if self.changing:
            return
        spent = self.quiz.monotonic() - self.shown
        self._enter("judging")
        self.ask_store(Answered, give(self.card, response, confidence, int(spent * 1000)))

    def _over(self, words: str) -> None:
        self.draft = None
        told = [Block(styled(words, "bold"))]
        if self.choice.kind != "explain":
            told.append(Block(styled(self.tally.words)))
            told += [Block(styled(words, "$muted")) for words in sitting.coming_back(self.given)]
        if self.choice.kind == "pace" and self.tally.answered:
            each = self.spent_s / self.tally.answered
            told.append(Block(styled(f"{each:.0f} seconds each; the exam gives about {PACE_S}.")))
        room = ROOMS.get(self._came_from, "")
        self.sheet.say([*told, GAP, Block(styled(f"Press Enter or q to go back{room}.", "$muted"))])
        self._enter("over")

    def action_rate(self, number: int) -> None:
        if not self._logged:
            super().action_rate(number)

    @property
    def _logged(self) -> str:
        """What became of the last answer's card when it was not due."""
        last = self.given[-1] if self.given else None
        return last.logged if isinstance(last, Drilled) else ""

    def action_prove(self) -> None:
        self.quiz.open_lab(self.card.question.labs[0], self.app.current_mode)

    # Painting

    def _paint(self) -> None:
        super()._paint()
        left = styled("Practice", "bold $right") + styled("  ") + line(self.choice.title, "$muted")
        if self.current is not None and self.current.flagged:
            left += styled("  ! flagged", "$wrong")
        right = styled(f"{self.plan.done:,} of {self.plan.total:,}", "$muted") if self.plan.total else Content("")
        share = self.plan.done / self.plan.total if self.plan.total else None
        self.query_one(TopLine).show(left, right, share)

    def _bar_words(self) -> list[Block]:
        if self.phase == "explain":
            return [Block(styled("Key and reasons; nothing is graded or logged.  → goes on.", "$muted"))]
        verdict = self.phase == "verdict" and not self.back_steps
        words = [Block(line(self._logged))] if verdict and self._logged else super()._bar_words()
        if self.choice.kind != "pace" or self.back_steps:
            return words
        return [self._pace(), *words] if self.phase == "ask" else [self._took(), *words] if verdict else words

    def _took(self) -> Block:
        """How long the last answer took, against the limit."""
        last = self.given[-1]
        took = last.took_s if isinstance(last, Drilled) else 0.0
        over = took - PACE_S
        stand = f"{over:.0f} s over the limit of {PACE_S} s" if over > 0 else f"within the limit of {PACE_S} s"
        return Block(
            styled(f"You took {took:.0f} s", "bold") + styled(f", {stand}.", "$wrong" if over > 0 else "$muted")
        )

    def _pace(self) -> Block:
        """This question's time as a bar, and how the whole drill stands."""
        now = self.quiz.monotonic() - self.shown
        ahead = PACE_S * (self.tally.answered + 1) - self.spent_s - now
        stand = f"{abs(ahead):.0f} s {'left' if ahead >= 0 else 'behind'} at {PACE_S} s a question"
        look = "$right" if now <= PACE_S else "bold $wrong"
        return Block(meter(now / PACE_S, PACE_BAR) + styled(f"  {now:.0f} s", look) + styled(f"  {stand}", "$muted"))

    def _paint_pace(self) -> None:
        if self.phase == "ask" and not self.back_steps and self.draft is not None and not self.note_open:
            self.query_one("#bar", Flow).show(self._bar_words())
