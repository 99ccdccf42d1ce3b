"""Typer commands, each a few lines over the rooms. Command modules import their rooms inside the functions."""

from __future__ import annotations

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
    app()
