"""What every command prints with: JSON on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from quizapp.text import clean

if TYPE_CHECKING:
    from quizapp.study import Study

DbOption = Annotated[
    str | None, typer.Option("--db", metavar="PATH|URL", help="The store to use instead of the one in QUIZAPP_HOME.")
]
BankOption = Annotated[
    list[Path] | None, typer.Option("--bank", metavar="DIR", help="A folder of questions to add; may be repeated.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def emit_json(obj: Any) -> None:
    """Prints one JSON document. Dates print as ISO 8601."""
    text = json.dumps(obj, ensure_ascii=False, indent=2, default=_plain)
    try:
        sys.stdout.write(text + "\n")
    except UnicodeEncodeError:
        sys.stdout.write(json.dumps(obj, indent=2, default=_plain) + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"cannot print {type(value).__name__} as JSON")


def note(text: str) -> None:
    """A message for the person, on standard error."""
    print(clean(text), file=sys.stderr, flush=True)


def fail(message: str, code: int = 1) -> NoReturn:
    """Ends the command with one sentence on standard error. 1: it could not be done, 2: wrong usage."""
    note(message)
    raise typer.Exit(code)


_chosen: dict[str, Any] = {"db": None, "banks": ()}


def choose_store(db: str | None, banks: Sequence[Path] | None) -> None:
    """What `quizapp --db X --bank Y COMMAND` says; options of the command itself come first."""
    _chosen.update(db=db, banks=tuple(banks or ()))


def chosen_store(db: str | None, banks: Sequence[Path] | None) -> tuple[str | None, tuple[Path, ...]]:
    """The command's own options, else those given before the command."""
    return db or _chosen["db"], tuple(banks or _chosen["banks"])


def open_study(db: str | None = None, banks: Sequence[Path] | None = None) -> Study:
    """The store and bank that the options name; a store that cannot be opened ends the command with its sentence."""
    from quizapp.store.errors import StoreError
    from quizapp.study import Study

    db, banks = chosen_store(db, banks)
    try:
        study = Study.open(db=db, banks=banks)
    except StoreError as error:
        fail(str(error))
    for warning in study.warnings:
        note(warning)
    return study
