"""`run(config, requests)`: a whole workload through the engine; the door for labs, commands and benchmarks."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from labs.engine.clocks import Clock, make_clock
from labs.engine.config import MOST_BLOCKS, EngineConfig
from labs.engine.core import Engine
from labs.engine.events import OnEvent, StepEvent
from labs.engine.executor import Executor, VirtualExecutor
from labs.engine.metrics import Metrics, Slo
from labs.engine.types import EngineError, Request, Sequence
from labs.formulas import blocks_for

READ_AHEAD = 4096


@dataclass(frozen=True)
class RunResult:
    """`counters` has the names of `engine run --json`. `events` and `outputs` (tokens, in request order) when kept."""

    config: EngineConfig
    counters: dict[str, Any]
    wall_s: float
    scheduler_s: float  # wall time outside the executor, metrics not included
    executor_s: float
    events: list[StepEvent] | None
    outputs: list[list[int]] | None


def run(
    config: EngineConfig,
    requests: Iterable[Request],
    executor: Executor | None = None,
    *,
    clock: str | Clock = "lesson",
    on_event: OnEvent | None = None,
    on_engine: Callable[[Engine], None] | None = None,
    keep_events: bool = False,
    keep_outputs: bool = False,
    slo: Slo | None = None,
) -> RunResult:
    """Run every request to its end on the run's own clock, which also drives the arrivals.

    A list is sorted by arrival; any other iterable is read lazily, must come in order of arrival, and needs
    `config.kv_blocks`; under fcfs it is read at most READ_AHEAD waiting requests ahead, so that memory stays flat (no
    counter changes, only `waiting` in the events is then what has been read).
    `on_engine` receives the engine before the first step (its resolved config; to abort from a callback).
    Raises EngineError for settings that cannot be, Stall when the work can never end. Bad requests do not raise:
    they finish with a reason.
    """
    lazy = not isinstance(requests, list)
    order: list[str] | None = [] if keep_outputs else None
    if isinstance(requests, list):
        if keep_outputs:
            order = [request.id for request in requests]
        requests = sorted(requests, key=lambda request: request.arrival_ns)
        if config.kv_blocks is None:
            config = replace(config, kv_blocks=blocks_for_workload(config, requests))
    elif config.kv_blocks is None:
        raise EngineError("a workload that is read lazily needs kv_blocks; give their number")
    assert config.kv_blocks is not None
    metrics = Metrics(config.rows, config.block_size, config.kv_blocks, config.answers_with_batch, slo)
    events: list[StepEvent] | None = [] if keep_events else None
    outputs: dict[str, list[int]] | None = {} if keep_outputs else None

    def receive(event: StepEvent) -> None:
        metrics.add(event)
        if events is not None:
            events.append(event)
        if on_event is not None:
            on_event(event)

    def finished(seq: Sequence) -> None:
        if outputs is not None:
            outputs[seq.id] = seq.output

    engine = Engine(
        config,
        executor if executor is not None else VirtualExecutor(config.seed),
        make_clock(clock) if isinstance(clock, str) else clock,
        on_event=receive,
        on_finish=finished,
    )
    if on_engine is not None:
        on_engine(engine)
    began = time.perf_counter()
    ahead = READ_AHEAD if lazy and config.policy == "fcfs" else None
    try:
        _drive(engine, _in_order(requests), ahead, order if lazy else None)
    except (KeyboardInterrupt, SystemExit):
        raise  # a signal may have come in the middle of any change: there is nothing consistent to tidy up
    except BaseException:
        engine.abort_all()
        raise
    return RunResult(
        config=config,
        counters=metrics.counters(),
        wall_s=time.perf_counter() - began,
        scheduler_s=engine.scheduler_ns / 1e9,
        executor_s=engine.executor_ns / 1e9,
        events=events,
        outputs=None if outputs is None else [outputs.get(request_id, []) for request_id in order or []],
    )


def _drive(engine: Engine, requests: Iterator[Request], ahead: int | None, order: list[str] | None) -> None:
    """Feed arrivals as the run's clock reaches them; jump over times in which nothing can happen."""
    coming = next(requests, None)
    most = math.inf if ahead is None else max(ahead, 2 * engine.config.slots)
    while True:
        while coming is not None and coming.arrival_ns <= engine.now_ns and len(engine.scheduler.queue) < most:
            engine.add(coming)
            if order is not None:
                order.append(coming.id)
            coming = next(requests, None)
        if coming is None:
            engine.close()
        if engine.step() is not None:
            continue
        times = [time_ns for time_ns in (coming.arrival_ns if coming else None, engine.wake_ns) if time_ns is not None]
        if not times:
            return
        engine.now_ns = max(engine.now_ns, min(times))


def _in_order(requests: Iterable[Request]) -> Iterator[Request]:
    last_ns = 0
    for request in requests:
        if request.arrival_ns < last_ns:
            raise EngineError(f"request '{request.id}' arrives before the one listed ahead of it; sort the workload")
        last_ns = request.arrival_ns
        yield request


def blocks_for_workload(config: EngineConfig, requests: Iterable[Request]) -> int:
    """Blocks that the workload can use at most: those of the `slots` largest requests together.

    Raises EngineError when that is more than a pool may have.
    """
    sizes = []
    for request in requests:
        if request.output_len is None and request.max_new_tokens is None:
            continue  # refused when it arrives
        new_tokens = request.declared_max if config.reserves else request.limit
        sizes.append(blocks_for(max(request.prompt_len + max(new_tokens, 1) - 1, 1), config.block_size))
    blocks = max(1, sum(heapq.nlargest(config.rows, sizes)))
    if blocks > MOST_BLOCKS:
        raise EngineError(
            f"the workload can use {blocks:,} KV blocks of {config.block_size} tokens and {MOST_BLOCKS:,} is the most; "
            f"give --kv-blocks, or a larger --block-size"
        )
    return blocks
