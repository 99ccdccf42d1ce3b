"""Random workloads and settings, drawn so that memory is often short, arrivals are spread and every knob is turned."""

from __future__ import annotations

from random import Random
from typing import Any

from labs.engine import EngineConfig, EngineError, Request


def random_requests(random: Random, most: int = 14) -> list[Request]:
    spread_ms = random.choice((0, 0, 50, 400, 3000))
    requests = []
    for i in range(random.randint(1, most)):
        prompt = random.choice((random.randint(1, 12), random.randint(1, 70)))
        output = random.choice((0, 1, random.randint(1, 9), random.randint(1, 60)))
        requests.append(
            Request(
                f"r{i}",
                prompt_len=0 if random.random() < 0.02 else prompt,
                output_len=output,
                max_new_tokens=output + random.randint(0, 30) if random.random() < 0.3 else None,
                arrival_ns=random.randint(0, spread_ms) * 1_000_000,
                priority=random.randint(0, 3),
                tenant=random.choice("abc"),
            )
        )
    return requests


def predictable_knobs(random: Random) -> dict[str, Any]:
    """Settings that `labs.oracle.predict` covers."""
    scheme = random.choice(("sequential", "static", "dynamic", "continuous", "continuous"))
    slots = random.randint(1, 6)
    size = random.choice((1, 2, 3, 4, 8, 16))
    knobs: dict[str, Any] = {
        "scheme": scheme,
        "slots": slots,
        "policy": random.choice(("fcfs", "fcfs", "sjf", "lpt")),
        "block_size": size,
        "admission": random.choice(("optimistic", "optimistic", "reserve")),
        "preempt": random.choice(("recompute", "swap")),
        "victim": random.choice(("last", "last", "lowest", "largest")),
        "kv_blocks": max(1, random.choice((60, 90, 130, 200, 600)) // size),
    }
    if scheme in ("sequential", "continuous") and random.random() < 0.4:
        knobs["chunk"] = random.randint(1, 30)
    if scheme == "dynamic":
        knobs["max_queue_delay_ms"] = random.choice((0, 7, 60, 500))
        if random.random() < 0.5:
            knobs["preferred"] = tuple(sorted(random.sample(range(1, slots + 1), random.randint(1, slots))))
    return knobs


def any_knobs(random: Random) -> dict[str, Any]:
    """Every setting, also those that only `recount` covers."""
    while True:
        knobs = predictable_knobs(random)
        knobs["policy"] = random.choice(("fcfs", "sjf", "lpt", "priority", "fair"))
        knobs["strict_priority"] = random.random() < 0.7
        knobs["kv"] = random.choice(("paged", "paged", "contiguous"))
        knobs["max_bypass"] = random.choice((0, 0, 1, 3))
        knobs["aging_ms"] = random.choice((50, 500, 10_000))
        knobs["swap_blocks"] = random.choice((None, 0, 5))
        knobs["respond"] = random.choice((None, "own", "batch"))
        if knobs["scheme"] in ("continuous", "sequential"):
            knobs["prefill"] = random.choice(("mixed", "first"))
            knobs["max_prefill_run"] = random.choice((1, 3, 8))
            knobs["tenant_slots"] = random.choice((None, None, 1, 2))
            knobs["max_prefills"] = random.choice((None, 1, 2))
            knobs["token_budget"] = random.choice((None, None, knobs["slots"], knobs["slots"] + 7, 40))
        try:
            EngineConfig(**knobs)
        except EngineError:
            continue  # two knobs that exclude each other
        return knobs
