"""The oracle: a second implementation of the engine's rules, driven by events instead of steps.

`predict` jumps from one event to the next (a request ends, a block boundary is reached, somebody arrives) and never
looks at a step in between; `recount` (labs.oracle_log) recomputes every counter from an event log. Neither imports the
engine. Where both and the engine agree, three pieces of code that share nothing but the rules say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from labs.oracle_log import LogError, differences, read_log, recount

__all__ = ["LogError", "Prediction", "Unsupported", "differences", "predict", "read_log", "recount"]

STEP, PREFILL = 20_000_000, 60_000_000  # ns: the lesson clock


class Unsupported(ValueError):
    """The prediction does not cover this setting; `recount` does."""


@dataclass
class Prediction:
    """What a run must count; times of the lesson clock. `ends`: request id -> ns of its last token."""

    steps: int = 0
    duration_s: float = 0.0
    tokens: int = 0
    preemptions: int = 0
    recomputed_tokens: int = 0
    resident_max: int = 0
    padding_prompt: int = 0
    padding_decode: int = 0
    finish_reasons: dict[str, int] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)

    def counters(self) -> dict[str, Any]:
        """The fields that carry the name of a run's counter."""
        return {name: value for name, value in vars(self).items() if name != "ends"}


@dataclass
class _Job:
    id: str
    order: int
    arrival: int
    prompt: int
    length: int
    declared: int
    priority: int
    made: int = 0  # tokens generated
    stored: int = 0  # tokens in KV memory
    held: int = 0  # blocks
    promised: int = 0
    lost: int = 0
    pushed: bool = False  # was preempted

    @property
    def known(self) -> int:
        return self.prompt + self.made

    @property
    def decodes(self) -> bool:
        return self.made > 0 and self.stored == self.known - 1

    @property
    def key(self) -> tuple[int, int]:
        return (self.arrival, self.order)


def predict(config: Mapping[str, Any], requests: Iterable[Any]) -> Prediction:
    """Counters of a run on the lesson clock, for forced lengths.

    Covers every scheme, fcfs/sjf/lpt, chunks, both admissions, both preemptions, all victims, paged memory. Raises
    Unsupported for the rest (token budget, prefill limits, prefill first, contiguous memory, bypassing, other
    policies, limited host memory).
    """
    needs_none = ("token_budget", "max_prefills", "swap_blocks", "max_context", "tenant_slots")
    if any(config[name] is not None for name in needs_none) or config["max_bypass"] or config["kv"] != "paged":
        raise Unsupported("the prediction covers paged memory without budgets, bypassing or host limits")
    if config["policy"] not in ("fcfs", "sjf", "lpt") or config["prefill"] != "mixed":
        raise Unsupported("the prediction covers fcfs, sjf and lpt with mixed prefill")
    return _World(config, requests).run()


class _World:
    def __init__(self, config: Mapping[str, Any], requests: Iterable[Any]) -> None:
        self.c = config
        self.scheme = config["scheme"]
        self.slots = 1 if self.scheme == "sequential" else config["slots"]
        self.level = self.scheme in ("static", "dynamic")
        self.size, self.blocks = config["block_size"], config["kv_blocks"]
        self.reserve = config["admission"] == "reserve"
        self.coming = sorted((self._job(i, r) for i, r in enumerate(requests)), key=lambda job: job.key, reverse=True)
        self.waiting: list[_Job] = []
        self.running: list[_Job] = []
        self.free = self.blocks
        self.now = 0
        self.rows = 0
        self.out = Prediction()

    def _job(self, order: int, r: Any) -> _Job:
        if r.output_len is None:
            raise Unsupported("the prediction needs forced lengths")
        declared = r.output_len if r.max_new_tokens is None else r.max_new_tokens
        return _Job(r.id, order, r.arrival_ns, r.prompt_len, min(r.output_len, declared), declared, r.priority)

    def run(self) -> Prediction:
        while self.coming or self.waiting or self.running:
            self._arrive()
            pushed = self._make_room()
            starting = [] if pushed else self._admit()
            if not self.running:
                if not self._sleep():
                    break
                continue
            self._advance(starting, pushed)
        self.out.duration_s = self.now / 1e9
        return self.out

    # ---- events ------------------------------------------------------------------------------------------------

    def _arrive(self) -> None:
        while self.coming and self.coming[-1].arrival <= self.now:
            job = self.coming.pop()
            need = self._ceil(job.prompt + max(job.declared, 1) - 1 if self.reserve else job.prompt)
            if job.prompt < 1:
                self._end(job, "invalid")
            elif need > self.blocks:
                self._end(job, "too_large")
            elif job.length == 0:
                self._end(job, "length")
            else:
                self.waiting.append(job)

    def _sleep(self) -> bool:
        """Nothing runs: jump to the next arrival, or to the moment a dynamic batch leaves without company."""
        times = [self.coming[-1].arrival] if self.coming else []
        if self.scheme == "dynamic" and self.waiting:
            times.append(min(job.arrival for job in self.waiting) + round(self.c["max_queue_delay_ms"] * 1e6))
        if times:
            self.now = max(self.now, min(times))
        return bool(times)

    def _make_room(self) -> bool:
        """Each decode that starts a block gets one, in order of admission; victims pay. True when somebody did."""
        pushed = False
        for job in list(self.running):
            if job not in self.running or not job.decodes or job.stored < job.held * self.size:
                continue
            if self._ceil(job.known) > self.blocks:
                self._drop(job)
                self._end(job, "kv_exhausted")
                continue
            while job in self.running and job.promised == job.held and not self.free:
                self._push_out(self._victim())
                pushed = True
            if job in self.running:
                if job.promised == job.held:
                    job.promised += 1
                    self.free -= 1
                job.held += 1
        return pushed

    def _victim(self) -> _Job:
        ranked = list(enumerate(self.running))
        if self.c["victim"] == "lowest":
            return max(ranked, key=lambda item: (item[1].priority, item[0]))[1]
        if self.c["victim"] == "largest":
            return max(ranked, key=lambda item: (item[1].held, item[0]))[1]
        return self.running[-1]

    def _push_out(self, job: _Job) -> None:
        self.out.preemptions += 1
        self._drop(job)
        job.pushed = True
        if self.c["preempt"] == "recompute":
            job.lost, job.stored = max(job.lost, job.stored), 0
        self.waiting.append(job)

    def _drop(self, job: _Job) -> None:
        self.running.remove(job)
        self.free += job.promised
        job.held = job.promised = 0

    def _end(self, job: _Job, reason: str) -> None:
        self.out.finish_reasons[reason] = self.out.finish_reasons.get(reason, 0) + 1
        self.out.finish_reasons = dict(sorted(self.out.finish_reasons.items()))
        self.out.ends[job.id] = self.now

    def _admit(self) -> list[_Job]:
        """Take from the queue what the scheme, the slots and the memory allow; returns those that start."""
        places = self._batch_size() if self.level else self.slots - len(self.running)
        started = []
        self.waiting.sort(key=self._rank)
        while places > 0 and self.waiting:
            job = self.waiting[0]
            need = self._ceil(job.prompt + max(job.declared, 1) - 1 if self.reserve else job.known)
            if need > self.free:
                break
            self.waiting.pop(0)
            job.promised, job.held = need, self._ceil(job.known)
            self.free -= need
            self.running.append(job)
            started.append(job)
            places -= 1
        if self.level and started:
            self.rows = self.slots if self.scheme == "static" else len(started)
        return started

    def _rank(self, job: _Job) -> tuple:
        by_length = {"fcfs": 0, "sjf": job.length, "lpt": -job.length}[self.c["policy"]]
        return (not job.pushed, by_length, *job.key)

    def _batch_size(self) -> int:
        n = len(self.waiting)
        if self.running or not n:
            return 0
        if n >= self.slots:
            return self.slots
        if self.scheme == "static":
            return n if not self.coming and self.c["flush"] else 0
        fitting = [size for size in self.c["preferred"] if size <= n]
        if fitting:
            return max(fitting)
        oldest = min(job.arrival for job in self.waiting)
        return n if self.now >= oldest + round(self.c["max_queue_delay_ms"] * 1e6) else 0

    # ---- time --------------------------------------------------------------------------------------------------

    def _advance(self, starting: list[_Job], pushed: bool) -> None:
        """As many equal steps as nothing can change in."""
        out = self.out
        out.resident_max = max(out.resident_max, len(self.running))
        prefilling = [job for job in self.running if not job.decodes]
        steps = 1
        if not prefilling and not pushed and not (self.level and starting):
            steps = min(min(job.length - job.made, self._to_boundary(job)) for job in self.running)
            if self.coming:
                steps = min(steps, max(1, -(-(self.coming[-1].arrival - self.now) // STEP)))
        if self.level and starting and prefilling:
            tokens = [job.known - job.stored for job in self.running]
            out.padding_prompt += max(tokens) * self.rows - sum(tokens)
        elif self.level:
            out.padding_decode += (self.rows - len(self.running)) * steps
        self.now += steps * STEP + (PREFILL if prefilling else 0)
        out.steps += steps
        for job in list(self.running):
            self._compute(job, steps)

    def _to_boundary(self, job: _Job) -> int:
        """Steps until its next token needs a block that it does not have."""
        return job.held * self.size - job.stored

    def _compute(self, job: _Job, steps: int) -> None:
        chunk = self.c["chunk"]
        start = job.stored
        if not job.decodes and chunk is not None and job.known - job.stored > chunk:
            job.stored += chunk
        else:
            job.stored = job.known + steps - 1
            job.made += steps
            self.out.tokens += steps
        self.out.recomputed_tokens += max(0, min(job.stored, job.lost) - start)
        if job.stored >= job.lost:
            job.lost = 0
        if job.made == job.length:
            self._drop(job)
            self._end(job, "length")

    def _ceil(self, tokens: int) -> int:
        return -(-tokens // self.size)
