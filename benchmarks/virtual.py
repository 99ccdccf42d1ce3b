"""The engine without a model: scheduled tokens a second, milliseconds a step with 256 running, memory.

Run `python -m benchmarks.virtual [REQUESTS]` (100,000 by default; 1,000,000 takes about two minutes of CPU). Times are
CPU seconds of this process, so that a busy machine changes them little. Goals are those of DESIGN section 4.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random

from labs import workloads
from labs.engine import EngineConfig, Request, StepEvent, run
from labs.formulas import blocks_for

SLOTS = 256
GOAL_TOKENS_PER_S = 200_000
GOAL_STEP_MS = 1.0


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def measure(name: str, requests: Iterable[Request], kv_blocks: int, total: int) -> None:
    """Run once and print one line."""
    memory: list[float] = []
    finished = 0

    def watch(event: StepEvent) -> None:
        nonlocal finished
        before = finished
        finished += sum(action[0] == "finish" for action in event.after)
        if finished * 10 // total > before * 10 // total:
            memory.append(resident_mb())

    began = time.process_time()
    counters = run(EngineConfig(slots=SLOTS, kv_blocks=kv_blocks), requests, on_event=watch).counters
    seconds = time.process_time() - began
    tokens = counters["prefill_tokens"] + counters["decode_tokens"]
    step_ms = seconds / counters["steps"] * 1e3
    print(
        f"{name}: {total:,} requests, {tokens:,} scheduled tokens ({counters['decode_tokens']:,} decodes), "
        f"{seconds:.1f} CPU s\n"
        f"  {tokens / seconds:,.0f} tokens/s ({tokens / seconds / GOAL_TOKENS_PER_S:.1f} x the goal), "
        f"{counters['decode_tokens'] / seconds:,.0f} decodes/s, {step_ms:.3f} ms a step "
        f"({step_ms / GOAL_STEP_MS:.2f} x the bound) with {counters['tokens'] / counters['steps']:.0f} running\n"
        f"  resident memory at each tenth of the requests, MB: {', '.join(f'{mb:.0f}' for mb in memory)}; "
        f"blocks leaked: {counters['kv']['leaked']}"
    )


def main() -> None:
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    random = Random(0)
    long_decodes = [Request(str(i), random.randint(10, 200), output_len=random.randint(200, 600)) for i in range(2_000)]
    measure("decodes, 256 running", iter(long_decodes), SLOTS * blocks_for(799, 16), len(long_decodes))
    longest = sum(workloads.largest("azure_code")) - 1
    measure("gen:azure_code", workloads.generate("azure_code", total), SLOTS * blocks_for(longest, 16), total)


if __name__ == "__main__":
    main()
