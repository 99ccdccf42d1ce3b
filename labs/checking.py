"""Is a lab sound? Unsolved it must fail, its scripted solver must pass, on several seeds, by the learner's own rules.

`solve.py` of a lab has `CAUSE` (the option of the explain stage) and three functions that return answers by key:
`predict(settings)`, `observe(settings, seen)`, `transfer(settings)`. `settings` are the part's runs by id; `seen` are
the counters on the learner's screen, by run.
"""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from labs import session
from labs.lab import CATALOG, STAGES, Ask, Lab, LabError
from labs.runner import perform, verify
from labs.session import Part, Receipt, Record
from labs.setting import Setting, fill, make_setting

SEEDS = (1, 2, 3)
Answers = Mapping[str, float | str]


@dataclass(frozen=True)
class Tested:
    """What `quizapp lab test` reports of one lab."""

    id: str
    unsolved_fails: bool
    solver_passes: bool
    seeds: list[int]
    seconds: float
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Material:
    """Everything one seed's attempts need: settings and receipts of both parts."""

    lab: Lab
    seed: int
    settings: dict[Part, dict[str, Setting]]
    receipts: dict[Part, dict[str, Receipt]]

    def truths(self, asks: Sequence[Ask], part: Part) -> dict[str, float | str]:
        return {ask.key: session.truth(ask, self.receipts[part]) for ask in asks}


def load_solver(lab: Lab, root: Path = CATALOG) -> ModuleType:
    """The lab's solve.py. LabError when it is missing or lacks a function."""
    file = root / lab.id / "solve.py"
    spec = importlib.util.spec_from_file_location(f"solve_{lab.id.replace('-', '_')}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except OSError as error:
        raise LabError(f"{file}: cannot be read ({error.strerror}); a lab needs a scripted solver") from None
    except Exception as error:
        raise LabError(f"{file}: {type(error).__name__}: {error}") from None
    for name in ("CAUSE", "predict", "observe", "transfer"):
        if not hasattr(module, name):
            raise LabError(f"{file}: '{name}' is missing; a solver has CAUSE, predict, observe and transfer")
    return module


def examine(
    lab: Lab, folder: Path, seeds: Sequence[int] = SEEDS, executor: str | None = None, root: Path = CATALOG
) -> Tested:
    """Run the lab on each seed and try it unsolved and solved. Event logs go into `folder`."""
    began = time.perf_counter()
    problems = check_prose(lab, root)
    unsolved_fails = solver_passes = True
    try:
        solver = load_solver(lab, root)
        for seed in seeds:
            material = gather(lab, seed, folder, executor)
            failed = [f"seed {seed}: {sentence}" for sentence in _unsolved(material)]
            missed = [f"seed {seed}: {sentence}" for sentence in _solved(material, solver)]
            unsolved_fails &= not failed
            solver_passes &= not missed
            problems += failed + missed
    except LabError as error:
        solver_passes = False
        problems.append(str(error))
    seconds = time.perf_counter() - began
    return Tested(lab.id, unsolved_fails, solver_passes and not problems, list(seeds), seconds, problems)


def gather(lab: Lab, seed: int, folder: Path, executor: str | None = None) -> Material:
    """Perform every run of both parts once. LabError when a receipt is no evidence."""
    settings: dict[Part, dict[str, Setting]] = {"main": {}, "transfer": {}}
    receipts: dict[Part, dict[str, Receipt]] = {"main": {}, "transfer": {}}
    for part in settings:
        for run in lab.part_runs(part):
            setting = make_setting(lab, part, run.id, seed, executor=executor)
            receipt = perform(lab, setting, folder / f"{lab.id}-{part}-{run.id}-{seed}.jsonl", at="now").receipt
            wrong = verify(lab, receipt)
            if wrong:
                raise LabError(f"lab '{lab.id}', run '{run.id}': {wrong[0]}")
            settings[part][run.id], receipts[part][run.id] = setting, receipt
    return Material(lab, seed, settings, receipts)


# ---- attempts ------------------------------------------------------------------------------------------------------


def _sure(answers: Answers) -> dict[str, int]:
    return dict.fromkeys(answers, 95)


def _run_all(material: Material, record: Record, part: Part) -> Record:
    for receipt in material.receipts[part].values():
        record = session.add_receipt(material.lab, record, receipt)
    return record


def _wrong(asks: Sequence[Ask], truths: Answers) -> Answers:
    return {ask.key: _far(ask, truths[ask.key]) for ask in asks}


def _far(ask: Ask, truth: float | str) -> float | str:
    """Another choice, or the end of the range that lies farther from the truth."""
    if isinstance(truth, str):
        return next(choice for choice in ask.choices if choice != truth)
    return ask.most if truth <= ask.most / 2 else 0.0


def _copied(material: Material) -> Answers:
    """What somebody types who copies figures of the main part: the same counter's truth, else a wrong value."""
    lab, main = material.lab, {}
    for ask in (*lab.predict, *lab.observe):
        main[ask.counter, ask.over is None, ask.kind] = session.truth(ask, material.receipts["main"])
    truths = material.truths(lab.transfer.predict, "transfer")
    blank = _wrong(lab.transfer.predict, truths)
    return {a.key: main.get((a.counter, a.over is None, a.kind), blank[a.key]) for a in lab.transfer.predict}


def _unsolved(material: Material) -> list[str]:
    """Sentences for every way in which somebody who solves nothing gets further than allowed."""
    lab, problems = material.lab, []
    record = session.start(lab, material.seed)
    if session.may_run(lab, record, "main") is None:
        problems.append("a run is possible before any prediction")
    wrong = _wrong(lab.predict, material.truths(lab.predict, "main"))
    record = _run_all(material, session.predict(lab, record, wrong, _sure(wrong), "now"), "main")
    misread = _wrong(lab.observe, material.truths(lab.observe, "main"))
    if session.stage(lab, session.observe(lab, record, misread, "now")) != "observe":
        problems.append("wrong readings are accepted")
    record = session.observe(lab, record, material.truths(lab.observe, "main"), "now")
    record = session.explain(lab, record, lab.explain.options[0].id)
    if session.stage(lab, record) != "transfer":
        problems.append("wrong first predictions block the way")
    for name, guess in (
        ("a blank guess", _wrong(lab.transfer.predict, material.truths(lab.transfer.predict, "transfer"))),
        ("copying the main part's figures", _copied(material)),
    ):
        tried = session.predict(lab, record, guess, _sure(guess), "now", "transfer")
        if session.stage(lab, _run_all(material, tried, "transfer")) == "passed":
            problems.append(f"{name} passes the transfer")
    return problems


def _solved(material: Material, solver: ModuleType) -> list[str]:
    """Where the scripted solver fails, as sentences."""
    lab, main, own = material.lab, material.settings["main"], material.settings["transfer"]
    seen = {run: receipt.counters for run, receipt in material.receipts["main"].items()}
    record = session.start(lab, material.seed)
    guess = solver.predict(main)
    record = _run_all(material, session.predict(lab, record, guess, _sure(guess), "now"), "main")
    read = solver.observe(main, seen)
    record = session.observe(lab, record, read, "now")
    problems = [
        f"'{o.key}' is {o.value} and the run says {session.truth(a, material.receipts['main'])}"
        for o in record.observations
        for a in lab.observe
        if a.key == o.key and not o.right
    ]
    if session.stage(lab, record) != "explain":
        return problems or [f"the solver stays in stage '{session.stage(lab, record)}'"]
    if not next(option.correct for option in lab.explain.options if option.id == solver.CAUSE):
        problems.append(f"the solver's cause '{solver.CAUSE}' is not the right one")
    record = session.explain(lab, record, solver.CAUSE)
    guess = solver.transfer(own)
    record = _run_all(material, session.predict(lab, record, guess, _sure(guess), "now", "transfer"), "transfer")
    if session.stage(lab, record) != "passed":
        truths = material.truths(lab.transfer.predict, "transfer")
        problems += [f"transfer '{key}' was {guess[key]} and the run says {truth}" for key, truth in truths.items()]
    quick = session.start(lab, material.seed)
    quick = session.predict(lab, quick, guess, _sure(guess), "now", "transfer")
    if not _run_all(material, quick, "transfer").tested_out:
        problems.append("the same transfer does not test out of the lab")
    return problems


# ---- prose ---------------------------------------------------------------------------------------------------------


def check_prose(lab: Lab, root: Path = CATALOG) -> list[str]:
    """Sections that are missing or unknown, and names in braces that nothing fills."""
    problems = []
    sections = lab.text(root)
    problems += [f"text.md has no section '## {stage}'" for stage in STAGES if not sections.get(stage)]
    problems += [f"text.md has a section '## {name}', which no stage shows" for name in sections if name not in STAGES]
    setting = make_setting(lab, "transfer", lab.transfer.runs[0].id, 1)
    unfilled = re.findall(r"\{[a-z_]+\}", fill(lab.transfer.text, setting))
    problems += [f"the transfer text names {name}, which is no number of the setting" for name in unfilled]
    return problems
