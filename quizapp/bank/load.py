"""Loading a bank: every mistake is listed with file and line at once, and the good questions load all the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from quizapp.bank import cache as cached
from quizapp.bank.checks import formula_faults, reference_faults, text_faults
from quizapp.bank.errors import BankError
from quizapp.bank.files import BankFile, builtin_dir, find_files, read_text
from quizapp.bank.messages import closest, findings, key_faults, label
from quizapp.bank.model import Bank
from quizapp.bank.schema import (
    KINDS,
    Common,
    Match,
    Misconception,
    Multiple,
    Numeric,
    Objective,
    Order,
    Short,
    Single,
    Source,
)

if TYPE_CHECKING:
    from quizapp.bank.yaml12 import Document

_KINDS: dict[str, type[Common]] = {
    "single": Single,
    "multiple": Multiple,
    "numeric": Numeric,
    "order": Order,
    "match": Match,
    "short": Short,
}
_TABLES = ("sources", "misconceptions", "lessons")
M = TypeVar("M", bound=BaseModel)


def load_bank(
    dirs: Sequence[Path] | None = None,
    extra: Sequence[Path] = (),
    cache: Path | None = None,
    lent: Bank | None = None,
) -> Bank:
    """Load the banks in `dirs` (None: the one that comes with quizapp) and `extra` as one.

    A bank is a folder with `sources.yaml`, `misconceptions.yaml`, `lessons.yaml`, `exams/*.yaml` and questions in
    `<topic>/*.yaml`; a single question file works too. `lent` lends its tables (not its questions) to a bank that has
    none of its own. `cache` is a folder for the parsed form. Never raises on bad content: see `Bank.errors`.
    """
    errors: list[BankError] = []
    roots = [*([builtin_dir()] if dirs is None else dirs), *extra]
    files = [file for root in roots for file in find_files(root, errors)]
    key = None if cache is None or lent is not None else cached.key_of(files)
    if cache is not None and key is not None:
        bank = cached.read(cache, key)
        if bank is not None:
            bank.errors[:0] = errors
            return bank
    bank = _Loader(lent).load(files)
    if cache is not None and key is not None:
        cached.write(cache, key, bank)
    bank.errors[:0] = errors
    return bank


class _Loader:
    def __init__(self, lent: Bank | None) -> None:
        self.bank = Bank()
        self.lent = lent or Bank()

    def load(self, files: Sequence[BankFile]) -> Bank:
        from quizapp.bank.yaml12 import read_yaml  # a cached bank is opened without PyYAML

        questions: list[tuple[BankFile, Document]] = []
        for file in files:
            text = read_text(file, self.bank.errors)
            if text is None:
                continue
            document = read_yaml(text)
            if len(file.inside) == 1 and not isinstance(document.value, list):
                self._table(file, document)
            elif file.inside[0] == "exams":
                self._exam(file, document)
            else:
                questions.append((file, document))
        bank, lent = self.bank, self.lent
        bank.borrowed = (set(lent.sources) - set(bank.sources)) | (set(lent.misconceptions) - set(bank.misconceptions))
        bank.sources = {**lent.sources, **bank.sources}
        bank.misconceptions = {**lent.misconceptions, **bank.misconceptions}
        bank.objectives = {**lent.objectives, **bank.objectives}
        bank.lessons = {**lent.lessons, **bank.lessons}
        for file, document in questions:
            self._questions(file, document)
        return bank

    # Tables

    def _table(self, file: BankFile, document: Document) -> None:
        name = file.inside[0].rsplit(".", 1)[0]
        if name not in _TABLES:
            expected = ", ".join(f"{table}.yaml" for table in _TABLES)
            self._error(
                file, 0, "", f"unknown file{closest(name, _TABLES)}; here belong {expected}; questions go in a folder"
            )
            return
        self._mistakes(file, document, "")
        for key, value in self._mapping(file, document, ()).items():
            line = document.line((key,))
            if name == "lessons":
                if isinstance(value, str):
                    self._add(self.bank.lessons, key, value, file, line)
                else:
                    self._error(file, line, key, f"lesson section '{key}' must be a text: its title")
            elif name == "sources":
                source = self._model(Source, file, document, (key,), value)
                if source is not None:
                    self._add(self.bank.sources, key, source, file, line)
            else:
                misconception = self._model(Misconception, file, document, (key,), value)
                if misconception is not None:
                    self._add(self.bank.misconceptions, key, misconception, file, line)

    def _exam(self, file: BankFile, document: Document) -> None:
        self._mistakes(file, document, "")
        value = self._mapping(file, document, ())
        exam = value.get("id")
        if not isinstance(exam, str):
            self._error(file, 1, "id", "an exam needs an 'id', for example 'id: nca-genl'")
            return
        self._add(self.bank.exams, exam, value, file, document.line(("id",)))
        for key, entry in self._mapping(file, document, ("objectives",)).items():
            objective = self._model(Objective, file, document, ("objectives", key), entry)
            if objective is not None:
                self._add(self.bank.objectives, key, objective, file, document.line(("objectives", key)))

    def _mapping(self, file: BankFile, document: Document, path: tuple[str, ...]) -> dict[str, Any]:
        value = document.value
        for step in path:
            value = value.get(step)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._error(file, document.line(path), "", "must be a mapping of names to entries")
            return {}
        return value

    def _model(self, model: type[M], file: BankFile, document: Document, at: tuple[str, ...], value: Any) -> M | None:
        try:
            return model.model_validate(value)
        except ValidationError as error:
            for path, message in findings(error, model, value):
                self._error(file, document.line((*at, *path)), label(path, value), f"'{at[-1]}': {message}")
            return None

    def _add(self, table: dict[str, Any], key: str, value: Any, file: BankFile, line: int) -> None:
        if key in table and table[key] != value:
            self._error(file, line, key, f"'{key}' is already there with other contents; choose another name")
            return
        table[key] = value

    # Questions

    def _questions(self, file: BankFile, document: Document) -> None:
        entries = document.value
        broken = self._mistakes(file, document, None)
        if entries is None:
            if not document.mistakes:
                self._error(file, 0, "", "the file is empty; write a list of questions or remove it")
            return
        if not isinstance(entries, list):
            self._error(file, 1, "", "the file must be a list: each question starts with '- id: ...'")
            return
        for index, entry in enumerate(entries):
            if index not in broken:
                self._question(file, document, index, entry)

    def _question(self, file: BankFile, document: Document, index: int, data: Any) -> None:
        line = document.line((index,))
        if not isinstance(data, dict):
            self._error(file, line, "", "an entry is not a question; write its fields as 'name: value' lines")
            return
        given_id = data.get("id")
        name = given_id if isinstance(given_id, str) else ""
        model = _KINDS.get(str(data.get("kind")))
        if model is None:
            given = data.get("kind")
            problem = "'kind' is missing" if given is None else f"'kind' is '{str(given)[:40]}'"
            message = f"{problem}; it must be one of {', '.join(KINDS)}{closest(str(given), KINDS)}"
            self._error(file, document.line((index, "kind")), "kind", message, name)
            return
        try:
            question: Any = model.model_validate(data)
        except ValidationError as error:
            wrong = findings(error, model, data)
            if all(path for path, _ in wrong):
                wrong += key_faults(data)  # pydantic does not look at the key while a field is wrong
            for path, message in wrong:
                self._error(file, document.line((index, *path)), label(path, data), message, name)
            return
        faults = [*reference_faults(question, self.bank), *formula_faults(question), *text_faults(question)]
        first = self.bank.file.get(question.id)
        if first is not None:
            place = f"{first}:{self.bank.line[question.id]}"
            faults.append((("id",), f"the id is already used at {place}; every question needs its own"))
        for path, message in faults:
            self._error(file, document.line((index, *path)), label(path, data), message, question.id)
        if not faults:
            self.bank.questions[question.id] = question
            self.bank.topic[question.id] = file.topic
            self.bank.file[question.id] = file.name
            self.bank.line[question.id] = line

    # Reporting

    def _mistakes(self, file: BankFile, document: Document, name: str | None) -> set[int]:
        """Report YAML mistakes; returns the list entries that are broken by them. `name` None: look the ids up."""
        broken: set[int] = set()
        for mistake in document.mistakes:
            who = name or ""
            if mistake.path and isinstance(mistake.path[0], int):
                broken.add(mistake.path[0])
                entry = document.value[mistake.path[0]]
                who = str(entry.get("id", "")) if isinstance(entry, dict) else ""
            field = ".".join(str(step) for step in mistake.path if isinstance(step, str))
            self._error(file, mistake.line, field, mistake.message, who)
        return broken

    def _error(self, file: BankFile, line: int, field: str, message: str, name: str = "") -> None:
        self.bank.errors.append(BankError(file.name, line, name[:60], field, message))
