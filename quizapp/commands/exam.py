"""`quizapp exam`: mock exams from the command line; with `--plain` line by line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from quizapp.output import BankOption, DbOption, JsonOption, emit_json, fail, note, open_study, say

if TYPE_CHECKING:
    from quizapp.study import Study
    from quizapp.study.seat import Seat

exam = typer.Typer(help="Mock exams: list, start, resume, result.", no_args_is_help=True, rich_markup_mode=None)
PlainOption = Annotated[bool, typer.Option("--plain", help="Line by line: for screen readers, pipes, dumb terminals.")]


class Which(StrEnum):
    all = "all"
    wrong = "wrong"
    flagged = "flagged"
    changed = "changed"


def register(app: typer.Typer) -> None:
    app.add_typer(exam, name="exam")


@exam.command("list")
def list_exams(
    db: DbOption = None, bank: BankOption = None, plain: PlainOption = False, as_json: JsonOption = False
) -> None:
    """Exams that can be sat, the one that runs, and those handed in."""
    from quizapp.plain.exam_wording import list_lines
    from quizapp.store.errors import StoreError
    from quizapp.study.exams import Exams
    from quizapp.study.seat import Seat

    with open_study(db, bank) as study:
        exams = Exams(study)
        try:
            desk, offers, history = exams.running(), exams.offers(), exams.history()
            choice = {offer.blueprint.id: offer for offer in exams.offers(choice_only=True) if offer.choice_only}
        except StoreError as error:
            fail(str(error))
        seat = Seat(exams, desk) if desk else None
        zone = study.moment().days.zone
    if not as_json:
        if study.exam_notice:
            say(study.exam_notice)
        for line in list_lines(offers, choice, history, seat, zone):
            say(line)
        return
    emit_json(
        {
            "running": _state(seat) if seat else None,
            "offers": [_offer(offer, choice.get(offer.blueprint.id)) for offer in offers],
            "history": [{**vars(past), "rate": past.rate, "interval": 0.9} for past in history],
        }
    )


def _offer(offer: Any, choice: Any) -> dict[str, Any]:
    """`choice` is what is offered with --choice-only, if anything."""
    blueprint = offer.blueprint
    with_choice = {key: getattr(choice, key) for key in ("lengths", "usual", "pool", "unseen")} if choice else None
    return {
        "id": blueprint.id,
        "title": blueprint.title,
        "lengths": list(offer.lengths),
        "usual": offer.usual,
        "minutes": blueprint.minutes,
        "weights": blueprint.weights(),
        "pass_mark": blueprint.pass_mark,
        "covers": blueprint.covers,
        "pool": offer.pool,
        "unseen": offer.unseen,
        "choice_only": with_choice,
        "says": list(offer.says),
        "as_of": blueprint.as_of,
        "sources": list(blueprint.sources),
    }


@exam.command("start")
def start(
    blueprint: Annotated[str | None, typer.Argument(help="Which exam; see 'quizapp exam list'.")] = None,
    questions: Annotated[int | None, typer.Option("--questions", min=1, metavar="N", help="A shorter paper.")] = None,
    choice_only: Annotated[
        bool,
        typer.Option("--choice-only", help="Only questions with one or several right options, as the real exams have."),
    ] = False,
    db: DbOption = None,
    bank: BankOption = None,
    plain: PlainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Start a mock exam: the clock runs from now on. Every answer is stored at once; a kill loses nothing."""
    if not plain and not as_json:
        if blueprint is not None or questions is not None or choice_only:
            _point_to_a_paper(blueprint, questions, choice_only, bank or ())
        _open_app(db, bank or ())
    from quizapp.store.errors import StoreError
    from quizapp.study.exams import Exams
    from quizapp.study.seat import Seat

    with open_study(db, bank) as study:
        exams = Exams(study)
        try:
            offered = [offer.blueprint.id for offer in exams.offers() if offer.lengths]
            first = next((name for name in (exams.preferred(), *offered) if name in offered), "")
            seat = Seat(exams, exams.start(blueprint or first, questions, choice_only=choice_only))
        except StoreError as error:
            fail(str(error))
        _sit(study, seat, as_json)


@exam.command("resume")
def resume(
    db: DbOption = None, bank: BankOption = None, plain: PlainOption = False, as_json: JsonOption = False
) -> None:
    """Go on with the exam that runs. One whose time is over is handed in as it was left."""
    if not plain and not as_json:
        _open_app(db, bank or ())
    from quizapp.store.errors import StoreError
    from quizapp.study.exams import Exams
    from quizapp.study.seat import Seat

    with open_study(db, bank) as study:
        exams = Exams(study)
        try:
            handed_in = len(exams.history())
            desk = exams.running()
            late = len(exams.history()) > handed_in
        except StoreError as error:
            fail(str(error))
        if desk is None:
            fail("The time was over; what was answered by then was handed in. See 'quizapp exam result'." if late
                 else "No mock exam is running; start one with 'quizapp exam start --plain'.")  # fmt: skip
        _sit(study, Seat(exams, desk), as_json)


def _sit(study: Study, seat: Seat, as_json: bool) -> None:
    from quizapp.plain.exam import ExamSession
    from quizapp.store.errors import StoreError

    if as_json:
        emit_json(_state(seat))
        return
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        ExamSession(seat, sys.stdin, sys.stdout).run()
    except KeyboardInterrupt:
        note("\nLeft. The exam goes on and every answer is kept; go on with 'quizapp exam resume --plain'.")
        raise typer.Exit(130) from None
    except StoreError as error:
        fail(str(error))


def _point_to_a_paper(
    blueprint: str | None, questions: int | None, choice_only: bool, banks: Sequence[Path]
) -> NoReturn:
    """The app opens on Home: ends the command with the way to the paper that was named."""
    from quizapp.bank.load import load_bank
    from quizapp.exam.blueprint import blueprints
    from quizapp.store.location import locate

    try:
        known = blueprints(load_bank(extra=banks, cache=locate().cache).exams)
    except ValueError as error:
        fail(f"An exam file of the bank is wrong: {error}. See 'quizapp bank check'.")
    if blueprint is not None and blueprint not in known:
        fail(f"There is no exam '{blueprint}'; there are {', '.join(known)}.", 2)
    words = [
        "quizapp exam start",
        *([blueprint] if blueprint else []),
        *(["--questions", str(questions)] if questions else []),
        *(["--choice-only"] if choice_only else []),
    ]
    fail(f"Line by line: {' '.join(words)} --plain. Full screen: quizapp, then press e for Mock exam.", 2)


def _state(seat: Seat) -> dict[str, Any]:
    """A running exam without anything that tells right from wrong."""
    from quizapp.bank.response import LETTERS
    from quizapp.plain.exam_wording import response_words

    def item(index: int) -> dict[str, Any]:
        variant, reply = seat.desk.variant(index), seat.sitting.replies[index]
        given = reply.response is not None
        return {
            "number": index + 1,
            "kind": variant.question.kind,
            "ask": variant.ask,
            "options": {letter: choice.text for letter, choice in zip(LETTERS, variant.choices, strict=False)},
            "lefts": [left.text for left in variant.lefts],
            "unit": variant.unit,
            "answered": given,
            "answer": response_words(variant, reply.response) if given else None,
            "flagged": reply.flagged,
        }

    sitting = seat.sitting
    return {
        "id": seat.desk.number,
        "blueprint": seat.desk.blueprint,
        "title": seat.desk.title,
        "started_at": seat.desk.started_at,
        "minutes": sitting.paper.minutes,
        "left_seconds": round(sitting.timer.left_s, 1),
        "questions": seat.count,
        "answered": seat.count - len(sitting.unanswered),
        "at": seat.at + 1,
        "items": [item(index) for index in range(seat.count)],
    }


@exam.command("result")
def result(
    number: Annotated[
        int | None, typer.Argument(min=1, max=2**31, help="Which handed-in exam; the last one if not given.")
    ] = None,
    review: Annotated[Which | None, typer.Option("--review", help="Also the questions, with keys and reasons.")] = None,
    db: DbOption = None,
    bank: BankOption = None,
    plain: PlainOption = False,
    as_json: JsonOption = False,
) -> None:
    """What a handed-in exam came to, by domain, objective, style and belief, with ranges."""
    from quizapp.bank.errors import Unclear
    from quizapp.bank.grade import grade
    from quizapp.plain.exam_wording import result_lines, review_lines
    from quizapp.store.errors import StoreError
    from quizapp.study.exam_summary import let_through, nothing_words
    from quizapp.study.exams import Exams

    with open_study(db, bank) as study:
        exams = Exams(study)
        try:
            exams.running()  # hands in one whose time is over
            finished = exams.result(number)
        except StoreError as error:
            fail(str(error))
        if as_json:
            emit_json(finished.summary)
            return
        for line in result_lines(finished.summary):
            say(line)
        chosen = [] if review is None else let_through(finished.summary["items"], review.value)
        for index in chosen:
            try:
                verdict = grade(finished.desk.variant(index), finished.summary["items"][index]["response"])
            except (Unclear, ValueError):
                verdict = grade(finished.desk.variant(index), None)
            for line in review_lines(finished, index, verdict, study.bank):
                say(line)
        if review is not None and not chosen:
            say(f"\n{nothing_words(review.value)}")


def _open_app(db: str | None, banks: Sequence[Path]) -> None:
    if not sys.stdin.isatty():
        fail("The app needs a terminal and there is none here; use --plain, which works line by line, or --json.", 2)
    from quizapp.tui.start import open_app

    raise typer.Exit(open_app(db, banks))
