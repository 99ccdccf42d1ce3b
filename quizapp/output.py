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


def open_study(db: str | None = None, banks: Sequence[Path] | None = None) -> Study:
    """The store and bank that the command's options name; a store that cannot be opened ends the command.

    Options left out are looked up on the root command, so that `quizapp --db X stats` equals `quizapp stats --db X`.
    """
    import click

    from quizapp.store.errors import StoreError
    from quizapp.study import Study

    context = click.get_current_context(silent=True)
    root = context.find_root().params if context else {}
    try:
        study = Study.open(db=db or root.get("db"), banks=banks or root.get("bank") or ())
    except StoreError as error:
        fail(str(error))
    for warning in study.warnings:
        note(warning)
    return study
