"""What exactly is run: (lab, part, run, seed, knobs) -> engine settings and requests, the same on every machine.

The main part of a lab uses the lesson's own numbers; whatever says `vary` and every generated workload depends on the
learner's seed, so that nobody can use another one's answers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from random import Random
from statistics import fmean
from typing import Any

from labs.engine import EngineConfig, EngineError, Request, blocks_for_workload
from labs.engine.types import NS_PER_MS
from labs.lab import Lab, LabError, Value, Workload
from labs.workload_files import to_json
from labs.workloads import generate, trace_quantiles

PREFILL_S, STEP_S = 0.060, 0.020
"""The lesson clock's costs."""


@dataclass(frozen=True)
class Setting:
    """One run, ready for the engine. `wanted` is the executor the lab asks for; `rate_per_s` that of the arrivals."""

    lab: str
    part: str
    run: str
    seed: int
    knobs: Mapping[str, Value]
    config: EngineConfig
    requests: list[Request]
    clock: str
    wanted: str
    model: str
    rate_per_s: float | None = None

    def header(self) -> dict[str, Any]:
        """The head of the event log: everything that decides the schedule, and its hash."""
        names = {"lab": self.lab, "part": self.part, "run": self.run, "lab_seed": self.seed, "set": dict(self.knobs)}
        return {**self._config(), "clock": self.clock, **names, "config_hash": self.config_hash()}

    def config_hash(self) -> str:
        """SHA-256 of engine settings, clock and requests. Settings that an engine gains later change nothing at their
        defaults, so evidence outlives an update."""
        usual = asdict(EngineConfig())
        config = {name: value for name, value in self._config().items() if value != usual[name]}
        what = {"config": config, "clock": self.clock, "requests": [to_json(r) for r in self.requests]}
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    def _config(self) -> dict[str, Any]:
        """Engine settings without `check`, which changes nothing that a log tells."""
        return {name: value for name, value in asdict(self.config).items() if name != "check"}

    def lengths(self) -> list[int]:
        """Output tokens of each request, in order."""
        return [r.output_len or 0 for r in self.requests]


def make_setting(
    lab: Lab, part: str, run: str, seed: int, knobs: Mapping[str, object] | None = None, executor: str | None = None
) -> Setting:
    """The setting of one run. LabError for an unknown run, knob or value, and for settings that cannot be."""
    runs = {r.id: r for r in lab.part_runs(part)}
    if run not in runs:
        raise LabError(f"lab '{lab.id}' has no {part} run '{run}'; it has {', '.join(runs)}")
    turned = {key: _knob_value(lab, key, value) for key, value in (knobs or {}).items()}
    chosen = {**runs[run].set, **turned}
    workload, engine = lab.workload, dict(lab.engine)
    if part == "transfer":
        workload = _changed(lab, workload, lab.transfer.workload)
    for key, value in chosen.items():
        where, field = lab.knob(key).target.split(".")
        if where == "engine":
            engine[field] = value
        else:
            workload = _changed(lab, workload, {field: value})
    wanted = executor or runs[run].executor or lab.executor
    try:
        # Invariants are checked in every step where real memory is written; big virtual runs would only crawl.
        config = EngineConfig(**{**engine, "seed": seed, "check": wanted == "torch"})  # type: ignore[arg-type]
        requests, rate = make_requests(workload, config.rows, f"{lab.id}:{part}:{seed}")
        if config.kv_blocks is None:
            config = replace(config, kv_blocks=blocks_for_workload(config, requests))
    except (EngineError, TypeError) as error:
        raise LabError(f"lab '{lab.id}', run '{run}': {error}") from None
    return Setting(lab.id, part, run, seed, turned, config, requests, lab.clock, wanted, lab.model, rate)


def _changed(lab: Lab, workload: Workload, fields: Mapping[str, object]) -> Workload:
    try:
        return Workload.model_validate({**workload.model_dump(), **fields})
    except ValueError as error:
        raise LabError(f"lab '{lab.id}': workload {dict(fields)}: {error}") from None


def _knob_value(lab: Lab, key: str, value: object) -> Value:
    """The knob's listed value that `value` names; typed numbers and words are both understood."""
    knob = lab.knob(key)
    for allowed in knob.values:
        if value == allowed or str(value).strip().lower() == str(allowed).lower():
            return allowed
    raise LabError(f"knob '{key}' of lab '{lab.id}' cannot be '{value}'; choose {', '.join(map(str, knob.values))}")


# ---- requests ------------------------------------------------------------------------------------------------------


def make_requests(workload: Workload, slots: int, key: str) -> tuple[list[Request], float | None]:
    """The requests of a workload and, when they arrive over time, their rate a second."""
    random = Random(key)
    if workload.kind == "list":
        return _listed(workload, random), None
    if workload.kind == "generated":
        return _generated(workload, slots, random)
    if workload.kind == "tenants":
        return _tenants(workload, random), None
    return _long_prompt(workload, random), None


def _varied(workload: Workload, length: int, random: Random) -> int:
    """Up to a fifth shorter or longer, when the workload varies; then the division."""
    if workload.vary:
        length = round(length * random.uniform(0.8, 1.2))
    return max(1, round(length / workload.divide))


def _listed(workload: Workload, random: Random) -> list[Request]:
    prompt = _varied(workload, workload.prompt, random)
    outputs = [_varied(workload, length, random) for length in workload.lengths] * workload.groups
    declared = max(_varied(workload, workload.declared, random), *outputs) if workload.declared else None
    return [
        Request(f"r{i}", prompt, output_len=output, max_new_tokens=declared)
        for i, output in enumerate(outputs, start=1)
    ]


def capacity_per_s(mean_output: float, slots: int) -> float:
    """Requests a second that continuous batching can serve on the lesson clock with every slot busy.

    Each request costs all of them one iteration's prefill time, and its own tokens a share of the steps.
    """
    return 1 / (PREFILL_S + mean_output * STEP_S / slots)


def trace_mean(source: str) -> float:
    """Mean output length that `generate` makes from a trace's quantiles (linear between them)."""
    shares = [percent / 100 for percent in trace_quantiles()["quantiles_percent"]]
    values = trace_quantiles()["workloads"][source]["output"]
    return sum((b - a) * (v + w) / 2 for (a, b), (v, w) in zip(pairwise(shares), pairwise(values), strict=True))


def _generated(workload: Workload, slots: int, random: Random) -> tuple[list[Request], float | None]:
    """Requests with a trace's lengths, or the given ones in turn; and the rate at which they really arrive."""
    lengths = workload.lengths
    mean_output = (trace_mean(workload.source) if workload.source else fmean(lengths)) / workload.divide
    rate = workload.rate or workload.load * capacity_per_s(mean_output, slots)
    if workload.vary:
        rate *= random.uniform(0.8, 1.2)
    if workload.source:
        own = random.randrange(2**32)
        count, divide = workload.requests, float(workload.divide)
        requests = list(generate(workload.source, count, rate or None, workload.burstiness, divide, own))
    else:
        requests, arrival_s = [], 0.0
        for i in range(workload.requests):
            output = max(1, round(lengths[i % len(lengths)] / workload.divide))
            prompt = max(1, round(workload.prompt / workload.divide))
            requests.append(Request(f"g{i + 1}", prompt, output, arrival_ns=round(arrival_s * 1e9)))
            if rate:
                arrival_s += random.gammavariate(workload.burstiness, 1 / (workload.burstiness * rate))
    last_s = requests[-1].arrival_ns / 1e9
    return requests, (len(requests) - 1) / last_s if last_s else None


def _tenants(workload: Workload, random: Random) -> list[Request]:
    requests = []
    for tenant, fields in workload.tenants.items():
        output = _varied(workload, fields["output"], random)
        for i in range(1, fields["requests"] + 1):
            requests.append(
                Request(
                    f"{tenant}{i}",
                    max(1, workload.prompt // workload.divide),
                    output_len=output,
                    arrival_ns=fields.get("at_ms", 0) * NS_PER_MS,
                    priority=fields.get("priority", 0),
                    tenant=tenant,
                )
            )
    return requests


def _long_prompt(workload: Workload, random: Random) -> list[Request]:
    """Short requests that decode from the start, and one long prompt that arrives later."""
    long = Request(
        "long",
        _varied(workload, workload.prompt, random),
        output_len=workload.output,
        arrival_ns=workload.at_ms * NS_PER_MS,
    )
    return [*(Request(f"r{i}", 200, output_len=workload.output) for i in range(1, workload.requests + 1)), long]


# ---- words ---------------------------------------------------------------------------------------------------------


def numbers(setting: Setting) -> dict[str, str]:
    """The setting's own numbers, as a lab's prose may name them in braces."""
    lengths, prompts = setting.lengths(), [r.prompt_len for r in setting.requests]
    shown = lengths if len(lengths) <= 16 else lengths[:8]
    tenants = {r.tenant: r for r in setting.requests}
    return {
        **{f"{name}_output": f"{request.output_len:,}" for name, request in tenants.items()},
        **{f"{name}_requests": str(sum(r.tenant == name for r in setting.requests)) for name in tenants},
        "lengths": ", ".join(f"{n:,}" for n in shown) + (", … (and so on)" if len(lengths) > 16 else ""),
        "longest": f"{max(lengths):,}",
        "total": f"{sum(lengths):,}",
        "requests": str(len(lengths)),
        "mean_output": f"{fmean(lengths):,.1f}",
        "prompt": f"{prompts[-1]:,}",
        "mean_prompt": f"{fmean(prompts):,.1f}",
        "declared": f"{setting.requests[0].declared_max or 0:,}",
        "slots": str(setting.config.rows),
        "kv_blocks": f"{setting.config.kv_blocks:,}",
        "block_size": str(setting.config.block_size),
        "chunk": f"{setting.config.chunk or 0:,}",
        "rate": f"{setting.rate_per_s:.2f}" if setting.rate_per_s else "all at once",
    }


def fill(text: str, setting: Setting) -> str:
    """`text` with {names} replaced by the setting's numbers; other braces stay."""
    known = numbers(setting)
    return re.sub(r"\{([a-z_]+)\}", lambda found: known.get(found[1], found[0]), text)


def transfer_text(lab: Lab, seed: int) -> str:
    """The transfer task with the learner's numbers in it."""
    return fill(lab.transfer.text, make_setting(lab, "transfer", lab.transfer.runs[0].id, seed))
