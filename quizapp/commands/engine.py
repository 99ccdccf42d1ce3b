"""`quizapp engine run` and `quizapp engine explain`: a workload through the batching engine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quizapp.output import JsonOption, emit_json, fail, note
from quizapp.text import counted

if TYPE_CHECKING:
    from labs.engine import EngineConfig, RunResult, Slo, StepEvent
    from labs.engine.executor import Executor

LAZY_FROM = 20_000
"""Generated workloads of this many requests are made while they run, not held in memory."""


def _option(flag: str, text: str, metavar: str | None = None, min: int | None = None, max: int | None = None) -> Any:
    return typer.Option(flag, help=text, metavar=metavar, min=min, max=max)


def _command(prose: bool) -> Callable[..., None]:
    """The command function of `run` and `explain`: the same flags, another way to show the result."""

    def command(
        workload: Annotated[str, _option("--workload", "What to serve.", "lesson|FILE|gen:NAME")] = "lesson",
        groups: Annotated[int, _option("--groups", "Repeat the workload.")] = 1,
        requests: Annotated[int | None, _option("--requests", "gen: number of requests (64).", max=10**9)] = None,
        rate: Annotated[float | None, _option("--rate", "gen: arrivals a second (all at once).")] = None,
        burstiness: Annotated[float, _option("--burstiness", "gen: 1 is Poisson, below 1 is bursty.")] = 1.0,
        scale: Annotated[float, _option("--scale", "Divide every length by this.")] = 1.0,
        scheme: Annotated[
            str, _option("--scheme", "When membership changes.", "sequential|static|dynamic|continuous")
        ] = "continuous",
        policy: Annotated[
            str, _option("--policy", "Who is admitted next.", "fcfs|sjf|lpt|priority|fair|FILE.py")
        ] = "fcfs",
        slots: Annotated[int, _option("--slots", "Most requests that run together.")] = 8,
        max_queue_delay: Annotated[float, _option("--max-queue-delay", "dynamic: longest wait.", "MS")] = 0.0,
        preferred: Annotated[str, _option("--preferred", "dynamic: sizes dispatched at once.", "N,N")] = "",
        flush: Annotated[
            bool, typer.Option("--flush/--no-flush", help="static: run a short last batch, padded.")
        ] = True,
        token_budget: Annotated[int | None, _option("--token-budget", "Most tokens a step.")] = None,
        kv_blocks: Annotated[int | None, _option("--kv-blocks", "KV blocks (as many as can be used).")] = None,
        block_size: Annotated[int, _option("--block-size", "Tokens a block.")] = 16,
        chunk: Annotated[int | None, _option("--chunk", "Most prefill tokens of one request a step.")] = None,
        max_prefills: Annotated[int | None, _option("--max-prefills", "Most prefills a step.")] = None,
        prefill: Annotated[str, _option("--prefill", "Beside decodes, or before them.", "mixed|first")] = "mixed",
        admission: Annotated[
            str, _option("--admission", "Plan for the declared maximum, or risk preemption.", "reserve|optimistic")
        ] = "optimistic",
        bypass: Annotated[int, _option("--bypass", "Requests that may overtake a head that does not fit.")] = 0,
        tenant_slots: Annotated[int | None, _option("--tenant-slots", "Most slots one tenant may hold.")] = None,
        victim: Annotated[str, _option("--victim", "Who is preempted.", "last|lowest|largest")] = "last",
        preempt: Annotated[str, _option("--preempt", "How.", "recompute|swap")] = "recompute",
        swap_blocks: Annotated[int | None, _option("--swap-blocks", "Host memory for swapped blocks.")] = None,
        kv: Annotated[str, _option("--kv", "How KV memory is handed out.", "paged|contiguous")] = "paged",
        aging: Annotated[float, _option("--aging", "priority: wait worth one level.", "MS")] = 10_000.0,
        strict_priority: Annotated[
            bool, typer.Option("--strict-priority/--no-strict-priority", help="priority: preempt the less urgent.")
        ] = True,
        respond: Annotated[str | None, _option("--respond", "When answers leave.", "batch|own")] = None,
        slo: Annotated[str | None, _option("--slo", "Limits for goodput.", "ttft=MS,itl=MS")] = None,
        executor: Annotated[str, _option("--executor", "What computes.", "virtual|torch")] = "virtual",
        clock: Annotated[
            str, _option("--clock", "What a step costs.", "lesson|lesson-token|roofline:GPU|wall")
        ] = "lesson",
        model: Annotated[str, _option("--model", "torch: the weights.", "tiny|small|base|PATH")] = "tiny",
        dtype: Annotated[str, _option("--dtype", "torch.", "float32|bfloat16")] = "float32",
        exact: Annotated[bool, typer.Option("--exact/--fast", help="torch: bit-identical tokens, or speed.")] = True,
        device: Annotated[str, _option("--device", "torch.", "auto|cpu|cuda")] = "auto",
        threads: Annotated[int | None, _option("--threads", "torch: CPU threads.", min=1, max=1024)] = None,
        seed: Annotated[int, _option("--seed", "Of generated lengths, prompts and sampling.")] = 0,
        check: Annotated[bool, _option("--check", "Check every invariant after every step.")] = False,
        tokens: Annotated[bool, _option("--tokens", "Give the output tokens, in request order.")] = False,
        events: Annotated[Path | None, _option("--events", "Write the event log.", "FILE")] = None,
        json: JsonOption = False,
    ) -> None:
        flags = dict(locals())
        from labs.engine import EngineConfig, EngineError, Slo, Stall
        from quizapp import engine_view
        from quizapp.engine_flags import idle
        from quizapp.overwrite import keep_others

        if events is not None:
            keep_others(events, "event log")

        try:
            config = EngineConfig(
                scheme=scheme,
                policy=policy,
                slots=slots,
                max_queue_delay_ms=max_queue_delay,
                preferred=_sizes(preferred),
                token_budget=token_budget,
                kv_blocks=kv_blocks,
                block_size=block_size,
                chunk=chunk,
                max_prefills=max_prefills,
                prefill=prefill,
                admission=admission,
                victim=victim,
                preempt=preempt,
                kv=kv,
                respond=respond,
                flush=flush,
                aging_ms=aging,
                strict_priority=strict_priority,
                tenant_slots=tenant_slots,
                max_bypass=bypass,
                swap_blocks=swap_blocks,
                seed=seed,
                check=check or (executor == "torch" and exact),
            )
            refused = idle(flags, usual)
            if refused:
                raise EngineError(refused)
            computes, about = _make_executor(executor, model, dtype, device, exact, seed, threads)
            config = replace(config, max_context=getattr(computes, "max_positions", None))
            work, config, total = _make_workload(config, workload, groups, requests, rate, burstiness, scale)
            limits = Slo.parse(slo) if slo else None
            result = _run(config, work, total, computes, clock, limits, tokens, events, {**about, "workload": workload})
        except Stall as error:
            fail(str(error))
        except EngineError as error:
            fail(str(error.args[0]), 2)
        document = _document(result, about, clock, tokens)
        if json:
            emit_json(document)
        else:
            show = engine_view.prose if prose else engine_view.table
            show(result, document)
        if document["requests"] and not document["steps"]:
            fail(f"Nothing was served: {counted(document['requests'], 'request')} refused.")

    usual = {name: parameter.default for name, parameter in signature(command).parameters.items()}
    return command


def _sizes(text: str) -> tuple[int, ...]:
    from labs.engine import EngineError

    try:
        return tuple(int(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise EngineError(f"--preferred '{text}' is not a list of sizes; write for example 4,8") from None


def _make_executor(
    name: str, model: str, dtype: str, device: str, exact: bool, seed: int, threads: int | None
) -> tuple[Executor, dict[str, Any]]:
    """What computes, and what it says of itself in the result."""
    from labs.engine import EngineError, VirtualExecutor

    if name == "virtual":
        return VirtualExecutor(seed), {"executor": name, "device": "virtual", "dtype": None, "exact": True}
    if name != "torch":
        raise EngineError(f"--executor is '{name}'; choose one of virtual, torch")
    try:
        from labs.engine.torch_executor import make_executor
    except (ImportError, OSError) as error:  # OSError: a torch whose libraries do not load
        fail(f"torch cannot be used here ({error}); run with --executor virtual, or see `quizapp doctor`")
    made = make_executor(model=model, dtype=dtype, device=device, exact=exact, seed=seed, threads=threads)
    if made.warning:
        note(made.warning)
    about = {"executor": name, "device": made.device, "dtype": made.dtype, "exact": made.exact, "model": model}
    return made, about


def _make_workload(
    config: EngineConfig,
    spec: str,
    groups: int,
    count: int | None,
    rate: float | None,
    burstiness: float,
    scale: float,
) -> tuple[Any, EngineConfig, int]:
    """The requests and their number: a list, or an iterator for a large generated workload.

    The iterator comes with enough KV blocks for any requests.
    """
    from itertools import repeat

    from labs import workloads
    from labs.engine import Request
    from labs.engine.api import blocks_for_workload

    number = max(count or 0, 0) * max(groups, 0)
    if not spec.startswith("gen:") or number < LAZY_FROM:
        made = workloads.load(
            spec,
            groups=groups,
            count=count,
            rate_per_s=rate,
            burstiness=burstiness,
            scale=scale,
            seed=config.seed,
        )
        return made, config, len(made)
    name = spec.removeprefix("gen:")
    if config.kv_blocks is None:
        prompt, output = workloads.largest(name, scale)
        largest = Request("", prompt, output_len=output)
        config = replace(config, kv_blocks=blocks_for_workload(config, repeat(largest, config.rows)))
    return workloads.generate(name, number, rate, burstiness, scale, config.seed), config, number


def _run(
    config: EngineConfig,
    work: Any,
    total: int,
    computes: Executor,
    clock: str,
    slo: Slo | None,
    tokens: bool,
    path: Path | None,
    about: dict[str, Any],
) -> RunResult:
    """Run with a progress bar and, when asked for, an event log; say why requests were refused."""
    from labs.engine import run
    from quizapp.engine_view import EventLog, Progress, Remarks

    remarks = Remarks()
    with Progress(total) as bar, EventLog(path, {"clock": clock, **about}) if path else nullcontext() as log:

        def receive(event: StepEvent) -> None:
            bar.see(event)
            remarks.see(event)
            if log is not None:
                log.see(event)

        result = run(
            config,
            work,
            computes,
            clock=clock,
            on_event=receive,
            on_engine=log.begin if log is not None else None,
            keep_outputs=tokens,
            slo=slo,
        )
    remarks.say()
    return result


def _document(result: RunResult, about: dict[str, Any], clock: str, tokens: bool) -> dict[str, Any]:
    document = {
        "scheme": result.config.scheme,
        "policy": result.config.policy,
        **about,
        "clock": clock,
        **result.counters,
        "wall_s": result.wall_s,
        "scheduler_s": result.scheduler_s,
        "executor_s": result.executor_s,
    }
    document.setdefault("goodput", None)
    if tokens:
        document["outputs"] = result.outputs
    return document


def register(app: typer.Typer) -> None:
    engine = typer.Typer(help="The batching engine: run a workload and see what it cost.", no_args_is_help=True)
    engine.command("run", help="Run a workload and print its counters.")(_command(prose=False))
    engine.command("explain", help="The same run, told to a newcomer.")(_command(prose=True))
    app.add_typer(engine, name="engine")
