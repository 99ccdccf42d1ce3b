"""`quizapp` alone opens the app; `--db` and `--bank` choose the store and add a bank for every command."""

from __future__ import annotations

import sys

import typer

from quizapp.output import BankOption, DbOption


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
            from quizapp.tui.start import open_app

            sys.exit(open_app(db, bank or ()))
