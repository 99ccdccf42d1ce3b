"""One learner's way through a lab: a pure state machine over a JSON-able record.

The rules: a prediction with its confidence is stored before a run is possible, and only once; the learner types what
was observed and it must agree with the run; a wrong first prediction never blocks; the transfer prediction must be
right; the last hint needs a real attempt. Values in, a new record out: the store keeps it, the screens show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labs.lab import Ask, Lab, LabError

CONFIDENCES = (50, 70, 85, 95)
"""How sure the learner is, in per cent: stated with every prediction."""
Part = Literal["main", "transfer"]
Number = float | str


ELSEWHERE = (
    "was answered in another window since it was opened here; this answer was not stored, and the first one stands."
)


class Elsewhere(LabError):
    """Something that another window of the same store has already done."""


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Prediction(Model):
    key: str
    value: Number
    confidence: int
    at: str
    part: Part = "main"


class Receipt(Model):
    """Evidence of one run: the event log's path and hash, and the hash of the settings."""

    run: str
    part: Part
    seed: int
    executor: str
    device: str
    config_hash: str
    counters: dict[str, float]
    oracle: dict[str, float]
    agrees: bool
    events: str
    sha256: str
    at: str
    attempt: int = 1


class Observation(Model):
    key: str
    value: Number
    right: bool
    at: str


class Record(Model):
    """All that a learner did in one lab. Receipts outlive a reset."""

    lab: str
    seed: int
    attempt: int = 1
    predictions: list[Prediction] = Field(default_factory=list)
    receipts: list[Receipt] = Field(default_factory=list)
    observations: list[Observation] = Field(default_factory=list)
    explanation: str | None = None
    explained: bool = False
    hints: int = 0
    tested_out: bool = False
    passed_at: str | None = None

    @property
    def untouched(self) -> bool:
        """Nothing was said, asked or run since the lab was opened or reset."""
        return self == Record(lab=self.lab, seed=self.seed, attempt=self.attempt, receipts=self.receipts) and not any(
            one.attempt == self.attempt for one in self.receipts
        )

    def predicted(self, part: Part) -> dict[str, Prediction]:
        return {p.key: p for p in self.predictions if p.part == part}

    def ran(self, part: Part) -> dict[str, Receipt]:
        """The newest receipt of this attempt for each run."""
        return {r.run: r for r in self.receipts if r.part == part and r.attempt == self.attempt and r.agrees}


def start(lab: Lab, seed: int) -> Record:
    return Record(lab=lab.id, seed=seed)


def stage(lab: Lab, record: Record) -> str:
    """Where the learner stands: one of `labs.lab.STAGES`."""
    if record.passed_at:
        return "passed"
    if not {a.key for a in lab.predict} <= record.predicted("main").keys():
        return "predict"
    if not {r.id for r in lab.runs} <= record.ran("main").keys():
        return "run"
    right = {o.key for o in record.observations if o.right}
    if not {a.key for a in lab.observe} <= right:
        return "observe"
    return "transfer" if record.explained else "explain"


def number(ask: Ask, value: object) -> Number:
    """A typed answer as a number or as one of the choices. LabError says what is allowed."""
    if ask.kind == "choice":
        if value not in ask.choices:
            raise LabError(f"'{value}' is not one of {', '.join(ask.choices)}")
        return str(value)
    text = str(value).strip().removesuffix(ask.unit).strip() if ask.unit else str(value).strip()
    try:
        found = float(text)
    except ValueError:
        raise LabError(
            f"'{value}' is not a number; write for example 74.5{' ' + ask.unit if ask.unit else ''}"
        ) from None
    refused = ask.impossible(found)
    if refused:
        raise LabError(refused)
    return found


def predict(
    lab: Lab, record: Record, values: Mapping[str, object], confidence: Mapping[str, int], now: str, part: Part = "main"
) -> Record:
    """Store predictions. What is stored stands: two windows may ask the same question, and the first answer counts."""
    asks = {a.key: a for a in (lab.predict if part == "main" else lab.transfer.predict)}
    if part == "transfer" and stage(lab, record) not in ("transfer", "predict"):
        raise LabError("the transfer prediction comes after the explanation; finish that first")
    new = []
    for key, value in values.items():
        if key not in asks:
            raise LabError(f"lab '{lab.id}' asks no '{key}'; it asks {', '.join(asks)}")
        if {asks[key].run, asks[key].over} & record.ran(part).keys():
            raise LabError(f"'{key}' was already run, so its prediction stands; reset the lab to predict again")
        if key in record.predicted(part):
            raise Elsewhere(f"'{key}' {ELSEWHERE}")
        sure = confidence.get(key)
        if sure not in CONFIDENCES:
            raise LabError(f"say how sure you are of '{key}': one of {', '.join(map(str, CONFIDENCES))} %")
        new.append(Prediction(key=key, value=number(asks[key], value), confidence=sure, at=now, part=part))
    return record.model_copy(update={"predictions": [*record.predictions, *new]})


def may_run(lab: Lab, record: Record, part: Part) -> str | None:
    """None when the runs of `part` may start, else the sentence that says what is missing."""
    asks = lab.predict if part == "main" else lab.transfer.predict
    missing = [a.key for a in asks if a.key not in record.predicted(part)]
    return f"predict first: {', '.join(missing)}" if missing else None


def add_receipt(lab: Lab, record: Record, receipt: Receipt) -> Record:
    """Keep the evidence of a finished run; passes the lab when the transfer predictions hold."""
    blocked = may_run(lab, record, receipt.part)
    if blocked:
        raise LabError(blocked)
    if receipt.run not in {r.id for r in lab.part_runs(receipt.part)}:
        raise LabError(f"lab '{lab.id}' has no {receipt.part} run '{receipt.run}'")
    if receipt.seed != record.seed:
        raise LabError(
            f"the run used seed {receipt.seed} and yours is {record.seed}; run the lab with your own numbers"
        )
    receipt = receipt.model_copy(update={"attempt": record.attempt})
    record = record.model_copy(update={"receipts": [*record.receipts, receipt]})
    if receipt.part == "transfer" and not record.passed_at and transfer_holds(lab, record):
        fast = stage(lab, record) != "transfer"
        sure = all(p.confidence >= 85 for p in record.predicted("transfer").values())
        if not fast or sure:
            record = record.model_copy(update={"passed_at": receipt.at, "tested_out": fast})
    return record


def truth(ask: Ask, ran: Mapping[str, Receipt]) -> Number:
    """What the runs (by id) say, in the unit asked for."""
    value = _counter(ask.counter, ran[ask.run])
    if ask.over is not None:
        value /= _counter(ask.counter, ran[ask.over])
    if ask.kind == "choice":  # the value counts the choices; those beyond the last are the last
        return ask.choices[min(int(value), len(ask.choices) - 1)]
    return value * ask.scale


def _counter(name: str, receipt: Receipt) -> float:
    if name not in receipt.counters:
        raise LabError(f"the run has no counter '{name}'")
    return receipt.counters[name]


def holds(ask: Ask, value: Number, ran: Mapping[str, Receipt]) -> bool:
    """Whether a stated value agrees with the runs, tolerance inclusive (half a unit of the last decimal at least)."""
    right = truth(ask, ran)
    if isinstance(right, str) or isinstance(value, str):
        return value == right
    allowed = max(ask.tolerance, ask.tolerance_rel * abs(right), 0.5 * 10.0**-ask.decimals)
    return abs(value - right) <= allowed * (1 + 1e-9)


def observe(lab: Lab, record: Record, values: Mapping[str, object], now: str) -> Record:
    """What the learner read off; wrong readings are kept and may be corrected."""
    if stage(lab, record) in ("predict", "run"):
        raise LabError("run the experiment first, then type what you saw")
    asks = {a.key: a for a in lab.observe}
    ran = record.ran("main")
    new = []
    for key, value in values.items():
        if key not in asks:
            raise LabError(f"lab '{lab.id}' asks for no reading '{key}'; it asks for {', '.join(asks)}")
        if not {asks[key].run, asks[key].over or asks[key].run} <= ran.keys():  # after testing out
            raise LabError("run the experiment first, then type what you saw")
        seen = number(asks[key], value)
        new.append(Observation(key=key, value=seen, right=holds(asks[key], seen, ran), at=now))
    return record.model_copy(update={"observations": [*record.observations, *new]})


def explain(lab: Lab, record: Record, option: str) -> Record:
    """Choose the cause; the lab goes on whichever was chosen, the right one is shown."""
    if stage(lab, record) not in ("explain", "transfer"):
        raise LabError("the explanation comes after the readings agree with the run")
    if option not in {o.id for o in lab.explain.options}:
        raise LabError(f"'{option}' is not one of {', '.join(o.id for o in lab.explain.options)}")
    if record.explained:
        raise Elsewhere(f"The cause {ELSEWHERE}")
    return record.model_copy(update={"explanation": option, "explained": True})


def transfer_holds(lab: Lab, record: Record) -> bool:
    ran, predicted = record.ran("transfer"), record.predicted("transfer")
    return all(
        a.key in predicted and {a.run, a.over or a.run} <= ran.keys() and holds(a, predicted[a.key].value, ran)
        for a in lab.transfer.predict
    )


def retry_transfer(lab: Lab, record: Record, seed: int) -> Record:
    """Another try at the transfer, on new numbers."""
    if not {r.id for r in lab.transfer.runs} <= record.ran("transfer").keys():
        raise Elsewhere("Another try at the transfer was begun in another window; it goes on here.")
    predictions = [p for p in record.predictions if p.part == "main"]
    receipts = [r.model_copy(update={"attempt": 0}) if r.part == "transfer" else r for r in record.receipts]
    return record.model_copy(update={"predictions": predictions, "receipts": receipts, "seed": seed})


def attempted(record: Record) -> bool:
    """Whether the learner has really tried: a prediction was stored."""
    return bool(record.predictions)


def hint(lab: Lab, record: Record) -> tuple[str, Record]:
    """The next hint; the third only after an attempt. No countdown is shown."""
    tier = min(record.hints, 2)
    if tier == 2 and not attempted(record):
        raise LabError("the worked example comes after you have tried: write down a prediction, however rough")
    return lab.hints[tier], record.model_copy(update={"hints": min(record.hints + 1, 3)})


def reset(record: Record, seed: int) -> Record:
    """Start again on new numbers. The receipts stay as evidence; a pass stays a pass in the ledger of receipts."""
    return Record(lab=record.lab, seed=seed, attempt=record.attempt + 1, receipts=record.receipts)
