"""`stats`, `undo`, `log`, `backup`, `restore`, `doctor`: the learner's store from the command line."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from quizapp.output import BankOption, DbOption, JsonOption, emit_json, fail, note, open_study, say
from quizapp.text import counted, percent


class LogFormat(StrEnum):
    jsonl = "jsonl"
    csv = "csv"


def stats(db: DbOption = None, bank: BankOption = None, as_json: JsonOption = False) -> None:
    """How many cards there are, what is due, what was done."""
    with open_study(db, bank) as study:
        found = study.stats()
    if as_json:
        emit_json(found)
        return
    for name, value in found.items():
        if name == "true_retention":
            value = "not known yet" if value is None else percent(value, 1)
        say(f"{name.replace('_', ' '):<15} {value}")


def undo(db: DbOption = None, bank: BankOption = None, as_json: JsonOption = False) -> None:
    """Take back the newest answer."""
    from quizapp.store.errors import StoreError

    with open_study(db, bank) as study:
        try:
            undone = study.undo()
        except StoreError as error:
            fail(str(error))
    if as_json:
        emit_json({"undone": undone.review_id if undone else None})
    elif undone is None:
        say("There is no answer to take back.")
    else:
        say(f"Took back answer {undone.review_id}, to question {undone.question_id}.")


log = typer.Typer(help="The review log: export it, replay it.", no_args_is_help=True, rich_markup_mode=None)


@log.command("export")
def log_export(
    format: Annotated[LogFormat, typer.Option("--format", help="JSON lines or CSV.")] = LogFormat.jsonl,
    undone: Annotated[bool, typer.Option("--all", help="Include answers that were taken back.")] = False,
    output: Annotated[Path | None, typer.Option("--output", help="Write to this file instead of printing.")] = None,
    db: DbOption = None,
    bank: BankOption = None,
) -> None:
    """Print the review log, one review a line."""
    from quizapp.overwrite import keep_others
    from quizapp.store.errors import StoreError
    from quizapp.study.export import export_lines

    if output is not None:
        keep_others(output, "review log")
    with open_study(db, bank) as study:
        try:
            lines = export_lines(study.database, format.value, undone)
            if output is None:
                sys.stdout.writelines(lines)
            else:
                with output.open("w", encoding="utf-8", newline="") as file:
                    file.writelines(lines)
        except StoreError as error:
            fail(str(error))
        except BrokenPipeError:
            sys.stderr.close()  # the reader has left; Python must not complain at exit
            raise typer.Exit(0) from None
        except OSError as error:
            fail(f"{output} cannot be written ({error.strerror or error}); choose another file.")


@log.command("replay")
def log_replay(
    check: Annotated[bool, typer.Option("--check", help="Only compare; change nothing.")] = False,
    db: DbOption = None,
    bank: BankOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replay the whole log: compare the result with the store, or rebuild cards and counts from it."""
    from quizapp.store.backup import make_backup
    from quizapp.store.errors import StoreError
    from quizapp.study import replay

    with open_study(db, bank) as study:
        try:
            if check:
                report = replay.check(study.database)
            else:
                note(f"Backup made: {make_backup(study.location, study.clock.now(), 'replay')}")
                report = replay.rebuild(study.database)
        except StoreError as error:
            fail(str(error))
    if as_json:
        emit_json(
            {
                "ok": report.ok,
                "reviews": report.reviews,
                "differences": report.differences,
                "unchecked": report.unchecked,
            }
        )
    elif report.ok:
        say(
            f"{counted(report.reviews, 'review')} replayed: "
            + ("the store is identical." if check else "cards rebuilt.")
        )
    else:
        for difference in report.differences:
            say(difference)
        if check:
            say("Rebuild cards and counts from the log with: quizapp log replay")
    if not report.ok:
        raise typer.Exit(1)


def backup(
    file: Annotated[Path | None, typer.Argument(help="Where to; left out: the store's folder of backups.")] = None,
    db: DbOption = None,
    bank: BankOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy the whole store to a file."""
    from quizapp.store.backup import make_backup
    from quizapp.store.errors import StoreError

    with open_study(db, bank) as study:
        try:
            made = make_backup(study.location, study.clock.now(), "manual", file)
        except StoreError as error:
            fail(str(error))
    if as_json:
        emit_json({"backup": str(made)})
    else:
        say(f"Backup made: {made}")


def restore(
    file: Annotated[Path | None, typer.Argument(help="The backup; left out: list the backups there are.")] = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Go back to a backup. The store that it replaces is kept."""
    from quizapp.clock import clock_from_environment
    from quizapp.store.backup import list_backups
    from quizapp.store.errors import StoreError, WrongAddress
    from quizapp.store.location import locate
    from quizapp.store.restore import restore as put_back

    try:
        location = locate(db=db)
        if file is None:
            backups = list_backups(location)
            if as_json:
                emit_json([{"file": str(b.file), "made": b.made, "reason": b.reason} for b in backups])
                return
            say(f"Backups of {location.file}, newest first:" if backups else f"No backups in {location.backups}.")
            for one in backups:
                say(f"  {one.file}  ({one.reason})")
            return
        kept = put_back(location, file, clock_from_environment().now())
    except StoreError as error:
        fail(str(error), code=2 if isinstance(error, WrongAddress) else 1)
    if as_json:
        emit_json({"restored": str(file), "kept": str(kept) if kept else None})
    else:
        say(f"Restored {file}." + (f" The store it replaced is kept as {kept}." if kept else ""))


def doctor(db: DbOption = None, bank: BankOption = None, as_json: JsonOption = False) -> None:
    """Check the set-up and say how to mend what is wrong."""
    from quizapp.clock import clock_from_environment
    from quizapp.store.errors import StoreError
    from quizapp.store.location import locate
    from quizapp.study.doctor import examine

    try:
        location = locate(db=db)
    except StoreError as error:
        fail(str(error), code=2)
    checks = examine(location, clock_from_environment(), tuple(bank or ()))
    ok = all(check.ok for check in checks)
    if as_json:
        emit_json({"ok": ok, "checks": [vars(check) for check in checks]})
    else:
        for check in checks:
            say(f"{'ok  ' if check.ok else 'BAD '} {check.name:<11} {check.message}")
            if check.fix:
                say(f"     {'':<11} {check.fix}")
    if not ok:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    for command in (stats, undo, backup, restore, doctor):
        app.command(command.__name__)(command)
    app.add_typer(log, name="log")
