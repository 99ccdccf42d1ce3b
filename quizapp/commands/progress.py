"""`progress`: how it stands, as text, JSON, or a report to share."""

from __future__ import annotations

import typer

from quizapp.output import BankOption, DbOption, JsonOption, emit_json, open_study


def progress(
    db: DbOption = None,
    bank: BankOption = None,
    as_json: JsonOption = False,
) -> None:
    """What you know, how sure you were, and how ready you are."""
    from quizapp.study.progress import Progress

    with open_study(db, bank) as study:
        found = Progress(study).all()
    if as_json:
        emit_json(found)
        return


def register(app: typer.Typer) -> None:
    app.command()(progress)
