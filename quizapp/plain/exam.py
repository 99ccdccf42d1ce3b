"""A mock exam line by line. Each answer is in the store before the next question is printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from quizapp.bank.errors import Unclear
from quizapp.bank.response import LETTERS, read_plain
from quizapp.plain import exam_wording as wording
from quizapp.plain.lines import fold, width_of
from quizapp.study.exam_summary import kinds_told
from quizapp.study.exam_values import Finished
from quizapp.study.seat import Seat
from quizapp.text import clean, counted

WARN_S = (1800, 300)


class _Left(Exception):
    """The input has ended, or the candidate wants to leave; the exam goes on."""


class ExamSession:
    """Runs until the exam is handed in, its time is over, or the input ends."""

    def __init__(self, seat: Seat, source: TextIO, target: TextIO) -> None:
        self.seat = seat
        self.source = source
        self.target = target
        self.width = width_of(target)
        self._left = seat.sitting.timer.left_s

    def run(self) -> Finished | None:
        """The handed-in exam, or None when it still runs. Raises StoreError when nothing can be stored."""
        seat = self.seat
        minutes = seat.sitting.paper.minutes
        kinds = kinds_told({question.kind for question in seat.desk.questions.values()})
        size = f"{counted(seat.count, 'question')}, {counted(minutes, 'minute')}"
        self._say(f"{seat.desk.title}. {size}. Type /h for help.")
        self._say(f"{kinds} {seat.asks}".rstrip())
        try:
            while seat.finished is None:
                self._print(wording.question_lines(seat))
                self._step()
        except _Left:
            left = wording.time_words(seat.sitting.timer.left_s)
            self._say(f"The exam goes on: {left} left. Every answer is kept; go on with 'quizapp exam resume --plain'.")
            return None
        if seat.sitting.timed_out:
            self._say("The time is over. What you had answered was handed in.")
        self._print(wording.result_lines(seat.finished.summary))
        self._say("Look at the questions again with 'quizapp exam result --plain --review wrong'.")
        return seat.finished

    def _step(self) -> None:
        """Reads lines until another question is to be shown."""
        seat = self.seat
        shown = seat.at
        while seat.finished is None:
            line = self._prompt("Your answer: ").strip()
            if self._time() or (line.startswith("/") and self._command(line[1:])):
                return
            if line.startswith("/"):
                continue
            if not line:
                self._next(shown)
                return
            try:
                response = read_plain(seat.variant, line)
            except Unclear as unclear:
                self._say(str(unclear))
                continue
            seat.answer(response, wording.complete(seat.variant, response))
            self._next(shown)
            return

    def _next(self, shown: int) -> None:
        if shown + 1 < self.seat.count:
            self.seat.go(shown + 1)
        else:
            self._say("That was the last question. /o shows what is missing, /submit hands in.")

    def _time(self) -> bool:
        """Brings the clock up to date; true when the time is over."""
        before, self._left = self._left, self.seat.look()
        for limit in WARN_S:
            if self._left <= limit < before and self.seat.finished is None:
                self._say(f"{wording.time_words(self._left)} left.")
                break
        return self.seat.finished is not None

    def _command(self, text: str) -> bool:
        """Does what a line after the slash says; true when a question is to be shown anew."""
        word, _, rest = text.strip().partition(" ")
        seat, rest = self.seat, rest.strip()
        match word.casefold():
            case "n" | "next":
                self._next(seat.at)
            case "p" | "previous":
                seat.go(seat.at - 1)
            case "g" | "go":
                if not rest.isdecimal() or len(rest) > 9 or not 1 <= int(rest) <= seat.count:
                    self._say(f"Type /g and a number from 1 to {seat.count}.")
                    return False
                seat.go(int(rest) - 1)
            case "u":
                unanswered = seat.sitting.unanswered
                if not unanswered:
                    self._say("Every question is answered.")
                    return False
                seat.go(next((n for n in unanswered if n > seat.at), unanswered[0]))
            case "f" | "flag":
                seat.flag()
                self._say("Flagged." if seat.reply.flagged else "Flag removed.")
                return False
            case "x":
                return self._strike(rest)
            case "c" | "clear":
                seat.answer(None)
                self._say("The answer is taken back.")
                return False
            case "t" | "time":
                self._say(f"{wording.time_words(seat.sitting.timer.left_s)} left.")
                return False
            case "o" | "overview":
                self._print(wording.overview_lines(seat))
                return False
            case "submit":
                self._submit()
            case "q" | "quit":
                raise _Left
            case _:
                self._say(wording.HELP)
                return False
        return True

    def _strike(self, letter: str) -> bool:
        choices = self.seat.variant.choices
        at = LETTERS.find(letter.upper()) if len(letter) == 1 else -1
        if self.seat.variant.question.kind not in ("single", "multiple") or not 0 <= at < len(choices):
            self._say("Type /x and the letter of an option.")
        else:
            self.seat.strike(choices[at].id)
            struck = choices[at].id in self.seat.reply.struck
            self._say(f"{letter.upper()} is struck out." if struck else f"{letter.upper()} is back.")
        return False

    def _submit(self) -> None:
        self._print(wording.hand_in_lines(self.seat))
        if self._prompt("Hand in? ").strip().casefold() in ("yes", "y") and not self._time():
            self.seat.hand_in()

    def _prompt(self, text: str) -> str:
        self.target.write(fold(text, self.width))
        self.target.flush()
        line = self.source.readline()
        if not line:
            self._say("")
            raise _Left
        if not self.source.isatty():
            self._say("")  # piped input is not echoed: end the prompt's line
        return line.rstrip("\n")

    def _print(self, lines: Iterator[str]) -> None:
        for line in lines:
            self._say(line)

    def _say(self, line: str) -> None:
        self.target.write(fold(clean(line), self.width) + "\n")
        self.target.flush()
