"""Mock exams as use cases: start, save after each action, resume, hand in, look back. Each is one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quizapp.bank.schema import Question
from quizapp.exam import sitting as sit_room
from quizapp.exam.assemble import Paper
from quizapp.exam.score import score
from quizapp.exam.sitting import Sitting
from quizapp.exam.timer import Instant
from quizapp.settings import Settings
from quizapp.store.database import Record, records
from quizapp.store.errors import Conflict, StoreError
from quizapp.study.exam_clock import read_instant
from quizapp.study.exam_feed import feed_memory
from quizapp.study.exam_papers import ExamError, Papers
from quizapp.study.exam_summary import late_words, summarise
from quizapp.study.exam_values import Desk, Finished, Offer, Past
from quizapp.study.moment import instant, milliseconds
from quizapp.study.study import Study

_QUESTIONS: TypeAdapter[dict[str, Question]] = TypeAdapter(dict[str, Question])


class Exams:
    """The mock exams of one open store. Raises StoreError (ExamError, Conflict) with a sentence for the person."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._versions: dict[int, int] = {}
        """Of the sittings on this desk: what the store's version was when they were last read or saved here."""
        self._papers = Papers(study)

    def now(self) -> Instant:
        return read_instant(self._study.clock)

    # Before

    def offers(self, choice_only: bool = False) -> list[Offer]:
        """Every blueprint of the bank: those that can be sat come first.

        `choice_only`: with choice questions only, but for an exam of which the bank cannot fill such a paper.
        """
        out = [self._papers.offer(blueprint, choice_only) for blueprint in self._papers.blueprints().values()]
        return sorted(out, key=lambda offer: (not offer.lengths, offer.blueprint.id))

    def preferred(self) -> str:
        """The exam to begin with: that of Settings where one was chosen, else the one sat last, else the default."""
        chosen, default = self._study.settings().exam, Settings.model_fields["exam"].default
        history = self.history() if chosen == default else []
        return history[0].blueprint if history else chosen

    def asks(self, blueprint_id: str) -> str:
        """What is known of the kinds of question in the real exam; empty when the bank says nothing."""
        known = self._papers.blueprints()
        return known[blueprint_id].asks if blueprint_id in known else ""

    def start(
        self, blueprint_id: str, count: int | None = None, seed: int | None = None, choice_only: bool = False
    ) -> Desk:
        """Makes a paper and starts the clock; the sitting is in the store when this returns.

        `count` None takes the usual length. Raises ExamError when an exam is running already or the bank cannot fill
        the paper.
        """
        known = self._papers.blueprints()
        if blueprint_id not in known:
            raise ExamError(f"There is no exam '{blueprint_id}'; there are {', '.join(known)}.")
        self.running()  # hands in one whose time is over
        blueprint = known[blueprint_id]
        paper = self._papers.make(blueprint, count, seed, choice_only)
        now = self.now()
        sitting = sit_room.sit(paper, now)
        questions = {item.question_id: self._study.bank.questions[item.question_id] for item in paper.items}
        at = milliseconds(now.wall)
        columns = {
            "blueprint": blueprint.id,
            "title": blueprint.title,
            "open": 1,
            "started_at": at,
            "saved_at": at,
            "version": 0,
            "paper": paper.model_dump_json(),
            "questions": _QUESTIONS.dump_json(questions).decode(),
            "record": _record(sitting),
        }
        insert = f"INSERT INTO sitting ({', '.join(columns)}) VALUES ({', '.join(f':{name}' for name in columns)})"
        with self._study.database.writing() as connection:
            if connection.execute("SELECT 1 FROM sitting WHERE open = 1").fetchone() is not None:
                raise ExamError("A mock exam is running; resume it and hand it in first.")
            number = connection.execute(insert, columns).lastrowid
            assert number is not None
        self._study.wrote()
        self._versions[number] = 0
        return Desk(number, blueprint.title, blueprint.id, now.wall, sitting, questions)

    # While it runs

    def running(self) -> Desk | None:
        """The exam that is being sat, its clock brought up to date; None when there is none.

        One whose time ran out while nobody looked is handed in as it was left.
        """
        with self._study.database.reading() as connection:
            row = records(connection, "SELECT * FROM sitting WHERE open = 1").fetchone()
        if row is None:
            return None
        desk = _desk(row)
        self._versions[row.id] = row.version
        sitting = sit_room.resume(desk.sitting, self.now())
        if sitting.submitted:
            self._study.exam_notice = late_words(self._hand_in(desk, sitting, row.saved_at))
            return None
        return replace(desk, sitting=sitting)

    def save(self, desk: Desk, sitting: Sitting) -> None:
        """Stores where the candidate is; on the disk when it returns. A sitting that is over is handed in instead.

        Raises Conflict when the exam was resumed in another window.
        """
        if sitting.submitted:
            self.submit(desk, sitting)
            return
        saved_at = milliseconds(sitting.timer.last.wall)
        update = "UPDATE sitting SET record = ?, saved_at = ?, version = ? WHERE id = ?"
        with self._study.database.writing() as connection:
            version = self._row(connection, desk).version + 1
            connection.execute(update, (_record(sitting), saved_at, version, desk.number))
        self._versions[desk.number] = version
        self._study.wrote()

    def _row(self, connection: sqlite3.Connection, desk: Desk) -> Record:
        row: Record | None = records(
            connection, "SELECT * FROM sitting WHERE id = :number", {"number": desk.number}
        ).fetchone()
        if row is None or not row.open:
            raise Conflict("This mock exam was handed in already; its result is in the history.")
        if row.version != self._versions.get(desk.number):
            raise Conflict("This mock exam was resumed in another window; go on there, or leave and resume it here.")
        return row

    def submit(self, desk: Desk, sitting: Sitting) -> Finished:
        """Hands in: the result is stored, and the answers reach the cards by the rule of `quizapp.exam.feed`."""
        sitting = sit_room.submit(sitting, self.now())
        return self._hand_in(desk, sitting, milliseconds(sitting.timer.last.wall))

    def _hand_in(self, desk: Desk, sitting: Sitting, at: int) -> Finished:
        """`at` is when the candidate last did something: the answers count for that day."""
        moment = self._study.moment()
        at = max(min(at, moment.at), milliseconds(desk.started_at))  # a clock set back does not send answers back
        blueprint = self._papers.blueprints().get(desk.blueprint)
        result = score(sitting, desk.questions, lambda o: blueprint.domain_of(o) if blueprint else "")
        update = (
            "UPDATE sitting SET open = 0, submitted_at = :at, record = :record, saved_at = :at, "
            "version = version + 1, summary = :summary WHERE id = :number"
        )
        with self._study.database.writing() as connection:
            row = self._row(connection, desk)
            summary = json.dumps(summarise(row, at, sitting, result, blueprint, self._study.bank.misconceptions))
            values = {"at": at, "record": _record(sitting), "summary": summary, "number": desk.number}
            connection.execute(update, values)
            feed_memory(connection, moment, self._study.bank, sitting, result.items, at)
        self._study.wrote()
        self._versions.pop(desk.number, None)
        return self.result(desk.number)

    # After

    def history(self) -> list[Past]:
        """Exams that were handed in, newest first."""
        sql = (
            "SELECT id, title, blueprint, started_at, json_extract(summary, '$.right', '$.questions', "
            "'$.low', '$.high', '$.timed_out') FROM sitting WHERE open = 0 ORDER BY id DESC"
        )
        with self._study.database.reading() as connection:
            rows = connection.execute(sql).fetchall()
        return [Past(n, title, name, instant(at), *json.loads(told)) for n, title, name, at, told in rows]

    def result(self, number: int | None = None) -> Finished:
        """An exam that was handed in: the last one, or that with this number."""
        sql = "SELECT * FROM sitting WHERE open = 0 AND id = coalesce(:number, id) ORDER BY id DESC"
        with self._study.database.reading() as connection:
            row = records(connection, sql, {"number": number}).fetchone()
        if row is None:
            what = "No mock exam was handed in yet" if number is None else f"There is no handed-in mock exam {number}"
            raise ExamError(f"{what}; see 'quizapp exam list'.")
        desk = _desk(row)
        return Finished(desk, json.loads(row.summary), self._changed(desk.sitting.paper.items))

    def _changed(self, items: Sequence[Any]) -> frozenset[str]:
        bank = self._study.bank
        return frozenset(
            item.question_id
            for item in items
            if item.question_id not in bank.questions or bank.key_hash(item.question_id) != item.key_hash
        )


def hand_in_late(study: Study) -> None:
    """Hands in an exam whose time ran out while nobody looked; `study.exam_notice` then says so.

    One that cannot be handed in stays as it is: Mock exam tells why.
    """
    with suppress(StoreError):
        Exams(study).running()


def _record(sitting: Sitting) -> str:
    return sitting.model_dump_json(exclude={"paper"})


def _desk(row: Record) -> Desk:
    try:
        paper = Paper.model_validate_json(row.paper)
        sitting = Sitting.model_validate({**json.loads(row.record), "paper": paper})
        questions = _QUESTIONS.validate_json(row.questions)
    except (ValidationError, ValueError) as error:
        raise ExamError(f"Mock exam {row.id} cannot be read ({type(error).__name__}); see 'quizapp doctor'.") from error
    return Desk(row.id, row.title, row.blueprint, instant(row.started_at), sitting, questions)
