"""`quizapp bank`: check, lint, list and show the questions, and export their schema."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quizapp.output import BankOption, JsonOption, emit_json, fail, folder, note, say
from quizapp.text import counted

if TYPE_CHECKING:
    from quizapp.bank.model import Bank

PathArgument = Annotated[
    Path | None,
    typer.Argument(metavar="[PATH]", parser=folder, help="A bank's folder, or one question file."),
]


def register(app: typer.Typer) -> None:
    bank = typer.Typer(help="Check, lint, list and show the questions.", no_args_is_help=True)
    bank.command()(check)
    bank.command()(lint)
    bank.command("list")(list_questions)
    bank.command()(show)
    bank.command()(schema)
    app.add_typer(bank, name="bank")


def check(path: PathArgument = None, bank: BankOption = None, json: JsonOption = False) -> None:
    """Check that every question loads; every mistake is named with its file and line."""
    loaded = _load(path, bank)
    errors = loaded.errors
    if not loaded.questions and not errors:
        fail(f"{path or 'The bank'} holds no questions: give a folder with <topic>/*.yaml, or one question file", 2)
    if json:
        emit_json({"ok": not errors, "questions": len(loaded.questions), "errors": [asdict(error) for error in errors]})
    else:
        for error in errors:
            note(str(error))
        good = counted(len(loaded.questions), "question")
        say(f"{good}, no mistakes." if not errors else f"{good} loaded, {counted(len(errors), 'mistake')}.")
    if errors:
        raise typer.Exit(1)


def lint(
    path: PathArgument = None,
    bank: BankOption = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="TEXT", help="A text that no question may copy eight words in a row from; may be repeated."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Judge the bank as a whole: key positions, tell-tale lengths, duplicates, copied words, stale facts."""
    from quizapp.bank.lint import lint_bank
    from quizapp.clock import clock_from_environment

    try:
        texts = [text.read_text("utf-8") for text in against or ()]
    except (OSError, UnicodeDecodeError) as error:
        fail(f"--against: {error}; give UTF-8 text files", 2)
    report = lint_bank(_load(path, bank, tell=True), clock_from_environment().now().date(), texts)
    if json:
        emit_json(report.as_dict())
    else:
        for line in report.lines():
            say(line)
    if report.problems:
        raise typer.Exit(1)


def list_questions(bank: BankOption = None, json: JsonOption = False) -> None:
    """List the questions."""
    loaded = _load(None, bank, tell=True)
    rows: list[dict[str, Any]] = [
        {
            "id": q.id,
            "kind": q.kind,
            "style": q.style,
            "topic": loaded.topic[q.id],
            "objectives": q.objectives,
            "claims": q.claims,
            "labs": q.labs,
            "as_of": q.as_of,
        }
        for q in loaded.questions.values()
    ]
    if json:
        emit_json(rows)
        return
    from quizapp.text import one_line

    for row in rows:
        ask = one_line(loaded.questions[row["id"]].ask, 70)
        say(f"{one_line(row['topic']):14} {row['kind']:9} {row['style']:20} {row['id']:44} {ask}")


def show(
    question_id: Annotated[str, typer.Argument(metavar="ID")],
    seed: Annotated[int, typer.Option(help="Which variant: the order of the options and the numbers.")] = 1,
    bank: BankOption = None,
    json: JsonOption = False,
) -> None:
    """Show one question with its key, as the variant with this seed."""
    from quizapp.bank.describe import describe, sheet
    from quizapp.bank.messages import closest
    from quizapp.bank.variant import make_variant

    loaded = _load(None, bank, tell=True)
    question = loaded.questions.get(question_id)
    if question is None:
        fail(f"There is no question '{question_id}'{closest(question_id, loaded.questions)}; see: quizapp bank list", 1)
    variant = make_variant(question, seed)
    if json:
        emit_json(describe(variant))
        return
    from quizapp.plain.marks import unmarked

    for line in sheet(variant, loaded):
        say(unmarked(line))


def schema() -> None:
    """Print the JSON Schema of a question file, for editors."""
    from pydantic import TypeAdapter

    from quizapp.bank.schema import Question

    emit_json(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "quizapp question file",
            **TypeAdapter(list[Question]).json_schema(),
        }
    )


def _load(path: Path | None, extra: list[Path] | None, tell: bool = False) -> Bank:
    """The own bank with the added ones; or the bank at `path`, which may use the own bank's tables."""
    from quizapp.bank.load import load_bank

    if path is None:
        bank = load_bank(extra=extra or ())
    else:
        bank = load_bank([path, *(extra or ())], lent=load_bank())
    if tell and bank.errors:
        note(f"{counted(len(bank.errors), 'mistake')} in the bank; see: quizapp bank check")
    return bank
