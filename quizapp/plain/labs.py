"""A lab line by line: the same stages as on screen, for pipes and screen readers.

Everything said is in the store before the next question; a lab that is left goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from labs.lab import Ask, LabError, Run
from labs.runner import choose, perform
from labs.session import CONFIDENCES, Elsewhere, Part
from labs.setting import make_setting
from quizapp.bank.units import with_unit
from quizapp.plain.lines import flowing, fold, width_of
from quizapp.plain.marks import unmarked
from quizapp.study.lab_values import Compared
from quizapp.study.labs import Labs
from quizapp.text import clean

HELP = "Type what is asked for. hint gives a hint, skip predicts the transfer at once, q leaves; nothing is lost."


class _End(Exception):
    """The input has ended, or the learner leaves."""


class _Skip(Exception):
    """The learner wants to test out by the transfer."""


class LabSession:
    """One lab from where it stands to its end, or until the input ends."""

    def __init__(self, labs: Labs, name: str, source: TextIO, target: TextIO) -> None:
        self.labs, self.source, self.target = labs, source, target
        self.width = width_of(target)
        self.view = labs.open(name)
        self.fast = False
        self.shown = ""

    def run(self) -> bool:
        """True when the lab is passed at the end. Raises LabError when a run cannot be done, StoreError and
        KeyboardInterrupt; what was said so far is kept."""
        lab = self.view.lab
        self._say(f"{lab.title}  ({lab.minutes} minutes)\n{HELP}\n\n{flowing(self.view.text['claim'])}")
        if self.view.path:
            easier = "; ".join(f"{name} ({title})" for name, title in self.view.path)
            self._say(f"\nEasier after: {easier}. Nothing is locked.")
        try:
            while (step := self.view.step(self.fast)) != "passed":
                try:
                    getattr(self, f"_{step}")()
                except _Skip:
                    if self.view.stage == "predict" and not self.fast:
                        self.fast = True
                    else:
                        self._say("skip belongs to the first prediction.")
        except _End:
            self._say(f"\nLeft at: {self.view.stage}. `quizapp lab do {lab.id}` goes on from here.")
            return False
        self._passed()
        return True

    # ---- stages ----------------------------------------------------------------------------------------------------

    def _predict(self) -> None:
        part = self.view.part_of(self.fast)
        self._prose("predict" if part == "main" else "transfer")
        if part == "transfer":
            self._say(self.view.transfer_words)
        for ask in self.view.asks(self.fast):
            self._until_taken(lambda ask=ask: self._predict_one(ask, part))

    def _predict_one(self, ask: Ask, part: Part) -> None:
        value = self._value(ask)
        sure = self._prompt(f"How sure are you ({', '.join(map(str, CONFIDENCES))} %)? ").removesuffix("%").strip()
        confidence = int(sure) if sure.isdecimal() else 0
        self.view = self.labs.predict(self.view.lab.id, {ask.key: value}, {ask.key: confidence}, part)

    def _run(self) -> None:
        part = self.view.part_of(self.fast)
        if part == "main":
            self._prose("run")
        for run in self.view.runs_left(part):
            self._perform(part, run)
        if part == "transfer":
            self._compare(self.view.transfer)

    def _perform(self, part: Part, run: Run) -> None:
        lab, plan = self.view.lab, self.labs.plan_run(self.view.lab.id, part, run.id)
        executor = plan.request["executor"]
        setting = make_setting(lab, part, run.id, self.view.record.seed, executor=executor)
        computer = choose(setting)
        self._say(f"Running: {run.title} ({computer.name}) ...")
        done = perform(lab, setting, Path(plan.request["events_path"]), plan.request["at"], computer=computer)
        if done.notice:
            self._say(done.notice)
        if not done.receipt.agrees:
            raise LabError(f"lab '{lab.id}', run '{run.id}': the oracle counts otherwise, so the run does not count")
        self.view = self.labs.record_receipt(lab.id, done.receipt)
        counters = done.receipt.counters
        self._say(f"Done in {done.wall_s:.1f} s on this machine. It shows:")
        for name in sorted({"steps", "slot_steps", "useful", *lab.counters_wanted(part, run.id)}):
            self._say(
                f"  {name:<36} {counters[name]:,.4g}" if counters[name] % 1 else f"  {name:<36} {counters[name]:,.0f}"
            )

    def _observe(self) -> None:
        self._prose("observe")
        for ask in self.view.asks():
            self._until_taken(lambda ask=ask: self._observe_one(ask))

    def _observe_one(self, ask: Ask) -> None:
        self.view = self.labs.observe(self.view.lab.id, {ask.key: self._value(ask)})
        if not self.view.readings[ask.key][1]:
            times = f" times {ask.scale:g}" if ask.scale != 1 else ""
            over = f" divided by that of run '{ask.over}'" if ask.over else ""
            raise LabError(f"That is not what run '{ask.run}' shows: read {ask.counter}{times}{over} once more.")

    def _explain(self) -> None:
        self._compare(self.view.main)
        self._prose("explain")
        options = self.view.lab.explain.options
        self._say(self.view.lab.explain.ask)
        for letter, option in zip("ABCDEFGH", options, strict=False):
            self._say(f"  {letter}  {option.text}")
        self._until_taken(self._explain_one)

    def _explain_one(self) -> None:
        options = self.view.lab.explain.options
        letters = "ABCDEFGH"[: len(options)]
        typed = self._prompt("Your choice: ").upper()
        if len(typed) != 1 or typed not in letters:
            raise LabError(f"Type one of {', '.join(letters)}.")
        chosen = options[letters.index(typed)]
        self.view = self.labs.explain(self.view.lab.id, chosen.id)
        self._say("Right." if chosen.correct else "Not so.")
        for letter, option in zip(letters, options, strict=True):
            self._say(f"  {letter}  {'right' if option.correct else 'wrong'}: {option.why}")

    def _missed(self) -> None:
        self._say("The transfer prediction did not hold. Another try uses new numbers.")
        if self._prompt("Enter for another try, q to leave: "):
            self._say(HELP)
        self.view = self.labs.retry_transfer(self.view.lab.id)
        self.shown = ""

    def _passed(self) -> None:
        self._say(f"\nPassed: {self.view.lab.title}\n\n{flowing(self.view.text['passed'])}")
        for recorded in self.view.lab.recorded:
            self._say(f"\n{recorded.title}")
            for name, value in recorded.rows:
                self._say(f"  {name}: {value}")
            self._say(f"  Source: {recorded.source}")
        if self.view.followups:
            self._say("\nNow due for review:")
            for _, stem in self.view.followups:
                self._say(f"  {stem}")

    # ---- lines -----------------------------------------------------------------------------------------------------

    def _compare(self, rows: Sequence[Compared]) -> None:
        for row in rows:
            if row.said is None or row.was is None:
                continue
            said, was = self._shown(row.ask, row.said.value), self._shown(row.ask, row.was)
            verdict = "it holds" if row.holds else "it was otherwise"
            self._say(f"{row.ask.ask}\n  you said {said} ({row.said.confidence} % sure), it was {was}: {verdict}")

    @staticmethod
    def _shown(ask: Ask, value: float | str) -> str:
        return value if isinstance(value, str) else with_unit(f"{value:,.{ask.decimals}f}", ask.unit)

    def _value(self, ask: Ask) -> str:
        choices = f" ({' / '.join(ask.choices)})" if ask.choices else f" ({ask.unit})" if ask.unit else ""
        return self._prompt(f"{ask.ask}{choices} ")

    def _prose(self, stage: str) -> None:
        """A stage's prose, once."""
        if self.shown != stage:
            self.shown = stage
            self._say(f"\n{flowing(self.view.text[stage])}\n")

    def _until_taken(self, ask) -> None:
        while True:
            try:
                ask()
            except Elsewhere as error:
                self._say(str(error))
                self.view = self.labs.lab(self.view.lab.id)
                return
            except LabError as error:
                self._say(str(error))
            else:
                return

    def _prompt(self, text: str) -> str:
        """A typed line that is no command."""
        while True:
            self.target.write(fold(unmarked(clean(text)), self.width))
            self.target.flush()
            line = self.source.readline()
            if not line:
                self._say("")
                raise _End
            if not self.source.isatty():
                self._say("")  # piped input is not echoed: end the prompt's line
            typed = line.strip()
            word = typed.removeprefix("/").casefold()
            if word in ("q", "quit"):
                raise _End
            if word in ("h", "help"):
                self._say(HELP)
            elif word == "hint":
                self._hint()
            elif word == "skip":
                raise _Skip
            else:
                return typed

    def _hint(self) -> None:
        try:
            words, self.view = self.labs.hint(self.view.lab.id)
        except LabError as error:
            words = str(error)
        self._say(words)

    def _say(self, text: str) -> None:
        self.target.write(fold(unmarked(clean(text)), self.width) + "\n")
        self.target.flush()
