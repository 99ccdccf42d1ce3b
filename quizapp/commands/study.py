"""`quizapp study`: answer what is due; with `--plain` line by line."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from quizapp.output import BankOption, DbOption, fail, note, open_study


def register(app: typer.Typer) -> None:
    app.command()(study)


def study(
    plain: Annotated[
        bool, typer.Option("--plain", help="Line by line: for screen readers, pipes, dumb terminals.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop after so many answers.")] = None,
    topic: Annotated[list[str] | None, typer.Option(metavar="T", help="Only this topic; may be repeated.")] = None,
    db: DbOption = None,
    bank: BankOption = None,
) -> None:
    """Study what is due. Every answer is stored before its verdict is shown; Ctrl-C loses nothing."""
    if not plain:
        if limit is not None or topic:
            fail("--limit and --topic belong to --plain; the app has its own filters.", 2)
        from quizapp.tui.start import open_app

        raise typer.Exit(open_app(db, bank or ()))
    from quizapp.plain.session import Session
    from quizapp.store.errors import StoreError
    from quizapp.study import Filter

    source = sys.stdin or io.StringIO()  # closed by whoever started us: as good as at its end
    for stream in (source, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with open_study(db, bank) as opened:
        topics = sorted(set(opened.bank.topic.values()))
        unknown = [one for one in topic or () if one not in topics]
        if unknown:
            fail(f"There is no topic '{unknown[0]}'; there are {', '.join(topics)}.", 2)
        session = Session(opened, source, sys.stdout, Filter(topics=tuple(topic or ())), limit)
        try:
            session.run()
        except KeyboardInterrupt:
            note("\nStopped. Every answer you gave is kept.")
            raise typer.Exit(130) from None
        except StoreError as error:
            fail(str(error))
