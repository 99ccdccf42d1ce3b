"""`quizapp lab`: list, show, run, do, check and reset; and for authors new and test."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quizapp.output import BankOption, DbOption, JsonOption, emit_json, fail, note, open_study, say

if TYPE_CHECKING:
    from labs.lab import Lab

LabArgument = Annotated[str, typer.Argument(metavar="ID", help="A lab's id, number or slug: 03-backfill, 3, backfill.")]
ExecutorOption = Annotated[
    str | None, typer.Option(metavar="torch|virtual", help="Who computes; otherwise what the lab asks for.")
]


def register(app: typer.Typer) -> None:
    family = typer.Typer(no_args_is_help=True, help="Guided labs: predict, run, observe, explain.")
    family.command("list")(list_labs)
    for command in (show, run, do, check, reset, new):
        family.command()(command)
    family.command("test")(examine)
    app.add_typer(family, name="lab")


def _lab(name: str) -> Lab:
    from labs.lab import LabError, find_lab

    try:
        return find_lab(name)
    except LabError as error:
        fail(str(error), 2)


def list_labs(as_json: JsonOption = False, db: DbOption = None, bank: BankOption = None) -> None:
    """The labs, how long they take, and where you stand."""
    from quizapp.study.labs import Labs

    with open_study(db, bank) as study:
        lines = Labs(study).lab_list()
    if as_json:
        names = ("id", "title", "family", "minutes", "claims", "state", "needs", "path", "passed_at", "tested_out")
        emit_json([{name: getattr(line, name) for name in names} for line in lines])
        return
    for line in lines:
        after = f"  easier after {', '.join(line.path)}" if line.path else ""
        say(f"{line.id:<24} {line.minutes:>3} min  {line.state_words:<13} {line.title}{after}")
    say("Numbers follow the catalogue; those that are missing between are planned.")


def show(name: LabArgument, as_json: JsonOption = False) -> None:
    """A lab's claim, runs, knobs and questions."""
    lab = _lab(name)
    if as_json:
        emit_json({**lab.model_dump(mode="json"), "text": lab.text()})
        return
    from quizapp.plain.lines import flowing
    from quizapp.plain.marks import unmarked

    say(f"{lab.title}\n\n{unmarked(flowing(lab.text()['claim']))}\n")
    say("Runs:   " + "; ".join(f"{one.id} ({one.title})" for one in lab.runs))
    for knob in lab.knobs:
        values = ", ".join(str(value) or "(none)" for value in knob.values)
        say(unmarked(f"Knob:   {knob.key} = {values}. {knob.why}"))
    for ask in lab.predict:
        say(unmarked(f"Predict: {ask.ask}"))
    say(f"Claims: {', '.join(lab.claims)}\nDo it:  quizapp lab do {lab.id}")


def run(
    name: LabArgument,
    knob: Annotated[list[str] | None, typer.Option("--set", metavar="KNOB=VALUE", help="Turn a knob.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Numbers of the run; 0 is the lesson's own.")] = 0,
    which: Annotated[str | None, typer.Option("--run", metavar="RUN", help="Which of the lab's runs.")] = None,
    transfer: Annotated[bool, typer.Option("--transfer", help="A run of the transfer part.")] = False,
    executor: ExecutorOption = None,
    as_json: JsonOption = False,
    db: DbOption = None,
) -> None:
    """Run a lab's engine once, freely: nothing is asked and nothing counts (`lab do` is the guided way)."""
    from labs.lab import LabError
    from labs.runner import perform
    from labs.setting import make_setting
    from quizapp.clock import clock_from_environment
    from quizapp.store.errors import WrongAddress
    from quizapp.store.location import locate

    lab = _lab(name)
    if executor not in (None, "torch", "virtual"):
        fail(f"--executor is '{executor}'; choose torch or virtual", 2)
    part = "transfer" if transfer else "main"
    runs = [one.id for one in lab.part_runs(part)]
    chosen = which or ("main" if "main" in runs else runs[0])
    try:
        setting = make_setting(lab, part, chosen, seed, _knobs(knob or []), executor)
        folder = locate(db=db).labs / lab.id
    except (LabError, WrongAddress) as error:
        fail(str(error), 2)
    try:
        file = folder / f"free-{part}-{chosen}-{seed}-{setting.config_hash()[:8]}.jsonl"
        done = perform(lab, setting, file, clock_from_environment().now().isoformat())
    except LabError as error:
        fail(str(error))
    if done.notice:
        note(done.notice)
    receipt = done.receipt
    if as_json:
        what = {"id": lab.id, "run": chosen, "part": part, "seed": seed, "config": setting.header()}
        found = {"counters": _nested(receipt.counters), "oracle": _nested(receipt.oracle), "agrees": receipt.agrees}
        by = {"executor": receipt.executor, "device": receipt.device, "wall_s": done.wall_s, "notice": done.notice}
        emit_json({**what, **found, "events": receipt.events, "sha256": receipt.sha256, **by})
    else:
        say(f"{lab.title}: run '{chosen}', seed {seed}, {receipt.executor} ({done.wall_s:.1f} s on this machine)")
        for key, value in receipt.counters.items():
            say(f"  {key:<36} {value:g}")
        say(f"Event log: {receipt.events}")
    if not receipt.agrees:
        fail("The oracle counts otherwise than the engine: this run is no evidence. Please report it.")


def _knobs(pairs: list[str]) -> dict[str, str]:
    knobs = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            fail(f"--set {pair}: write KNOB=VALUE, for example --set slots=4", 2)
        knobs[key.strip()] = value.strip()
    return knobs


def _nested(flat: dict[str, float]) -> dict[str, Any]:
    """`ttft_ms.p99` as in `engine run --json`: {"ttft_ms": {"p99": …}}. Measures with arguments keep their names."""
    out: dict[str, Any] = {}
    for name, value in flat.items():
        group, dot, rest = name.partition(".")
        if dot and "(" not in name:
            out.setdefault(group, {})[rest] = value
        else:
            out[name] = value
    return out


def do(
    name: LabArgument,
    plain: Annotated[bool, typer.Option("--plain", help="Line by line; the only way of this command.")] = True,
    db: DbOption = None,
    bank: BankOption = None,
) -> None:
    """Do a lab line by line: predict, run, observe, explain, and the transfer. Works with pipes."""
    from labs.lab import LabError
    from quizapp.plain.labs import LabSession
    from quizapp.store.errors import StoreError
    from quizapp.study.labs import Labs

    lab = _lab(name)
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    with open_study(db, bank) as study:
        try:
            LabSession(Labs(study), lab.id, sys.stdin, sys.stdout).run()
        except KeyboardInterrupt:
            note("\nStopped. What you predicted and measured is kept.")
            raise typer.Exit(130) from None
        except (LabError, StoreError) as error:
            fail(str(error))


def check(name: LabArgument, as_json: JsonOption = False, db: DbOption = None, bank: BankOption = None) -> None:
    """Where you stand in a lab, and whether the evidence of your runs still holds."""
    from labs.runner import verify
    from quizapp.study.labs import Labs

    lab = _lab(name)
    with open_study(db, bank) as study:
        view = Labs(study).lab(lab.id)
    receipts = [*view.record.ran("main").values(), *view.record.ran("transfer").values()]
    found = [{"part": one.part, "run": one.run, "seed": one.seed, "problems": verify(lab, one)} for one in receipts]
    sound = not any(row["problems"] for row in found)
    if as_json:
        emit_json({"id": lab.id, "stage": view.stage, "passed_at": view.passed_at, "ok": sound, "receipts": found})
    else:
        say(f"{lab.id}: {view.stage}" + (f" (passed {view.passed_at:%Y-%m-%d})" if view.passed_at else ""))
        for row in found:
            say(f"  {row['part']} run {row['run']}: {'; '.join(row['problems']) or 'holds'}")  # type: ignore[arg-type]
    if not sound:
        raise typer.Exit(1)


def reset(name: LabArgument, as_json: JsonOption = False, db: DbOption = None, bank: BankOption = None) -> None:
    """Begin a lab again on new numbers. Receipts and a pass are kept."""
    from quizapp.store.errors import StoreError
    from quizapp.study.labs import Labs

    lab = _lab(name)
    with open_study(db, bank) as study:
        labs = Labs(study)
        view = labs.lab(lab.id)
        untouched = view.record.untouched
        try:
            view = view if untouched else labs.reset(lab.id)
        except StoreError as error:
            fail(str(error))
    if as_json:
        emit_json({"id": lab.id, "stage": view.stage, "seed": view.record.seed, "attempt": view.record.attempt})
    elif untouched:
        note(f"There is nothing to reset: nothing has been said or run in {lab.id} yet.")
    else:
        note(f"{lab.id} begins again, attempt {view.record.attempt}; the receipts of your runs are kept.")


def new(
    name: Annotated[str, typer.Argument(metavar="ID", help="Two digits and a slug, for example 20-my-lab.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="The folder that gets it.")] = Path("."),
) -> None:
    """Scaffold a lab that `quizapp lab test DIR/ID` can run; docs/writing-labs.md says how to go on."""
    from labs.lab import LabError
    from labs.scaffold import new_lab

    try:
        folder = new_lab(name, into)
    except LabError as error:
        fail(str(error), 2)
    note(f"{folder} is ready: edit lab.yaml, text.md and solve.py, then try `quizapp lab test {folder}`")


def examine(
    name: Annotated[str | None, typer.Argument(metavar="[ID|DIR]", help="A lab, or the folder of one.")] = None,
    executor: Annotated[
        str, typer.Option(metavar="virtual|torch|lab", help="lab: what each run asks for (minutes).")
    ] = "virtual",
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="How many seeds.")] = 3,
    as_json: JsonOption = False,
) -> None:
    """For authors: unsolved a lab must fail, and its solver must pass, on several seeds."""
    from tempfile import TemporaryDirectory

    from labs.checking import examine as examine_lab
    from labs.lab import CATALOG, LabError, find_lab, load_catalog, load_lab

    root = CATALOG
    try:
        if name is None:
            labs = list(load_catalog().values())
        elif (Path(name) / "lab.yaml").is_file():
            root = Path(name).resolve().parent
            labs = [load_lab(Path(name).resolve())]
        else:
            labs = [find_lab(name)]
    except LabError as error:
        fail(str(error), 2)
    if executor not in ("virtual", "torch", "lab"):
        fail(f"--executor is '{executor}'; choose virtual, torch or lab", 2)
    rows = []
    with TemporaryDirectory() as folder:
        for lab in labs:
            who = None if executor == "lab" else executor
            tested = examine_lab(lab, Path(folder), tuple(range(1, seeds + 1)), who, root)
            good = tested.unsolved_fails and tested.solver_passes
            note(f"{lab.id}: {'passes' if good else 'FAILS'} ({tested.seconds:.1f} s)")
            for problem in tested.problems:
                note(f"  {problem}")
            rows.append({**vars(tested), "executor": executor})
    if as_json:
        emit_json(rows)
    if not all(row["unsolved_fails"] and row["solver_passes"] for row in rows):
        raise typer.Exit(1)
