"""Typer commands, each a few lines over the rooms. Command modules import their rooms inside the functions."""

from __future__ import annotations

import os
import sys

import typer

from quizapp.commands import register

app = typer.Typer(
    name="quizapp",
    help="Prepare for NVIDIA LLM-serving exams, and prove what you learn on a real batching engine.",
    no_args_is_help=False,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
register(app)


def run() -> None:
    """Run the command. Output that cannot be written ends in a sentence and exit code 1, a closed reader in silence."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the process
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the interpreter's own last flush cannot fail as well
        if not isinstance(error, BrokenPipeError) and sys.stderr is not None:
            what = "cannot write the output" if error.filename is None else f"cannot use {error.filename}"
            print(f"quizapp: {what} ({error.strerror})", file=sys.stderr)
        sys.exit(1)
