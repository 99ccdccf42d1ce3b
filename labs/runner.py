"""A lab's run: engine, event log, counters, the oracle's own counters, and a receipt; and the check of a receipt.

The log is written beside its final name and moved there when it is whole, so a killed run leaves no half evidence.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from labs import oracle
from labs.engine import EngineError, Executor, JsonlSink, RunResult, StepEvent, VirtualExecutor, run
from labs.lab import Lab, LabError
from labs.measures import evaluate, flatten, tell
from labs.session import Receipt
from labs.setting import Setting, make_setting

VIRTUAL = "virtual"


@dataclass(frozen=True)
class Done:
    """A finished run. `notice` is a sentence for the learner, or empty; times are this machine's and never judged."""

    receipt: Receipt
    notice: str
    wall_s: float
    scheduler_s: float


@dataclass(frozen=True)
class Computer:
    """Who computes the tokens of a run."""

    executor: Executor
    name: str
    device: str
    notice: str = ""


@cache
def _torch(model: str) -> Computer:
    """The torch engine, loaded once a process: CUDA when there is one, else one CPU thread.

    One thread, because at these sizes a second one only waits for the first, and the app needs the other core.
    """
    from labs.engine.torch_executor import make_executor

    executor = make_executor(model, threads=1)
    return Computer(executor, "torch", executor.device, executor.warning)


def choose(setting: Setting) -> Computer:
    """The executor that the setting wants; the virtual one, with a notice, where torch cannot be used."""
    if setting.wanted == VIRTUAL:
        return Computer(VirtualExecutor(setting.config.seed), VIRTUAL, "none")
    if setting.wanted != "torch":
        raise LabError(f"--executor is '{setting.wanted}'; choose torch or virtual")
    try:
        return _torch(setting.model)
    except EngineError as error:  # an unknown model or one that does not fit
        raise LabError(str(error)) from None
    except Exception as error:  # a missing or broken torch shows itself in many ways
        why = str(error).strip().splitlines() or [type(error).__name__]
        notice = (
            f"torch cannot be used here ({why[0]}): the same plan ran on the virtual executor. Every count is the "
            "same; no token was computed"
        )
        return Computer(VirtualExecutor(setting.config.seed), VIRTUAL, "none", notice)


def perform(
    lab: Lab,
    setting: Setting,
    events: Path,
    at: str,
    on_event: Callable[[StepEvent], None] | None = None,
    computer: Computer | None = None,
) -> Done:
    """Run the engine, write the event log to `events`, let the oracle recount, and make the receipt.

    LabError when the run cannot be done or its log cannot be written. Anything that `on_event` raises stops the run
    and leaves no file.
    """
    computer = computer or choose(setting)
    partial = events.with_name(f"{events.name}.{os.getpid()}.partial")
    try:
        events.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("w", encoding="utf-8") as stream:
            sink = JsonlSink(stream, {**setting.header(), "executor": computer.name, "device": computer.device})

            def receive(event: StepEvent) -> None:
                sink(event)
                if on_event is not None:
                    on_event(event)

            result = run(
                setting.config,
                setting.requests,
                computer.executor,
                clock=setting.clock,
                on_event=receive,
                keep_events=True,
            )
            stream.flush()
            os.fsync(stream.fileno())
        receipt = _receipt(lab, setting, computer, result, partial, at)
        partial.replace(events)
    except OSError as error:
        raise LabError(
            f"{events}: the event log cannot be written ({error.strerror}); the run does not count"
        ) from None
    except EngineError as error:
        raise LabError(f"lab '{lab.id}', run '{setting.run}': {error}") from None
    finally:
        with suppress(OSError):  # it is gone already when all went well
            partial.unlink()
    receipt = receipt.model_copy(update={"events": str(events)})
    return Done(receipt, computer.notice, result.wall_s, result.scheduler_s)


def _receipt(lab: Lab, setting: Setting, computer: Computer, result: RunResult, log: Path, at: str) -> Receipt:
    assert result.events is not None
    wanted = lab.counters_wanted(setting.part, setting.run)
    counters = _with_measures(setting, flatten(result.counters), result.events, wanted)
    recounted, problems = _oracle(setting, log, counters, wanted)
    return Receipt(
        run=setting.run,
        part="main" if setting.part == "main" else "transfer",
        seed=setting.seed,
        executor=computer.name,
        device=computer.device,
        config_hash=setting.config_hash(),
        counters=counters,
        oracle=recounted,
        agrees=not problems,
        events=str(log),
        sha256=_sha256(log),
        at=at,
    )


def _with_measures(
    setting: Setting, counters: dict[str, float], events: list[StepEvent], wanted: set[str]
) -> dict[str, float]:
    """The counters and the measures that the lab's questions read. A free run with knobs turned may lack some of them
    (a request that is not there, for example): those are left out."""
    story, found = tell(events), dict(counters)
    for name in sorted(wanted):
        try:
            found[name] = evaluate(name, story, counters)
        except LabError:
            if not setting.knobs:
                raise
    return found


def _oracle(
    setting: Setting, log: Path, counters: Mapping[str, float], wanted: set[str]
) -> tuple[dict[str, float], list[str]]:
    """What the oracle finds in the log, and how it differs from `counters`.

    The counters are recounted by code that shares nothing with the engine, the measures are taken again from the log,
    and where the oracle can foresee the run (lesson clock, forced lengths) its prediction must hold too.
    """
    try:
        config, rows = oracle.read_log(log)
        recounted = flatten(oracle.recount(config, rows))
        events = [StepEvent.from_json(row) for row in rows]
        recounted = _with_measures(setting, recounted, events, wanted)
    except (oracle.LogError, LabError, LookupError, TypeError, ValueError) as error:
        return {}, [f"the event log is not whole: {error}"]
    problems = oracle.differences(counters, recounted)
    if setting.clock == "lesson":
        try:
            foreseen = flatten(oracle.predict(config, setting.requests).counters())
            problems += oracle.differences(counters, foreseen)
        except oracle.Unsupported:
            pass
    return recounted, problems


def verify(lab: Lab, receipt: Receipt, knobs: Mapping[str, object] | None = None) -> list[str]:
    """Sentences that say why a receipt is no evidence; an empty list when it holds.

    The log must be the file that was hashed, belong to this lab, run and seed, be consistent, yield the receipt's
    counters, and tell the schedule that these settings give on the virtual executor, step for step.
    """
    log = Path(receipt.events)
    try:
        found = _sha256(log)
    except OSError as error:
        return [f"{log}: the event log cannot be read ({error.strerror}); run the lab again"]
    if found != receipt.sha256:
        return [f"{log}: the event log was changed after the run (its SHA-256 differs); run the lab again"]
    try:
        setting = make_setting(lab, receipt.part, receipt.run, receipt.seed, knobs)
    except LabError as error:
        return [str(error)]
    if setting.config_hash() != receipt.config_hash:
        return [f"the receipt is of other settings or requests than run '{receipt.run}' with seed {receipt.seed}"]
    _, problems = _oracle(setting, log, receipt.counters, lab.counters_wanted(receipt.part, receipt.run))
    return problems or _other_schedule(setting, log)


def _other_schedule(setting: Setting, log: Path) -> list[str]:
    """The first line of the log that this setting's schedule does not have. Tokens and bytes may differ: those depend
    on who computed."""
    result = run(setting.config, setting.requests, clock=setting.clock, keep_events=True)
    assert result.events is not None
    lines = log.read_text("utf-8").splitlines()
    header = json.loads(lines[0])["config"]
    own = json.loads(json.dumps(setting.header()))
    if any(own[name] != value for name, value in header.items() if name in own) or not header.keys() >= {"config_hash"}:
        return [f"{log}:1: the log's settings are not those of run '{setting.run}' with seed {setting.seed}"]
    wanted = [_schedule(event.to_json()) for event in result.events]
    for number, (line, right) in enumerate(zip(lines[1:], wanted, strict=False), start=2):
        if _schedule(json.loads(line)) != right:
            return [f"{log}:{number}: this step is not one of run '{setting.run}' with seed {setting.seed}"]
    if len(lines) - 1 != len(wanted):
        return [f"{log}: the log has {len(lines) - 1} events and this run has {len(wanted)}"]
    return []


def _schedule(event: dict[str, Any]) -> dict[str, Any]:
    """An event without token ids and byte counts."""
    plain: dict[str, Any] = json.loads(json.dumps(event))
    plain["tokens"] = [name for name, _ in plain.get("tokens", ())]
    for side in ("before", "after"):
        plain[side] = [action[:-1] if action[0] in ("preempt", "swap_in") else action for action in plain.get(side, ())]
    return plain


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
