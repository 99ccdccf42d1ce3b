"""What the labs' use cases give: plain immutable values, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from labs.claims import Claim
from labs.lab import Ask, Lab, Run
from labs.session import Part, Prediction, Receipt, Record

STATE_WORDS = {
    "new": "not begun",
    "predict": "predicting",
    "run": "ready to run",
    "observe": "reading off",
    "explain": "explaining",
    "transfer": "transfer",
    "passed": "passed",
}


@dataclass(frozen=True)
class LabLine:
    """A lab in the list. `path` names the labs to do before, nearest first done; nothing is ever locked."""

    id: str
    title: str
    family: str
    minutes: int
    claim: str
    claims: tuple[str, ...]
    state: str
    """`new`, the stage it stands at, or `passed`."""
    passed_at: datetime | None
    """Of the first pass; stays when the lab is reset."""
    tested_out: bool
    needs: tuple[str, ...]
    path: tuple[str, ...]

    @property
    def state_words(self) -> str:
        return "tested out" if self.tested_out else STATE_WORDS[self.state]


@dataclass(frozen=True)
class Compared:
    """A prediction beside what the run said."""

    ask: Ask
    said: Prediction | None
    was: float | str | None
    holds: bool
    """Within the tolerance that a reading must keep. A first prediction is compared, never judged."""


@dataclass(frozen=True)
class LabView:
    """One lab as it stands."""

    lab: Lab
    record: Record
    stage: str
    text: dict[str, str]
    """The prose, by stage."""
    transfer_words: str
    """The transfer task with the learner's own numbers in it."""
    claims: tuple[Claim, ...]
    path: tuple[tuple[str, str], ...]
    """(id, title) of the labs that would help before this one."""
    main: tuple[Compared, ...]
    transfer: tuple[Compared, ...]
    readings: dict[str, tuple[float | str, bool]]
    """Newest reading by key: (value, right)."""
    followups: tuple[tuple[str, str], ...]
    """(question id, first line of its stem), those that are in the bank."""
    passed_at: datetime | None

    def part_of(self, fast: bool) -> Part:
        """The part that the learner is at; `fast` when she predicts the transfer at once."""
        return "transfer" if fast or self.stage in ("transfer", "passed") else "main"

    def step(self, fast: bool = False) -> str:
        """What to do now: predict, run, observe, explain, passed, or (transfer) predict, run, missed."""
        if self.stage == "passed" or self.part_of(fast) == "main":
            return self.stage
        if self.asks(fast):
            return "predict"
        return "run" if self.runs_left("transfer") else "missed"

    def asks(self, fast: bool = False) -> list[Ask]:
        """What is still to be predicted, or read off."""
        if self.stage == "observe" and not fast:
            return [ask for ask in self.lab.observe if not self.readings.get(ask.key, (0, False))[1]]
        part = self.part_of(fast)
        rows = self.main if part == "main" else self.transfer
        return [row.ask for row in rows if row.said is None]

    def runs_left(self, part: Part) -> list[Run]:
        done = self.record.ran(part)
        return [run for run in self.lab.part_runs(part) if run.id not in done]

    def receipt(self, part: Part, run: str) -> Receipt | None:
        return self.record.ran(part).get(run)


@dataclass(frozen=True)
class RunPlan:
    """A run that may start."""

    title: str
    part: Part
    run: str
    request: dict[str, Any]
    """The command for `labs.child`."""
    config: dict[str, Any]
    """The engine's settings."""


@dataclass(frozen=True)
class Believed:
    """The newest answer to a question that tests a claim."""

    question_id: str
    correct: bool
    confidence: str | None


@dataclass(frozen=True)
class Measured:
    """What a lab on a claim was said and found to give."""

    lab: str
    title: str
    rows: tuple[Compared, ...]
    passed: bool


@dataclass(frozen=True)
class ClaimView:
    claim: Claim
    questions: tuple[str, ...]
    believed: tuple[Believed, ...]
    measured: tuple[Measured, ...]

    @property
    def proved(self) -> bool:
        """Some lab on it has been passed."""
        return any(one.passed for one in self.measured)
