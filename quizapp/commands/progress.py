"""`progress`, `optimise` and `bank stats`: how it stands, the scheduler fitted to the learner, items for authors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from quizapp.output import BankOption, DbOption, JsonOption, emit_json, fail, note, open_study, say
from quizapp.text import counted, percent, percents

HtmlOption = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page to share.")]
SvgOption = Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write a picture to share.")]
ExamOption = Annotated[str | None, typer.Option("--exam", metavar="ID", help="An exam other than that of Settings.")]
LogOption = Annotated[
    list[Path] | None,
    typer.Option("--log", metavar="FILE", help="An exported log of another learner; may be repeated."),
]


def progress(
    as_html: HtmlOption = None,
    as_svg: SvgOption = None,
    exam: ExamOption = None,
    db: DbOption = None,
    bank: BankOption = None,
    as_json: JsonOption = False,
) -> None:
    """What you know, how sure you were, and how ready you are."""
    from quizapp.store.errors import StoreError
    from quizapp.study.planning import day_plan
    from quizapp.study.progress import Progress

    with open_study(db, bank) as study:
        try:
            reader = Progress(study, exam)
        except StoreError as error:
            fail(str(error), 2)
        found = {**reader.all(), "plan": day_plan(study, reader)}
    if as_html or as_svg:
        from quizapp.overwrite import keep_others
        from quizapp.progress import report

        for path, make, what in ((as_html, report.html, "page"), (as_svg, report.svg, "picture")):
            if path is not None:
                keep_others(path, what)
                _write(path, make(found))
    if as_json:
        emit_json(found)
    elif not (as_html or as_svg):
        for line in _lines(found):
            say(line)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        fail(f"{path} cannot be written ({error.strerror or error}); choose another file.")
    note(f"Written: {path}")


def _lines(found: dict[str, Any]) -> list[str]:
    from quizapp.progress.calibration import ENOUGH
    from quizapp.progress.words import (
        TIME_WORDS,
        due_words,
        exam_words,
        flatter_words,
        limit_words,
        target_words,
        when_words,
    )

    ready, evidence = found["readiness"], found["readiness"]["evidence"]
    both = found["retention"]["month"]["both"]
    plan, exam = found["plan"], found["exam"]
    told = [target_words(ready), flatter_words(evidence), TIME_WORDS]
    out = [
        f"{ready['title']}: {percents(ready['low'], ready['high'])} {when_words(exam)} (90 %).",
        *(f"  {words}" for words in told if words),
        f"  rests on {counted(evidence['first_answers'], 'first answer')} and on "
        f"{counted(evidence['later_answers'], 'answer')} a day or more later; {evidence['seen']:,} of "
        f"{counted(evidence['questions'], 'question')} answered at least once, {evidence['studied']:,} studied",
    ]
    out += [
        f"  {'+' if number == 0 else ' '} {step['objective']} {step['title']}: {step['what']} "
        f"{counted(step['questions'], 'question')}, +{step['gain'] * 100:.1f} points, "
        f"about {counted(step['minutes'], 'minute')}"
        for number, step in enumerate(ready["raise"][:3])
    ]
    if both["total"]:
        out.append(f"True retention, 30 days: {percent(both['rate'])} of {both['total']} in review that came back")
    minutes = found["forecast"]["minutes_today"]
    out.append(f"Today: {due_words(found['forecast'])}" + (f"; about {minutes} minutes" if minutes else ""))
    if found["calibration"]["answers"] >= ENOUGH:
        out.append(f"Brier score of your confidence: {found['calibration']['brier']:.3f}")
    kept = [row["name"] for row in found["misconceptions"] if row["kept"]][:3]
    out += [f"A wrong belief you keep: {name}" for name in kept]
    if exam and exam_words(exam):
        out.append(f"{exam_words(exam)}{'' if exam['days'] == 0 else ' Set the next date in Settings.'}")
    if plan:
        learning = plan["learning"] + plan["learning_later"]
        out.append(
            f"Plan for today, {counted(plan['days'], 'day')} before the exam: {learning} in learning, "
            f"{plan['due']} due, {plan['new']} new, {plan['ahead']} ahead; "
            f"{plan['spent']:.0f} of {plan['minutes']:.0f} minutes spent"
            f"{': done for today, going on is allowed' if plan['used_up'] else ''}"
        )
        if words := limit_words(plan):
            out.append(f"  {words}")
    return out


def optimise(
    undo: Annotated[bool, typer.Option("--undo", help="Drop the parameters adopted last.")] = False,
    db: DbOption = None,
    bank: BankOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fit the scheduler's parameters to your log; they are adopted only if they predict your later answers better."""
    from quizapp.store.errors import StoreError
    from quizapp.study import fitting

    with open_study(db, bank) as study:
        try:
            found: dict[str, Any] = {"undone": fitting.undo_optimise(study)} if undo else fitting.optimise(study)
        except StoreError as error:
            fail(str(error))
    if as_json:
        emit_json(found)
    elif undo:
        say("The parameters before are in force again." if found["undone"] else "There is nothing to take back.")
    else:
        for name in ("before", "after"):
            if found[name]:
                say(f"{name:<7} log loss {found[name]['log_loss']:.4f}, RMSE {found[name]['rmse_bins']:.4f}")
        say(found["why"])


def bank_stats(
    log: LogOption = None,
    flagged: Annotated[bool, typer.Option("--flagged", help="Only questions with a flag.")] = False,
    db: DbOption = None,
    bank: BankOption = None,
    as_json: JsonOption = False,
) -> None:
    """Item statistics for authors: difficulty, discrimination, how often each option was chosen."""
    from quizapp.store.errors import StoreError
    from quizapp.study.item_stats import item_statistics

    with open_study(db, bank) as study:
        try:
            rows = item_statistics(study, log or ())
        except StoreError as error:
            fail(str(error))
    rows = [row for row in rows if row["flags"] or not flagged]
    if as_json:
        emit_json(rows)
        return
    for row in rows:
        told = "" if row["discrimination"] is None else f" discrimination {row['discrimination']:+.2f}"
        flags = f"  {'; '.join(row['flags'])}" if row["flags"] else ""
        right = f"{percent(row['difficulty']):>5} right"
        say(f"{row['id']:44} {counted(row['answers'], 'answer'):>13}, {right}{told}{flags}")


def register(app: typer.Typer) -> None:
    app.command()(progress)
    app.command()(optimise)
    bank = next(group.typer_instance for group in app.registered_groups if group.name == "bank")
    assert bank is not None
    bank.command("stats")(bank_stats)
