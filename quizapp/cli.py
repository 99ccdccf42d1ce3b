"""Typer commands, each a few lines over the rooms. Command modules import their rooms inside the functions."""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from quizapp.commands import register
from quizapp.output import let_output_go, make_printable, note


class ReaderLeft(Exception):
    """Nobody reads the output any more. No OSError, of which Typer would make exit code 1."""


class Family(TyperGroup):
    def make_context(self, *words: Any, **more: Any) -> Any:
        try:
            return super().make_context(*words, **more)  # --help and --version print here
        except BrokenPipeError as error:
            raise ReaderLeft from error

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderLeft from error


app = typer.Typer(
    name="quizapp",
    cls=Family,
    help="Prepare for NVIDIA LLM-serving exams, and prove what you learn on a real batching engine.",
    no_args_is_help=False,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
register(app)


def run() -> None:
    """Run the command. What no command could foresee ends in a sentence; a reader that has left is no failure."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the process
    make_printable()
    code: Any = 0
    try:
        try:
            app()
        except SystemExit as decided:
            code = decided.code
        sys.stdout.flush()
    except (ReaderLeft, BrokenPipeError):
        let_output_go()
    except Exception as error:
        code, sentence = _outcome(error)
        let_output_go()
        if sys.stderr is not None:
            note(f"quizapp: {sentence}")
    sys.exit(code)


def _outcome(error: Exception) -> tuple[int, str]:
    """Exit code and sentence of what went wrong; an error of the program itself is raised again."""
    from quizapp.clock import WrongClock
    from quizapp.store.errors import StoreError, WrongAddress

    if isinstance(error, WrongClock | StoreError):
        return (2 if isinstance(error, WrongAddress) else 1), str(error)
    if not isinstance(error, OSError):
        raise error
    if error.filename is not None:
        return 1, f"cannot use {error.filename} ({error.strerror})"
    try:
        os.getcwd()
    except OSError:
        return 1, "the working folder is not there any more; change to a folder that is"
    return 1, f"cannot write the output ({error.strerror})"
