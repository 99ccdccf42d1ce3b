"""Counters and latencies: a fold over the events, and nothing else. The definitions are printed beside the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labs.engine.distribution import Distribution
from labs.engine.events import Action, StepEvent
from labs.engine.types import NS_PER_MS, EngineError, FinishReason
from labs.formulas import reserved_waste

MOST_MS = 1e12  # 30 years
GOOD = (FinishReason.LENGTH.value, FinishReason.STOP.value)

DEFINITIONS = {
    "requests": "those of the workload, refused ones included",
    "finished": "those that got all their tokens (reasons length and stop)",
    "steps": "iterations of the engine; one that prefills and yields a first token is that request's first step",
    "slot_steps": "slots x steps: one slot, held or free, for one step",
    "useful": "slot-steps that yielded an output token",
    "waste": "1 - useful / slot_steps",
    "utilization": "useful / slot_steps",
    "tokens": "output tokens of all requests",
    "duration_s": "the run's clock from 0 to the end of the last step, idle gaps included",
    "tokens_per_s": "tokens / duration_s",
    "queue_ms": "arrival to first admission",
    "ttft_ms": "arrival to the first token's delivery (with --respond batch: when the batch ends)",
    "itl_ms": "gap between two consecutive tokens of a request as they are generated, preemptions included",
    "tpot_ms": "a request's mean gap: (last token - first token) / (tokens - 1), as generated",
    "e2e_ms": "arrival to the delivery of the last token",
    "goodput": "finished requests per second that met every --slo (itl: the request's longest gap)",
    "padding_prompt": "padding tokens computed beside prompts in padded prefills",
    "padding_decode": "rows of finished or missing requests computed in decode steps",
    "preemptions": "times a running request lost its place",
    "recomputed_tokens": "tokens whose KV was computed again after a preemption",
    "swapped_bytes": "KV bytes copied to the host and back, by the model's shape (virtual: Llama-3-8B, BF16)",
    "resident_max": "most requests running in one step",
    "percentiles": "nearest rank: the smallest value that at least p % of the values do not exceed",
    "kv": "blocks; peak: handed out, reserved_peak: promised, used_peak: holding a token, leaked: not free at the end; "
    "fragmentation: share of the promised token slots that held no token, over all steps",
}
REASONS = {
    FinishReason.LENGTH: "got as many tokens as it asked for",
    FinishReason.STOP: "came to a stop token",
    FinishReason.ABORTED: "was given up",
    FinishReason.TOO_LARGE: "can never fit",
    FinishReason.KV_EXHAUSTED: "outgrew all KV memory",
    FinishReason.INVALID: "was no valid request",
    FinishReason.ERROR: "failed while it was computed",
}


@dataclass(frozen=True, slots=True)
class Slo:
    """Limits a request must meet to count as good; None is no limit."""

    ttft_ns: int | None = None
    itl_ns: int | None = None

    @classmethod
    def parse(cls, text: str) -> Slo:
        """`ttft=200,itl=50`, in ms."""
        limits: dict[str, int] = {}
        for part in text.split(","):
            name, _, value = part.strip().partition("=")
            try:
                limit = float(value)
            except ValueError:
                limit = -1.0
            if name not in ("ttft", "itl") or not 0 <= limit <= MOST_MS:
                raise EngineError(f"--slo '{text}': '{part}' is not ttft=MS or itl=MS with a time of 0 to 1e12 ms")
            if f"{name}_ns" in limits:
                raise EngineError(f"--slo '{text}': {name} is there twice; give each limit once")
            limits[f"{name}_ns"] = round(limit * NS_PER_MS)
        return cls(**limits)


@dataclass(slots=True)
class _Track:
    """What the fold remembers of a request that is not delivered yet."""

    arrival_ns: int
    queued: bool = True
    tokens: int = 0
    first_ns: int = 0
    last_ns: int = 0
    longest_gap_ns: int = 0
    reason: str = ""
    end_ns: int = 0


class Metrics:
    """Fold events with `add`; read `counters`. Works the same on a live run and on a log."""

    def __init__(self, rows: int, block_size: int, blocks: int, batch_answers: bool, slo: Slo | None = None) -> None:
        self.rows, self.block_size, self.blocks = rows, block_size, blocks
        self.batch_answers, self.slo = batch_answers, slo
        self.steps = self.tokens = self.requests = self.finished = 0
        self.prefill_tokens = self.decode_tokens = 0
        self.padding_prompt = self.padding_decode = 0
        self.preemptions = self.recomputed_tokens = self.swapped_bytes = 0
        self.resident_max = self.peak = self.reserved_peak = self.used_peak = self.used_tokens_peak = 0
        self.reserved_area = self.used_area = 0  # token slots promised, and holding a token, summed over steps
        self.held = 0  # blocks in tables now, from the alloc and free records
        self.end_ns = self.good = 0
        self.finish_reasons: dict[str, int] = {}
        self.queue, self.ttft, self.itl = Distribution(), Distribution(), Distribution()
        self.tpot, self.e2e = Distribution(), Distribution()
        self._live: dict[str, _Track] = {}
        self._lost: dict[str, int] = {}  # tokens that preempted requests must compute again

    def add(self, event: StepEvent) -> None:
        live, end_ns = self._live, event.end_ns
        self.end_ns = end_ns
        for action in event.before:
            self._act(action, event.start_ns)
        if event.chunks:
            self._compute(event)
        itl_counts, itl = self.itl.counts, self.itl
        for request_id, _ in event.tokens:
            track = live[request_id]
            if track.tokens:
                gap = end_ns - track.last_ns
                if gap > track.longest_gap_ns:
                    track.longest_gap_ns = gap
                if gap in itl_counts:  # the hot path of Distribution.add
                    itl_counts[gap] += 1
                    itl.count += 1
                    itl.total += gap
                else:
                    itl.add(gap)
                    itl_counts = itl.counts
            else:
                track.first_ns = end_ns
            track.tokens += 1
            track.last_ns = end_ns
        self.tokens += len(event.tokens)
        for action in event.after:
            self._act(action, end_ns)

    def _act(self, action: Action, now_ns: int) -> None:
        """One action of an event, at `now_ns`."""
        kind, request_id = action[0], action[1]
        if kind == "alloc":
            self.held += len(action[2])
        elif kind == "free":
            self.held -= len(action[2])
        elif kind == "arrive":
            self.requests += 1
            self._live[request_id] = _Track(action[2])
        elif kind == "refuse":
            self.requests += 1
            self._count_reason(action[2])
        elif kind == "admit":
            track = self._live[request_id]
            if track.queued:
                track.queued = False
                self.queue.add(now_ns - track.arrival_ns)
        elif kind == "preempt":
            self.preemptions += 1
            self.swapped_bytes += action[4]
            if action[2] == "recompute":
                self._lost[request_id] = max(self._lost.get(request_id, 0), action[3])
        elif kind == "swap_in":
            self.swapped_bytes += action[3]
        elif kind == "finish":
            self._lost.pop(request_id, None)
            self._count_reason(action[2])
            self._live[request_id].reason = action[2]
        elif kind == "deliver":
            self._deliver(self._live.pop(request_id), now_ns)

    def _count_reason(self, reason: str) -> None:
        self.finish_reasons[reason] = self.finish_reasons.get(reason, 0) + 1

    def _compute(self, event: StepEvent) -> None:
        self.steps += 1
        self.padding_prompt += event.pad_prompt
        self.padding_decode += event.pad_decode
        computed = 0
        for _, start, stop in event.chunks:
            computed += stop - start
        if self._lost:
            self._count_recomputed(event)
        self.prefill_tokens += event.prefill_tokens
        self.decode_tokens += computed - event.prefill_tokens
        self.resident_max = max(self.resident_max, event.running)
        self.peak = max(self.peak, event.allocated)
        self.reserved_peak = max(self.reserved_peak, event.reserved)
        self.used_peak = max(self.used_peak, event.used)
        self.reserved_area += event.reserved * self.block_size
        self.used_area += event.used_tokens
        self.used_tokens_peak = max(self.used_tokens_peak, event.used_tokens)

    def _count_recomputed(self, event: StepEvent) -> None:
        for request_id, start, stop in event.chunks:
            lost = self._lost.get(request_id, 0)
            self.recomputed_tokens += max(0, min(stop, lost) - start)
            if lost and stop >= lost:
                del self._lost[request_id]

    def _deliver(self, track: _Track, end_ns: int) -> None:
        if track.reason not in GOOD:
            return
        self.finished += 1
        ttft = None
        if track.tokens:
            ttft = (end_ns if self.batch_answers else track.first_ns) - track.arrival_ns
            self.ttft.add(ttft)
            self.e2e.add(end_ns - track.arrival_ns)
            if track.tokens > 1:
                self.tpot.add((track.last_ns - track.first_ns) // (track.tokens - 1))
        if self.slo is not None:
            late = self.slo.ttft_ns is not None and ttft is not None and ttft > self.slo.ttft_ns
            slow = self.slo.itl_ns is not None and track.longest_gap_ns > self.slo.itl_ns
            self.good += not (late or slow)

    def counters(self) -> dict[str, Any]:
        """Every number of the run under the names of INTERFACES (`engine run --json`)."""
        slot_steps = self.rows * self.steps
        seconds = self.end_ns / 1e9
        values: dict[str, Any] = {
            "requests": self.requests,
            "finished": self.finished,
            "steps": self.steps,
            "slot_steps": slot_steps,
            "useful": self.tokens,
            "waste": 1 - self.tokens / slot_steps if slot_steps else 0.0,
            "utilization": self.tokens / slot_steps if slot_steps else 0.0,
            "tokens": self.tokens,
            "prefill_tokens": self.prefill_tokens,
            "decode_tokens": self.decode_tokens,
            "duration_s": seconds,
            "tokens_per_s": self.tokens / seconds if seconds else 0.0,
            "queue_ms": self.queue.summary_ms(),
            "ttft_ms": self.ttft.summary_ms(),
            "itl_ms": self.itl.summary_ms(),
            "tpot_ms": self.tpot.summary_ms(),
            "e2e_ms": self.e2e.summary_ms(),
            "padding_prompt": self.padding_prompt,
            "padding_decode": self.padding_decode,
            "kv": {
                "block_size": self.block_size,
                "blocks": self.blocks,
                "peak": self.peak,
                "reserved_peak": self.reserved_peak,
                "used_peak": self.used_peak,
                "used_tokens_peak": self.used_tokens_peak,
                "fragmentation": reserved_waste(self.reserved_area, self.used_area) if self.reserved_area else 0.0,
                "leaked": self.held,
            },
            "preemptions": self.preemptions,
            "recomputed_tokens": self.recomputed_tokens,
            "swapped_bytes": self.swapped_bytes,
            "resident_max": self.resident_max,
            "finish_reasons": dict(sorted(self.finish_reasons.items())),
        }
        if self.slo is not None:
            values["goodput"] = self.good / seconds if seconds else 0.0
            values["goodput_share"] = self.good / self.requests if self.requests else 0.0
        return values
