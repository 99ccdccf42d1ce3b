"""The oracle's first half: every counter of a run, recomputed from its event log, and the log's own logic checked.

Written against the log's format alone (docs/engine.md): nothing is imported from the engine, so that an error of the
engine's bookkeeping cannot hide here too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any


class LogError(ValueError):
    """The log contradicts itself: cut, doctored, or the engine has a bug. Says where."""


def read_log(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(config, events) of a JSONL event log."""
    lines = path.read_text("utf-8").splitlines()
    try:
        rows = [json.loads(line) for line in lines]
        config = rows[0]["config"]
    except (ValueError, LookupError, TypeError):
        raise LogError(f"{path}: not a whole event log") from None
    return config, rows[1:]


def recount(config: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The counters of a run under the names of `engine run --json`. Raises LogError when the log is inconsistent."""
    ledger = _Ledger(config)
    for event in events:
        ledger.read(event)
    return ledger.counters()


def differences(stated: Mapping[str, Any], recounted: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Sentences for every recounted counter that the stated ones do not have, or have with another value."""
    found = []
    for name, mine in recounted.items():
        theirs = stated.get(name)
        if isinstance(mine, Mapping):
            found += differences(theirs or {}, mine, f"{prefix}{name}.")
        elif mine is None or theirs is None or isinstance(mine, str):
            if mine != theirs:
                found.append(f"{prefix}{name}: the run says {theirs}, the log says {mine}")
        elif abs(mine - theirs) > 1e-9 * max(1.0, abs(mine)):
            found.append(f"{prefix}{name}: the run says {theirs}, the log says {mine}")
    return found


class _Ledger:
    def __init__(self, config: Mapping[str, Any]) -> None:
        self.rows = 1 if config["scheme"] == "sequential" else config["slots"]
        self.size = config["block_size"]
        self.blocks = config["kv_blocks"]
        level = config["scheme"] in ("static", "dynamic")
        self.batch_answers = level and config.get("respond") in (None, "batch")
        self.requests: dict[str, dict[str, Any]] = {}  # live ones
        self.done: list[dict[str, Any]] = []
        self.refused = 0
        self.owner: dict[int, str] = {}
        self.clock = self.steps = self.prefill = self.decode = 0
        self.pads = [0, 0]
        self.peaks = {"peak": 0, "used_peak": 0, "used_tokens_peak": 0}
        self.resident = self.preemptions = self.recomputed = self.swapped = 0
        self.reasons: dict[str, int] = {}

    def fail(self, message: str) -> None:
        raise LogError(f"after step {self.steps}: {message}")

    def request(self, name: str) -> dict[str, Any]:
        if name not in self.requests:
            self.fail(f"request '{name}' acts but never arrived or is gone")
        return self.requests[name]

    def read(self, event: Mapping[str, Any]) -> None:
        if event["start_ns"] < self.clock:
            self.fail("time runs backwards")
        end = event["start_ns"] + event["duration_ns"]
        for action in event.get("before", ()):
            self._act(action[0], action[1], action[2:], event["start_ns"])
        self._chunks(event, end)
        for action in event.get("after", ()):
            self._act(action[0], action[1], action[2:], end)
        self.clock = end

    def _act(self, kind: str, name: str, rest: Any, now: int) -> None:
        if kind == "arrive":
            if name in self.requests:
                self.fail(f"request '{name}' arrives twice")
            arrival, prompt, _tenant = rest
            self.requests[name] = {
                "arrival": arrival,
                "prompt": prompt,
                "stored": 0,
                "known": prompt,
                "times": [],
                "blocks": [],
                "admitted": None,
                "lost": 0,
                "running": False,
                "reason": None,
            }
            return
        if kind == "refuse":
            self.refused += 1
            self.reasons[rest[0]] = self.reasons.get(rest[0], 0) + 1
            return
        one = self.request(name)
        if kind == "admit":
            if one["running"] or one["reason"]:
                self.fail(f"request '{name}' is admitted while it runs or after it finished")
            one["running"] = True
            one["admitted"] = now if one["admitted"] is None else one["admitted"]
        elif kind == "alloc":
            self._allocate(one, name, rest[0])
        elif kind == "free":
            self._free(one, name, rest[0])
        elif kind == "preempt":
            self._preempt(one, name, *rest)
        elif kind == "swap_in":
            self.swapped += rest[1]
        elif kind == "finish":
            one["reason"], one["running"] = rest[0], False
            self.reasons[rest[0]] = self.reasons.get(rest[0], 0) + 1
        elif kind == "deliver":
            if one["blocks"] or one["reason"] is None:
                self.fail(f"request '{name}' is answered and still holds blocks or has not finished")
            one["end"] = now
            self.done.append(self.requests.pop(name))
        else:
            self.fail(f"unknown action '{kind}'")

    def _preempt(self, one: dict[str, Any], name: str, kind: str, computed: int, moved: int) -> None:
        if not one["running"] or one["stored"] != computed:
            self.fail(f"request '{name}' had {one['stored']} tokens stored and lost {computed}")
        self.preemptions += 1
        self.swapped += moved
        one["running"] = False
        if kind == "recompute":
            one["lost"] = max(one["lost"], computed)
            one["stored"] = 0

    def _allocate(self, one: dict[str, Any], name: str, blocks: list[int]) -> None:
        for block in blocks:
            if block in self.owner:
                self.fail(f"block {block} is given to '{name}' while '{self.owner[block]}' holds it")
            if not 1 <= block <= self.blocks:
                self.fail(f"block {block} is not one of the pool's {self.blocks}")
            self.owner[block] = name
        one["blocks"] += blocks

    def _free(self, one: dict[str, Any], name: str, blocks: list[int]) -> None:
        for block in blocks:
            if self.owner.pop(block, None) != name:
                self.fail(f"'{name}' gives back block {block}, which is not its own")
        one["blocks"] = [block for block in one["blocks"] if block not in set(blocks)]

    def _chunks(self, event: Mapping[str, Any], end: int) -> None:
        chunks = event.get("chunks", ())
        tokens = dict(event.get("tokens", ()))
        if len(tokens) != len(event.get("tokens", ())):
            self.fail("a request has two tokens in one step")
        if not chunks:
            if tokens:
                self.fail("tokens without a computation")
            return
        self.steps += 1
        if event["step"] != self.steps:
            self.fail(f"the log's next step is {event['step']}; steps are missing")
        self.pads[0] += event.get("pad_prompt", 0)
        self.pads[1] += event.get("pad_decode", 0)
        for name, start, stop in chunks:
            one = self.request(name)
            if not one["running"] or start != one["stored"] or not start < stop <= one["known"]:
                self.fail(f"'{name}' computes [{start}, {stop}) with {one['stored']} of {one['known']} tokens stored")
            if stop > len(one["blocks"]) * self.size:
                self.fail(f"'{name}' stores token {stop} in {len(one['blocks'])} blocks of {self.size}")
            plain = start == one["known"] - 1 and start >= one["prompt"]
            self.decode += plain
            self.prefill += 0 if plain else stop - start
            self.recomputed += max(0, min(stop, one["lost"]) - start)
            one["lost"] = 0 if stop >= one["lost"] else one["lost"]
            one["stored"] = stop
            if name in tokens:
                if stop != one["known"]:
                    self.fail(f"'{name}' has a token before its text was computed")
                one["known"] += 1
                one["times"].append(end)
                del tokens[name]
        if tokens:
            self.fail(f"tokens for {sorted(tokens)}, which did not compute")
        live = [one for one in self.requests.values() if one["running"]]
        self.resident = max(self.resident, len(live))
        stored = [one["stored"] for one in live]
        now = (len(self.owner), sum(-(-n // self.size) for n in stored), sum(stored))
        self.peaks = {name: max(old, new) for (name, old), new in zip(self.peaks.items(), now, strict=True)}

    def counters(self) -> dict[str, Any]:
        useful = sum(len(one["times"]) for one in (*self.done, *self.requests.values()))
        area = self.rows * self.steps
        good = [one for one in self.done if one["reason"] in ("length", "stop")]
        told = [one for one in good if one["times"]]
        everyone = (*self.done, *self.requests.values())
        gaps = [b - a for one in everyone for a, b in pairwise(one["times"])]
        first = [(one["end"] if self.batch_answers else one["times"][0]) - one["arrival"] for one in told]
        spread = [one["times"][-1] - one["times"][0] for one in told if len(one["times"]) > 1]
        counts = [len(one["times"]) - 1 for one in told if len(one["times"]) > 1]
        waits = [one["admitted"] - one["arrival"] for one in everyone if one["admitted"] is not None]
        return {
            "requests": len(self.done) + len(self.requests) + self.refused,
            "finished": len(good),
            "steps": self.steps,
            "slot_steps": area,
            "useful": useful,
            "waste": 1 - useful / area if area else 0.0,
            "utilization": useful / area if area else 0.0,
            "tokens": useful,
            "prefill_tokens": self.prefill,
            "decode_tokens": self.decode,
            "duration_s": self.clock / 1e9,
            "tokens_per_s": useful / (self.clock / 1e9) if self.clock else 0.0,
            "queue_ms": _summary(waits),
            "ttft_ms": _summary(first),
            "itl_ms": _summary(gaps),
            "tpot_ms": _summary([time // count for time, count in zip(spread, counts, strict=True)]),
            "e2e_ms": _summary([one["end"] - one["arrival"] for one in told]),
            "padding_prompt": self.pads[0],
            "padding_decode": self.pads[1],
            "kv": {**self.peaks, "leaked": len(self.owner)},
            "preemptions": self.preemptions,
            "recomputed_tokens": self.recomputed,
            "swapped_bytes": self.swapped,
            "resident_max": self.resident,
            "finish_reasons": dict(sorted(self.reasons.items())),
        }


def _summary(values: list[int]) -> dict[str, float | None]:
    """Mean, nearest-rank percentiles and maximum, in ms."""
    if not values:
        return dict.fromkeys(("mean", "p50", "p90", "p95", "p99", "max"))
    ordered = sorted(values)
    ranks = {f"p{p}": ordered[max(0, -(-p * len(ordered) // 100) - 1)] / 1e6 for p in (50, 90, 95, 99)}
    return {"mean": sum(ordered) / len(ordered) / 1e6, **ranks, "max": ordered[-1] / 1e6}
