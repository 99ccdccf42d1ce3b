"""What every command prints with: JSON on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO

import typer

from quizapp.text import clean

if TYPE_CHECKING:
    from quizapp.study import Study


def _inherited(context: typer.Context, name: str, value: Any) -> Any:
    """Options given before the command count for it: `quizapp --db X stats` equals `quizapp stats --db X`."""
    given = context.ensure_object(dict)
    if value:
        given[name] = value
    return given.get(name)


def _db(context: typer.Context, value: str | None) -> str | None:
    if value is not None and not value.strip():
        fail("--db is empty; name a store, or leave --db out for the one in QUIZAPP_HOME.", 2)
    return _inherited(context, "db", value)


def folder(text: str | Path) -> Path:
    """A path as it was typed: an empty one would mean the working folder, which nobody asked for."""
    if not str(text).strip():
        fail("An empty path names no folder; name one, or write . for the working folder.", 2)
    return Path(text)


def _bank(context: typer.Context, value: list[Path] | None) -> list[Path] | None:
    for one in value or ():
        if not one.exists():
            fail(f"--bank {one}: there is no such folder; give a folder of question files.", 2)
    return _inherited(context, "bank", value)


DbOption = Annotated[
    str | None,
    typer.Option("--db", metavar="PATH|URL", callback=_db, help="The store to use instead of the one in QUIZAPP_HOME."),
]
BankOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--bank", metavar="DIR", parser=folder, callback=_bank, help="A folder of questions to add; may be repeated."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def emit_json(obj: Any) -> None:
    """Prints one JSON document, in ASCII where the output cannot take every character. Dates print as ISO 8601."""
    text = json.dumps(obj, ensure_ascii=False, indent=2, default=_plain)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(obj, indent=2, default=_plain)
    _write(text + "\n", flush=True)


def _plain(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"cannot print {type(value).__name__} as JSON")


def say(text: str) -> None:
    """Text for the person on standard output: on a terminal long lines are wrapped at words."""
    _write(_folded(text, sys.stdout) + "\n")


def note(text: str) -> None:
    """A message for the person, on standard error."""
    with contextlib.suppress(BrokenPipeError):
        print(_folded(text, sys.stderr), file=sys.stderr, flush=True)


def make_printable() -> None:
    """What standard output cannot encode is printed as '?'; standard error escapes it of its own accord."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def let_output_go() -> None:
    """The reader has left: what is still printed goes nowhere, also at the interpreter's own last flush."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _write(text: str, flush: bool = False) -> None:
    """A reader that has left does not stop the command: its exit code is what it would have been."""
    try:
        sys.stdout.write(text)
        if flush:
            sys.stdout.flush()
    except BrokenPipeError:
        let_output_go()


def _folded(text: str, stream: TextIO) -> str:
    from quizapp.plain.lines import fold, width_of

    return fold(clean(text), width_of(stream))


def fail(message: str, code: int = 1) -> NoReturn:
    """Ends the command with one sentence on standard error. 1: it could not be done, 2: wrong usage."""
    note(message)
    raise typer.Exit(code)


def open_study(db: str | None = None, banks: Sequence[Path] | None = None) -> Study:
    """The store and bank that the options name; a store that cannot be opened ends the command with its sentence."""
    gc.disable()  # imports make a great many objects and no garbage: a tenth of the start-up is saved
    from quizapp.store.errors import StoreError, WrongAddress
    from quizapp.study import Study

    gc.enable()

    try:
        study = Study.open(db=db, banks=tuple(banks or ()))
    except StoreError as error:
        fail(str(error), code=2 if isinstance(error, WrongAddress) else 1)
    for warning in study.warnings:
        note(warning)
    return study
