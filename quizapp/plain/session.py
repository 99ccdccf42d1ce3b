"""A study session line by line. Every answer is in the store before its verdict is printed."""

from __future__ import annotations

from dataclasses import replace
from typing import TextIO

from quizapp.bank.errors import Unclear
from quizapp.memory.rating import Confidence
from quizapp.plain.lines import fold, width_of
from quizapp.plain.reading import CONFIDENCES, Command, Typed, read_line
from quizapp.plain.wording import HELP, HOW_SURE, question_lines, verdict_lines
from quizapp.study import Card, Conflict, Filter, Study, Undone
from quizapp.text import clean


class _End(Exception):
    """The input has ended, or the learner wants to stop."""


class Session:
    """Asks until nothing is left, `limit` answers are given, or the input ends."""

    def __init__(self, study: Study, source: TextIO, target: TextIO, filter: Filter, limit: int | None) -> None:
        self.study = study
        self.source = source
        self.target = target
        self.width = width_of(target)
        self.filter = filter
        self.limit = limit
        self.skipped: list[str] = []
        self.scores: list[float] = []
        self.asks_confidence = source.isatty() and study.settings().ask_confidence
        """Only on a terminal: a script sends one line a question."""

    def run(self) -> None:
        """Raises KeyboardInterrupt from Ctrl-C and StoreError when the store fails; answers given so far are kept."""
        self._say(f"{self.study.home().headline} Type h for help, q to stop.")
        card: Card | None = None
        try:
            while self.limit is None or len(self.scores) < self.limit:
                card = card or self.study.next_card(self.filter, exclude=self.skipped)
                if card is None:
                    break
                card = self._ask(card)
        except _End:
            pass
        self.summary()

    def summary(self) -> None:
        right = sum(score == 1 for score in self.scores)
        partly = sum(0 < score < 1 for score in self.scores)
        partial = f", {partly} partly" if partly else ""
        answered = f"Answered {len(self.scores)}: {right} right{partial}." if self.scores else "Nothing answered."
        self._say(f"\n{answered} {self.study.home().headline}")

    def _ask(self, card: Card) -> Card | None:
        """One question until it is answered, skipped or something else comes first; returns the card to ask next."""
        for line in question_lines(card, len(self.scores) + 1, self.limit):
            self._say(line)
        if card.key_changed:
            card = self._settle(card)
        started = self.study.clock.now()
        while True:
            try:
                typed = read_line(card.variant, self._prompt("Your answer: "))
                if typed is None:
                    self._say("Nothing typed. Type - if you do not know, h for help.")
                elif isinstance(typed, Command):
                    if typed.name == "flag":
                        card = self._flag(card, typed.words)
                    elif typed.name == "skip":
                        self.skipped.append(card.question.id)
                        self._say("Skipped; it comes back in the next session.")
                        return None
                    elif typed.name == "undo":
                        undone = self._undo()
                        if undone is not None:
                            return undone.card
                    elif typed.name == "quit":
                        raise _End
                    else:
                        self._say(HELP)
                else:
                    elapsed = self.study.clock.now() - started
                    self._take(card, typed, int(elapsed.total_seconds() * 1000))
                    return None
            except Unclear as unclear:
                self._say(str(unclear))
            except Conflict as conflict:
                self._say(str(conflict))
                return None

    def _take(self, card: Card, typed: Typed, duration_ms: int) -> None:
        """Asks how sure the learner is, where wanted and not said; the answer is kept whatever ends it there."""
        end: BaseException | None = None
        if self.asks_confidence and typed.response is not None and typed.confidence is None:
            try:
                typed = replace(typed, confidence=self._how_sure())
            except (_End, KeyboardInterrupt) as early:
                end = early
        self._answer(card, typed, duration_ms)
        if end:
            raise end

    def _how_sure(self) -> Confidence | None:
        while True:
            said = self._prompt(HOW_SURE).strip().casefold()
            if not said:
                return None
            if said in CONFIDENCES:
                return CONFIDENCES[said]

    def _answer(self, card: Card, typed: Typed, duration_ms: int) -> None:
        outcome = self.study.answer(card, typed.response, typed.confidence, max(0, duration_ms), origin="plain")
        assert outcome.grade is not None
        self.scores.append(outcome.grade.score)
        for line in verdict_lines(card, outcome, self.study.bank):
            self._say(line)

    def _flag(self, card: Card, reason: str) -> Card:
        """Toggles the flag; with a reason it is set."""
        on = bool(reason) or not card.flagged
        self.study.flag(card.question.id, on, reason)
        self._say("Flagged." if on else "Flag removed.")
        return replace(card, flagged=on, flag_reason=reason)

    def _undo(self) -> Undone | None:
        undone = self.study.undo()
        if undone is None:
            self._say("There is nothing to undo.")
            return None
        if self.scores:
            self.scores.pop()
        self._say(f"The answer to {undone.question_id} is taken back.")
        return undone

    def _settle(self, card: Card) -> Card:
        """The key is another than when the card was last answered: keep the progress, or begin again?"""
        question = "The key of this question has changed since your last answer. k keeps your progress, n begins anew: "
        while True:
            choice = self._prompt(question).strip().casefold()
            if choice in ("q", "/q", "quit"):
                raise _End
            if choice in ("k", "n"):
                self.study.settle_key(card.question.id, keep=choice == "k")
                return self.study.next_card(Filter(ids=(card.question.id,))) or card

    def _prompt(self, text: str) -> str:
        self.target.write(fold(text, self.width))
        self.target.flush()
        line = self.source.readline()
        if not line:
            self._say("")
            raise _End
        if not self.source.isatty():
            self._say("")  # piped input is not echoed: end the prompt's line
        return line.rstrip("\n")

    def _say(self, line: str) -> None:
        self.target.write(fold(clean(line), self.width) + "\n")
        self.target.flush()
