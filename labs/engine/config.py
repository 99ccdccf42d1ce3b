"""Every knob of a run, checked once, with sentences that name the flag."""

from __future__ import annotations

from dataclasses import dataclass

from labs.engine.types import NS_PER_MS, EngineError

SCHEMES = ("sequential", "static", "dynamic", "continuous")
POLICIES = ("fcfs", "sjf", "lpt", "priority", "fair")
_CHOICES = {
    "scheme": SCHEMES,
    "prefill": ("mixed", "first"),
    "admission": ("reserve", "optimistic"),
    "victim": ("last", "lowest", "largest"),
    "preempt": ("recompute", "swap"),
    "kv": ("paged", "contiguous"),
    "respond": (None, "batch", "own"),
}
_AT_LEAST = {
    "slots": 1,
    "block_size": 1,
    "kv_blocks": 1,
    "token_budget": 1,
    "chunk": 1,
    "max_prefills": 1,
    "max_prefill_run": 1,
    "max_queue_delay_ms": 0,
    "max_bypass": 0,
    "swap_blocks": 0,
    "aging_ms": 1,
    "max_context": 1,
    "tenant_slots": 1,
    "seed": -(2**63),
}
MOST_BLOCKS = 10_000_000
"""KV blocks of a pool: about half a GB of bookkeeping."""
_AT_MOST = {
    "slots": 100_000,
    "kv_blocks": MOST_BLOCKS,
    "max_queue_delay_ms": 10**12,  # 30 years
    "aging_ms": 10**12,
    "seed": 2**63 - 1,
}


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """One run's settings. `None` means: no limit, or (kv_blocks) as many as the workload can use."""

    scheme: str = "continuous"
    policy: str = "fcfs"  # a name, or the path of a FILE.py with a function `rank`
    slots: int = 8
    max_queue_delay_ms: float = 0.0  # dynamic: the oldest request waits at most this long for company
    preferred: tuple[int, ...] = ()  # dynamic: sizes that are dispatched at once
    token_budget: int | None = None  # most tokens (prefill + decode) a step
    kv_blocks: int | None = None
    block_size: int = 16
    chunk: int | None = None  # most prefill tokens of one request a step
    max_prefills: int | None = None  # most requests that prefill in one step
    prefill: str = "mixed"  # or "first": iterations of prefill only, before any decode
    max_prefill_run: int = 8  # prefill first: a waiting decode runs after at most this many such iterations
    admission: str = "optimistic"
    victim: str = "last"
    preempt: str = "recompute"
    kv: str = "paged"
    respond: str | None = None  # None: "batch" for static and dynamic, "own" for the others
    flush: bool = True  # static: when no more requests will come, run a short batch padded with empty rows
    aging_ms: float = 10_000.0  # priority: waiting this long is worth one level of urgency
    strict_priority: bool = True  # priority: a more urgent request preempts a running one when there is no room
    tenant_slots: int | None = None  # most slots that one tenant may hold
    max_bypass: int = 0  # requests that may overtake a head of the queue that does not fit in KV memory
    swap_blocks: int | None = None  # host memory for swapped KV; full: preempt by recompute instead
    max_context: int | None = None  # most prompt + new tokens of one request (the model's limit)
    seed: int = 0
    check: bool = False  # check every invariant after every step (labs and tests)

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                words = ", ".join(c for c in choices if c)
                raise EngineError(f"{_flag(name)} is '{value}'; choose one of {words}")
        for name, least in _AT_LEAST.items():
            value = getattr(self, name)
            if value is not None and not value >= least:  # `not >=` also refuses NaN
                raise EngineError(f"{_flag(name)} is {value}; it must be at least {least}")
        for name, most in _AT_MOST.items():
            value = getattr(self, name)
            if value is not None and value > most:
                raise EngineError(f"{_flag(name)} is {value}; it must be at most {most:,}")
        if self.policy not in POLICIES and not self.policy.endswith(".py"):
            raise EngineError(
                f"--policy is '{self.policy}'; choose one of {', '.join(POLICIES)}, or give the path of a FILE.py"
            )
        if self.respond == "batch" and not self.batches_requests:
            raise EngineError(f"--respond batch needs --scheme static or dynamic; a {self.scheme} run has no batches")
        if self.batches_requests:
            self._check_request_level()
        elif self.preferred or self.max_queue_delay_ms:
            raise EngineError("--preferred and --max-queue-delay belong to --scheme dynamic")
        if self.token_budget is not None and self.token_budget < self.rows:
            raise EngineError(
                f"--token-budget {self.token_budget} is below --slots {self.rows}: every running request needs one "
                f"token a step; raise the budget to at least {self.rows} or lower the slots"
            )

    def _check_request_level(self) -> None:
        for name in ("chunk", "token_budget", "max_prefills", "tenant_slots"):
            if getattr(self, name) is not None:
                raise EngineError(
                    f"{_flag(name)} needs --scheme continuous or sequential: "
                    f"a {self.scheme} batch takes whoever waits and prefills them in one padded iteration"
                )
        if self.prefill == "first":
            raise EngineError(f"--prefill first needs --scheme continuous; a {self.scheme} batch always starts so")
        if self.scheme == "static" and (self.preferred or self.max_queue_delay_ms):
            raise EngineError("--preferred and --max-queue-delay belong to --scheme dynamic")
        for size in self.preferred:
            if not 1 <= size <= self.slots:
                raise EngineError(f"--preferred {size} is not between 1 and --slots {self.slots}")

    @property
    def rows(self) -> int:
        """Slots that exist: a sequential run has one."""
        return 1 if self.scheme == "sequential" else self.slots

    @property
    def batches_requests(self) -> bool:
        """Request-level batching: membership changes only between batches."""
        return self.scheme in ("static", "dynamic")

    @property
    def reserves(self) -> bool:
        """Admission plans for the declared maximum (contiguous memory cannot do otherwise)."""
        return self.admission == "reserve" or self.kv == "contiguous"

    @property
    def answers_with_batch(self) -> bool:
        return self.batches_requests and self.respond != "own"

    @property
    def max_queue_delay_ns(self) -> int:
        return round(self.max_queue_delay_ms * NS_PER_MS)


def _flag(name: str) -> str:
    return "--bypass" if name == "max_bypass" else "--" + name.removesuffix("_ms").replace("_", "-")
