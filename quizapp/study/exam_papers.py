"""The papers that the bank can fill by each exam's weights, and making one. What was found out of the bank is kept."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quizapp.bank.texts import NearDuplicates
from quizapp.exam.assemble import CHOICE, Familiarity, Paper, PaperError, Pool, assemble, pool_of
from quizapp.exam.blueprint import Blueprint, blueprints, quotas
from quizapp.store.errors import StoreError
from quizapp.study.exam_summary import says
from quizapp.study.exam_values import Offer

if TYPE_CHECKING:
    from quizapp.study.study import Study

SHORTER = (10, 25)


class ExamError(StoreError):
    """What cannot be done with a mock exam, as one sentence with the way out."""


class Papers:
    """`choice_only` means everywhere: choice questions only, one or several right options, as the real exams are."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._pools: dict[tuple[str, bool], Pool] = {}
        self._longest: dict[tuple[str, bool], int] = {}

    def blueprints(self) -> dict[str, Blueprint]:
        try:
            return blueprints(self._study.bank.exams)
        except ValueError as error:
            raise ExamError(f"An exam file of the bank is wrong: {error}. See 'quizapp bank check'.") from error

    def offer(self, blueprint: Blueprint, choice_only: bool) -> Offer:
        """With all kinds where the bank cannot fill a paper of choice questions."""
        lengths, usual = self._lengths(blueprint, choice_only)
        if choice_only and not lengths:
            return self.offer(blueprint, False)
        pool = self._pool(blueprint, choice_only)
        sql = (
            "SELECT count(*) FROM card WHERE orphan = 0 AND (reps > 0 OR review IS NOT NULL) "
            "AND question_id IN (SELECT value FROM json_each(?))"
        )
        with self._study.database.reading() as connection:
            (seen,) = connection.execute(sql, (json.dumps(pool.ids),)).fetchone()
        told = says(blueprint, max(lengths, default=0), pool.kinds, self._study.bank.sources)
        mixed = not self._pool(blueprint, False).kinds <= CHOICE
        return Offer(blueprint, lengths, usual, len(pool.ids), len(pool.ids) - seen, told, choice_only, mixed)

    def make(self, blueprint: Blueprint, count: int | None, seed: int | None, choice_only: bool) -> Paper:
        """A fresh paper; `count` None takes the usual length. Raises ExamError when the bank cannot fill it."""
        lengths, usual = self._lengths(blueprint, choice_only)
        if not lengths and choice_only and self._lengths(blueprint, False)[0]:
            raise ExamError(f"The bank cannot fill a paper of {blueprint.title} with choice questions only.")
        if not lengths:
            raise ExamError(f"No mock exam of {blueprint.title} is offered. {blueprint.covers}".rstrip())
        count = count or usual
        bank = self._study.bank
        if seed is None:
            seed = zlib.crc32(f"{blueprint.id}:{self._study.moment().at}".encode())
        if not 1 <= count <= blueprint.questions.max:
            raise ExamError(f"A mock exam has 1 to {blueprint.questions.max} questions, not {count}.")
        pool = self._pool(blueprint, choice_only)
        familiar = self._familiar(pool.ids, blueprint.id)
        twins = NearDuplicates(bank.questions)
        try:
            return assemble(blueprint, bank, seed, count, familiar, twins, blueprint.minutes_for(count), pool)
        except PaperError as error:
            raise ExamError(f"The bank cannot fill this exam: {error}.") from error

    def _pool(self, blueprint: Blueprint, choice_only: bool) -> Pool:
        key = blueprint.id, choice_only
        if key not in self._pools:
            bank = self._study.bank
            whole = self._pool(blueprint, False).of_kinds(CHOICE, bank) if choice_only else pool_of(blueprint, bank)
            self._pools[key] = whole
        return self._pools[key]

    def _lengths(self, blueprint: Blueprint, choice_only: bool) -> tuple[tuple[int, ...], int]:
        """The papers that the bank can fill, none where no mock is offered; and the usual one."""
        key = blueprint.id, choice_only
        if key not in self._longest:
            self._longest[key] = self._longest_paper(blueprint, choice_only) if blueprint.mock else 0
        longest = self._longest[key]
        full = [n for n in (blueprint.questions.min, blueprint.questions.max) if n <= longest]
        lengths = sorted({n for n in SHORTER if n < longest} | set(full or [longest])) if longest else []
        return tuple(lengths), full[0] if full else longest

    def _longest_paper(self, blueprint: Blueprint, choice_only: bool) -> int:
        """The longest paper that the bank can fill by the blueprint's weights, at most the exam's own length."""
        pool, weights = self._pool(blueprint, choice_only), blueprint.weights()
        for count in range(blueprint.questions.max, 0, -1):
            if any(len(pool.by_objective[objective]) < n for objective, n in quotas(weights, count).items()):
                continue  # that is seen without trying
            try:
                assemble(blueprint, self._study.bank, 0, count, pool=pool)
                return count
            except PaperError:
                continue
        return 0

    def _familiar(self, pool: Sequence[str], blueprint: str) -> dict[str, Familiarity]:
        """What the store knows of some questions; `blueprint` names the exam whose last paper is to be avoided."""
        moment = self._study.moment()
        sql = (  # names come as a few long texts: that is much faster than row by row
            "SELECT reps > 0 OR review IS NOT NULL, state = 'review' AND due_day <= :today, "
            "group_concat(question_id, char(10)) FROM card "
            "WHERE orphan = 0 AND question_id IN (SELECT value FROM json_each(:pool)) GROUP BY 1, 2"
        )
        newest = "SELECT paper FROM sitting WHERE blueprint = ? ORDER BY id DESC"
        with self._study.database.reading() as connection:
            last = connection.execute(newest, (blueprint,)).fetchone()
            rows = connection.execute(sql, {"today": moment.today, "pool": json.dumps(pool)}).fetchall()
        found: dict[str, Familiarity] = {}
        for seen, due, names in rows:
            found.update(dict.fromkeys(names.split("\n"), Familiarity(bool(seen), bool(due))))
        for item in json.loads(last[0])["items"] if last else ():
            if item["question_id"] in found:
                found[item["question_id"]] = found[item["question_id"]]._replace(in_last_paper=True)
        return found
