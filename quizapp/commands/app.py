"""`quizapp` alone opens the app; `--db` and `--bank` choose the store and add a bank for every command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from quizapp.output import BankOption, DbOption, note


def _version(wanted: bool) -> None:
    if wanted:
        from quizapp import __version__

        print(f"quizapp {__version__}")
        raise typer.Exit()


def register(app: typer.Typer) -> None:
    @app.callback(invoke_without_command=True)
    def main(
        context: typer.Context,
        db: DbOption = None,
        bank: BankOption = None,
        version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    ) -> None:
        """Prepare for NVIDIA LLM-serving exams, and prove what you learn on a real batching engine.

        Without a command the app opens.
        """
        if context.invoked_subcommand is None:
            sys.exit(open_app(db, bank or ()))


def open_app(db: str | None = None, banks: Sequence[Path] = ()) -> int:
    """Runs the app in this terminal. Returns its exit code: 2 when there is no terminal to draw on."""
    from quizapp.tui.environment import prepare, refusal

    reason = refusal()
    if reason:
        note(reason)
        return 2
    prepare()
    from quizapp.clock import clock_from_environment
    from quizapp.store.location import home_folder
    from quizapp.tui.app import run

    return run(db, banks, clock_from_environment(), home_folder())
