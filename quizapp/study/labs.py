"""Labs as use cases: each change is one transaction that moves the record and appends to the lab's log.

The rules are those of `labs.session`, which is pure; here they meet the store, the clock and the bank.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from labs import session as rules
from labs.claims import load_claims
from labs.lab import Ask, Lab, LabError, find_lab, load_catalog
from labs.session import Part, Receipt, Record
from labs.setting import make_setting, transfer_text
from quizapp.store.database import Record as Row
from quizapp.store.labs import add_event, answers_to, call_up, keep_lab, lab_rows
from quizapp.study.lab_values import Believed, ClaimView, Compared, LabLine, LabView, Measured, RunPlan
from quizapp.study.moment import instant
from quizapp.study.study import Study
from quizapp.text import clean

BIGGEST_SEED = 1_000_000
EXECUTOR: str | None = None
"""Who computes the runs; None: what each lab asks for."""


def new_seed() -> int:
    """A learner's own numbers: 1 to BIGGEST_SEED. 0 is the lesson itself."""
    return secrets.randbelow(BIGGEST_SEED) + 1


class Labs:
    """The labs of one open store. Raises LabError for what a lab forbids, StoreError when nothing can be kept."""

    def __init__(self, study: Study, seeds: Callable[[], int] = new_seed) -> None:
        self._study = study
        self._seeds = seeds

    @property
    def folder(self) -> Path:
        """Where event logs lie: evidence, beside the store."""
        return self._study.location.labs

    # Looking

    def lab_list(self) -> list[LabLine]:
        rows = self._rows()
        passed = {name for name, row in rows.items() if row.passed_at is not None}
        return [_line(lab, rows.get(lab.id), passed) for lab in load_catalog().values()]

    def open(self, name: str) -> LabView:
        """A lab by id, number or slug; gives the learner her own numbers when it is opened for the first time."""
        lab = find_lab(name)
        if self._study.read_only or lab.id in self._rows():
            return self.lab(name)
        return self._change(name, lambda lab, record, now: record, "open", None)

    def lab(self, name: str) -> LabView:
        """By id, number or slug."""
        lab = find_lab(name)
        rows = self._rows()
        row = rows.get(lab.id)
        return self._view(lab, row, {name for name, one in rows.items() if one.passed_at is not None})

    def plan_run(self, name: str, part: Part, run: str) -> RunPlan:
        """What the engine's child must be told to do this run. Raises LabError when it may not start yet."""
        view = self.lab(name)
        blocked = rules.may_run(view.lab, view.record, part)
        if blocked:
            raise LabError(blocked)
        lab, seed = view.lab, view.record.seed
        config = asdict(make_setting(lab, part, run, seed).config)
        now = self._study.moment().now
        _sweep(self.folder / lab.id)
        file = f"{now:%Y%m%dT%H%M%S}-{part}-{run}-{seed}.jsonl"
        request = {
            "lab": lab.id,
            "part": part,
            "run": run,
            "seed": seed,
            "set": {},
            "executor": EXECUTOR,
            "events_path": str(self.folder / lab.id / file),
            "at": now.isoformat(),
        }
        title = next(one.title for one in lab.part_runs(part) if one.id == run)
        return RunPlan(title, part, run, request, config)

    def config_of(self, receipt: Receipt, name: str) -> dict[str, Any]:
        """The engine's settings of a run that was done."""
        return asdict(make_setting(find_lab(name), receipt.part, receipt.run, receipt.seed).config)

    def claims_view(self) -> list[ClaimView]:
        """Every claim with what the learner answered, predicted and measured."""
        rows, catalog = self._rows(), load_catalog()
        questions = self._questions_by_claim
        with self._study.database.reading() as connection:
            answers = answers_to(connection, [one for ids in questions.values() for one in ids])
        out = []
        for claim in load_claims().values():
            ids = questions.get(claim.id, ())
            believed = [Believed(one, *answers[one]) for one in ids if one in answers]
            labs = [catalog[name] for name in claim.labs if name in catalog]
            measured = [_measured(lab, rows[lab.id]) for lab in labs if lab.id in rows]
            out.append(ClaimView(claim, ids, tuple(believed), tuple(measured)))
        return out

    @cached_property
    def _questions_by_claim(self) -> dict[str, tuple[str, ...]]:
        out: dict[str, list[str]] = {}
        for question in self._study.bank.questions.values():
            for claim in question.claims:
                out.setdefault(claim, []).append(question.id)
        return {claim: tuple(ids) for claim, ids in out.items()}

    # Doing

    def predict(
        self, name: str, values: Mapping[str, object], confidence: Mapping[str, int], part: Part = "main"
    ) -> LabView:
        """Stores predictions with their confidences: on the disk when this returns."""

        def change(lab: Lab, record: Record, now: str) -> Record:
            return rules.predict(lab, record, values, confidence, now, part)

        said = {"part": part, "values": dict(values), "confidence": dict(confidence)}
        return self._change(name, change, "predict", said)

    def record_receipt(self, name: str, receipt: Receipt) -> LabView:
        """Keeps the evidence of a run. When it passes the lab, the follow-up questions become due."""
        said = receipt.model_dump(mode="json")
        return self._change(name, lambda lab, record, now: rules.add_receipt(lab, record, receipt), "run", said)

    def observe(self, name: str, values: Mapping[str, object]) -> LabView:
        def change(lab: Lab, record: Record, now: str) -> Record:
            return rules.observe(lab, record, values, now)

        return self._change(name, change, "observe", dict(values))

    def explain(self, name: str, option: str) -> LabView:
        return self._change(name, lambda lab, record, now: rules.explain(lab, record, option), "explain", option)

    def retry_transfer(self, name: str) -> LabView:
        """The transfer again, on new numbers."""
        seed = self._seeds()
        return self._change(name, lambda lab, record, now: rules.retry_transfer(lab, record, seed), "retry", seed)

    def hint(self, name: str) -> tuple[str, LabView]:
        """The next hint's words."""
        words: list[str] = []

        def change(lab: Lab, record: Record, now: str) -> Record:
            text, after = rules.hint(lab, record)
            words.append(text)
            return after

        view = self._change(name, change, "hint", None)
        return words[0], view

    def reset(self, name: str) -> LabView:
        """Begins again on new numbers; receipts and the first pass are kept."""
        seed = self._seeds()
        return self._change(name, lambda lab, record, now: rules.reset(record, seed), "reset", seed)

    # Inside

    def _rows(self) -> dict[str, Row]:
        with self._study.database.reading() as connection:
            return lab_rows(connection)

    def _change(self, name: str, change: Callable[[Lab, Record, str], Record], what: str, value: Any) -> LabView:
        lab = find_lab(name)
        moment = self._study.moment()
        with self._study.database.writing() as connection:
            row = lab_rows(connection).get(lab.id)
            before = _record(row, lab) or rules.start(lab, self._seeds())
            after = change(lab, before, moment.now.isoformat())
            add_event(connection, lab.id, after.attempt, moment.at, what, json.dumps(value, sort_keys=True))
            passed_at = row.passed_at if row is not None else None
            if after.passed_at and not before.passed_at:
                passed_at = passed_at or moment.at
                self._passed(connection, lab, after, moment.at)
            keep_lab(connection, lab.id, after.model_dump_json(), rules.stage(lab, after), passed_at)
        self._study.wrote()
        return self.lab(lab.id)

    def _passed(self, connection: sqlite3.Connection, lab: Lab, record: Record, at: int) -> None:
        add_event(connection, lab.id, record.attempt, at, "pass", json.dumps({"tested_out": record.tested_out}))
        call_up(connection, [one for one in lab.followups if one in self._study.bank.questions], lab.id, at)

    def _here(self, lab: Lab, record: Record) -> Record:
        """The record with its event logs looked for beside this store, which may have been moved or restored."""
        receipts = [
            one.model_copy(update={"events": str(self.folder / lab.id / Path(one.events).name)})
            for one in record.receipts
        ]
        return record.model_copy(update={"receipts": receipts})

    def _view(self, lab: Lab, row: Row | None, passed: set[str]) -> LabView:
        record = self._here(lab, _record(row, lab) or rules.start(lab, 0))
        claims = load_claims()
        questions = self._study.bank.questions
        return LabView(
            lab=lab,
            record=record,
            stage=rules.stage(lab, record),
            text=lab.text(),
            transfer_words=transfer_text(lab, record.seed),
            claims=tuple(claims[one] for one in lab.claims if one in claims),
            path=tuple((one, load_catalog()[one].title) for one in _path(lab, passed)),
            main=_compared(lab.predict, record, "main"),
            transfer=_compared(lab.transfer.predict, record, "transfer"),
            readings={one.key: (one.value, one.right) for one in record.observations},
            followups=tuple((one, _first_line(questions[one])) for one in lab.followups if one in questions),
            passed_at=instant(row.passed_at) if row is not None and row.passed_at is not None else None,
        )


def _sweep(folder: Path) -> None:
    """Removes half-written logs of engines that were killed: `NAME.PID.partial` of a process that is no more."""
    for partial in folder.glob("*.partial"):
        pid = partial.suffixes[-2][1:]
        if pid.isdigit() and not _alive(int(pid)):
            partial.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _record(row: Row | None, lab: Lab) -> Record | None:
    return None if row is None else Record.model_validate_json(row.record)


def _line(lab: Lab, row: Row | None, passed: set[str]) -> LabLine:
    record = _record(row, lab)
    return LabLine(
        id=lab.id,
        title=lab.title,
        family=lab.family,
        minutes=lab.minutes,
        claim=lab.claim,
        claims=tuple(lab.claims),
        state=rules.stage(lab, record) if record is not None and record != rules.start(lab, record.seed) else "new",
        passed_at=instant(row.passed_at) if row is not None and row.passed_at is not None else None,
        tested_out=bool(record and record.tested_out),
        needs=tuple(lab.needs),
        path=tuple(_path(lab, passed)),
    )


def _path(lab: Lab, passed: set[str]) -> list[str]:
    """The labs that are wanted before this one and not passed, in the order of the catalogue."""
    catalog, wanted, todo = load_catalog(), set[str](), list(lab.needs)
    while todo:
        name = todo.pop()
        if name in catalog and name not in passed and name not in wanted:
            wanted.add(name)
            todo += catalog[name].needs
    return [name for name in catalog if name in wanted]


def _compared(asks: list[Ask], record: Record, part: Part) -> tuple[Compared, ...]:
    predicted, ran = record.predicted(part), record.ran(part)
    out = []
    for ask in asks:
        said = predicted.get(ask.key)
        known = {ask.run, ask.over or ask.run} <= ran.keys()
        was = rules.truth(ask, ran) if known else None
        out.append(Compared(ask, said, was, bool(said and known and rules.holds(ask, said.value, ran))))
    return tuple(out)


def _measured(lab: Lab, row: Row) -> Measured:
    record = Record.model_validate_json(row.record)
    rows = (*_compared(lab.predict, record, "main"), *_compared(lab.transfer.predict, record, "transfer"))
    return Measured(lab.id, lab.title, tuple(one for one in rows if one.said), row.passed_at is not None)


def _first_line(question: Any) -> str:
    return clean(question.ask).strip().splitlines()[0]
