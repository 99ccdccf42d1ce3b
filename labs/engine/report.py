"""A run in words: a table whose numbers carry their definitions, and prose for a newcomer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs.engine.config import EngineConfig
from labs.engine.distribution import PERCENTILES
from labs.engine.metrics import DEFINITIONS, REASONS

Row = tuple[str, str, str]
"""name, value, what it means"""

_COUNTS = ("requests", "finished", "steps", "slot_steps", "useful")
LATENCIES = ("queue_ms", "ttft_ms", "itl_ms", "tpot_ms", "e2e_ms")
LATENCY_COLUMNS = ("mean", *(f"p{percent}" for percent in PERCENTILES), "max")
_PAID = ("padding_prompt", "padding_decode", "preemptions", "recomputed_tokens", "swapped_bytes")


def rows(counters: Mapping[str, Any]) -> list[Row]:
    """The result table, in reading order; the latencies are a table of their own."""
    table = [(name, f"{counters[name]:,}", DEFINITIONS[name]) for name in _COUNTS]
    table += [(name, f"{counters[name]:.2%}", DEFINITIONS[name]) for name in ("waste", "utilization")]
    table.append(("duration_s", f"{counters['duration_s']:,.3f}", DEFINITIONS["duration_s"]))
    table.append(("tokens_per_s", f"{counters['tokens_per_s']:,.1f}", DEFINITIONS["tokens_per_s"]))
    if counters.get("goodput") is not None:
        table.append(("goodput", f"{counters['goodput']:.2f}/s", DEFINITIONS["goodput"]))
    table += [(name, f"{counters[name]:,}", DEFINITIONS[name]) for name in _PAID if counters[name]]
    table.append(("resident_max", str(counters["resident_max"]), DEFINITIONS["resident_max"]))
    kv = counters["kv"]
    memory = f"{kv['blocks']:,} blocks of {kv['block_size']} tokens; "
    memory += ", ".join(f"{name} {kv[name]:,}" for name in ("peak", "reserved_peak", "used_peak", "leaked"))
    table.append(("kv", f"{memory}; fragmentation {kv['fragmentation']:.1%}", DEFINITIONS["kv"]))
    reasons = counters["finish_reasons"]
    table.append(
        (
            "finish_reasons",
            ", ".join(f"{reason} {count:,}" for reason, count in reasons.items()),
            "why requests ended; " + ", ".join(f"{reason}: {REASONS[reason]}" for reason in reasons),
        )
    )
    return table


def latencies(counters: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Name, then the columns of `LATENCY_COLUMNS`; a latency that no request has is left out."""
    return [
        (name, *(milliseconds(counters[name][column]) for column in LATENCY_COLUMNS))
        for name in LATENCIES
        if counters[name]["mean"] is not None
    ]


def milliseconds(value: float) -> str:
    """Whole from 100 ms on, three digits below."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


_SCHEMES = {
    "sequential": "one request at a time: the next one starts when the one before has all its tokens",
    "static": "in fixed batches: {slots} requests start together, and the next batch starts when the slowest is done",
    "dynamic": "in batches formed by size or waiting time (at most {slots}); a batch runs until its slowest is done",
    "continuous": "iteration by iteration: whenever one of the {slots} slots is free, a waiting request takes it",
}


def explain(config: EngineConfig, counters: Mapping[str, Any], clock: str) -> str:
    """The run as prose: what happened, what the numbers mean, what to try next."""
    if not counters["steps"]:
        return "Nothing ran: no request had anything to compute. " + _endings(counters)
    c = counters
    how = _SCHEMES[config.scheme].format(slots=config.rows)
    parts = [
        f"{_many(c['requests'], 'request')} went through the engine {how}.",
        f"A step is one pass through the model; in it every running request gets at most one new token. This run took "
        f"{c['steps']:,} steps and made {c['tokens']:,} tokens.",
        f"With {_many(config.rows, 'slot')}, {c['steps']:,} steps offer {config.rows} x {c['steps']:,} = "
        f"{c['slot_steps']:,} slot-steps. {c['useful']:,} of them made a token ({c['utilization']:.1%}); the other "
        f"{c['slot_steps'] - c['useful']:,} ({c['waste']:.1%}) made none.",
        _where_it_went(config, c),
        f"On the {clock} clock that is {c['duration_s']:,.2f} s, or {c['tokens_per_s']:,.1f} tokens a second.",
        _waiting(config, c),
        _memory(config, c),
        _endings(c),
        _next(config, c),
    ]
    return "\n\n".join(part for part in parts if part)


def _where_it_went(config: EngineConfig, c: Mapping[str, Any]) -> str:
    if config.batches_requests:
        text = ""
        if c["padding_decode"]:
            text += (
                f"{c['padding_decode']:,} rows were computed for requests that had already finished (or places that "
                f"were empty), because a {config.scheme} batch keeps its shape until its slowest member is done. "
            )
        if c["padding_prompt"]:
            text += f"{c['padding_prompt']:,} padding tokens were computed to bring prompts to their batch's longest."
        return text.strip()
    if c["waste"] < 0.02:
        return "Almost nothing was wasted: a slot that became free was taken again at once."
    return (
        "Nothing was computed for finished requests. The idle slot-steps are those in which no request was there to "
        "take a free slot: at the end of a finite workload, between arrivals, or when memory was full."
    )


def _waiting(config: EngineConfig, c: Mapping[str, Any]) -> str:
    if c["ttft_ms"]["mean"] is None:
        return ""
    ms = milliseconds
    text = (
        f"A request waited {ms(c['queue_ms']['mean'])} ms on average for a slot (the unluckiest "
        f"{ms(c['queue_ms']['max'])} ms). Its first token reached the client after {ms(c['ttft_ms']['p50'])} ms in "
        f"the median (TTFT), the whole answer after {ms(c['e2e_ms']['p50'])} ms (E2E; 99 % within "
        f"{ms(c['e2e_ms']['p99'])} ms)."
    )
    if config.answers_with_batch:
        text += " Answers leave when their batch ends, so a short answer waits for the longest of its batch."
    if c["itl_ms"]["max"] is not None:
        text += (
            f" Two tokens of an answer were {ms(c['itl_ms']['p50'])} ms apart in the median (ITL) and "
            f"{ms(c['itl_ms']['max'])} ms at worst."
        )
    return text


def _memory(config: EngineConfig, c: Mapping[str, Any]) -> str:
    kv = c["kv"]
    text = (
        f"Each token keeps keys and values in KV memory, here in blocks of {kv['block_size']} tokens. At the peak "
        f"{kv['peak']:,} of {kv['blocks']:,} blocks were handed out ({kv['used_peak']:,} held a token) for "
        f"{_many(c['resident_max'], 'resident request')}."
    )
    if (
        c["resident_max"] < config.rows
        and c["resident_max"] < c["requests"]
        and kv["reserved_peak"] > 0.8 * kv["blocks"]
    ):
        text += f" Memory, not the {config.rows} slots, capped the batch."
    if c["preemptions"]:
        cost = (
            f"{c['swapped_bytes'] / 1e6:,.1f} MB moved to the host and back"
            if c["swapped_bytes"]
            else f"{c['recomputed_tokens']:,} tokens had to be computed again"
        )
        text += f" {_many(c['preemptions'], 'time')} a running request lost its place for want of room; {cost}."
    return text


def _endings(c: Mapping[str, Any]) -> str:
    bad = {reason: n for reason, n in c["finish_reasons"].items() if reason not in ("length", "stop")}
    if not bad:
        return ""
    return "Not served: " + ", ".join(f"{n:,} {reason}" for reason, n in bad.items()) + "."


def _next(config: EngineConfig, c: Mapping[str, Any]) -> str:
    if config.batches_requests:
        return "Try next: the same workload with --scheme continuous, and compare steps and waste."
    if config.scheme == "sequential":
        return "Try next: --scheme static --slots 8, and see what batching buys and what it wastes."
    if c["preemptions"]:
        return "Try next: more --kv-blocks, or --admission reserve, which never preempts but admits fewer."
    if config.policy == "fcfs":
        return "Try next: --policy lpt or sjf, and see that the fewest steps and the shortest waits differ."
    return "Try next: fewer --kv-blocks, and see memory cap the batch."


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
