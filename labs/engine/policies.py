"""Who is admitted next. A queue answers `peek`; the scheduler decides whether that one fits.

Preempted requests come back before their peers (of the same priority or tenant), so none is forgotten.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from labs.engine.config import EngineConfig
from labs.engine.types import NS_PER_MS, Sequence


class Queue(Protocol):
    """Waiting sequences in the policy's order. `discard` takes one out: admitted or given up."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Sequence]: ...
    def push(self, seq: Sequence) -> None: ...
    def peek(self, now_ns: int) -> Sequence | None: ...
    def order(self, seq: Sequence, now_ns: int) -> Any: ...
    def discard(self, seq: Sequence) -> None: ...
    def charge(self, seq: Sequence, prompt_tokens: int, new_tokens: int) -> None: ...


def resumed(seq: Sequence) -> bool:
    return seq.preemptions > 0


def first(queue: Queue, count: int, now_ns: int) -> list[Sequence]:
    """The first `count` waiting sequences in the policy's order."""
    return heapq.nsmallest(count, queue, key=lambda seq: queue.order(seq, now_ns))


class RankQueue:
    """A heap by a rank that does not change while a request waits. Removed entries are skipped when they surface."""

    def __init__(self, rank: Callable[[Sequence], tuple]) -> None:
        self._rank = rank
        self._heap: list[tuple[tuple, int, Sequence]] = []
        self._live: dict[int, Sequence] = {}

    def __len__(self) -> int:
        return len(self._live)

    def __iter__(self):
        return iter(self._live.values())

    def push(self, seq: Sequence) -> None:
        seq.rank = (*self._rank(seq), seq.request.arrival_ns, seq.key)
        self._live[seq.key] = seq
        heapq.heappush(self._heap, (seq.rank, seq.key, seq))

    def peek(self, now_ns: int) -> Sequence | None:
        heap = self._heap
        while heap:
            rank, key, seq = heap[0]
            if self._live.get(key) is seq and seq.rank is rank:
                return seq
            heapq.heappop(heap)
        return None

    def order(self, seq: Sequence, now_ns: int) -> tuple:
        return seq.rank

    def discard(self, seq: Sequence) -> None:
        self._live.pop(seq.key, None)

    def charge(self, seq: Sequence, prompt_tokens: int, new_tokens: int) -> None:
        """Only fair queues keep accounts."""


class PriorityQueue:
    """One queue a level. Waiting requests age: all at the same speed, so level + arrival orders them for ever."""

    def __init__(self, aging_ns: float) -> None:
        self._aging_ns = aging_ns
        self._levels: dict[int, RankQueue] = {}

    def __len__(self) -> int:
        return sum(len(level) for level in self._levels.values())

    def __iter__(self):
        return (seq for level in self._levels.values() for seq in level)

    def push(self, seq: Sequence) -> None:
        level = self._levels.setdefault(seq.request.priority, RankQueue(self._aged_rank))
        level.push(seq)

    def _aged_rank(self, seq: Sequence) -> tuple:
        return (seq.request.priority + seq.request.arrival_ns / self._aging_ns, not resumed(seq))

    def peek(self, now_ns: int) -> Sequence | None:
        heads = [level.peek(now_ns) for level in self._levels.values()]
        return min((seq for seq in heads if seq is not None), key=lambda seq: seq.rank, default=None)

    def most_urgent(self, now_ns: int) -> Sequence | None:
        """The head of the most urgent level, whatever has aged past it."""
        for priority in sorted(self._levels):
            head = self._levels[priority].peek(now_ns)
            if head is not None:
                return head
        return None

    def aged(self, seq: Sequence, now_ns: int) -> float:
        """Its priority now: each `aging_ns` of waiting is worth one level. Lower is more urgent."""
        return seq.request.priority - (now_ns - seq.request.arrival_ns) / self._aging_ns

    def order(self, seq: Sequence, now_ns: int) -> tuple:
        return seq.rank

    def discard(self, seq: Sequence) -> None:
        level = self._levels.get(seq.request.priority)
        if level is not None:
            level.discard(seq)

    def charge(self, seq: Sequence, prompt_tokens: int, new_tokens: int) -> None:
        """Priorities are not bought."""


class FairQueue:
    """Fair share by tenant: the Virtual Token Counter of Sheng et al., "Fairness in Serving LLMs" (OSDI 2024).

    Each tenant's counter grows by PROMPT_WEIGHT a prompt token at admission and by OUTPUT_WEIGHT a token generated;
    the tenant with the smallest counter is next, and a tenant that was idle starts at the smallest counter of those
    that wait (it has no credit for idling). While two tenants both have requests waiting, the services they receive
    differ by at most `2 * (PROMPT_WEIGHT * longest prompt + OUTPUT_WEIGHT * slots * longest output)`.
    """

    PROMPT_WEIGHT = 1
    OUTPUT_WEIGHT = 2

    def __init__(self) -> None:
        self.counters: dict[str, float] = {}
        self._queues: dict[str, RankQueue] = {}  # tenants that wait now
        self._last_left: str | None = None

    def __len__(self) -> int:
        return sum(len(queue) for queue in self._queues.values())

    def __iter__(self):
        return (seq for queue in self._queues.values() for seq in queue)

    def push(self, seq: Sequence) -> None:
        tenant = seq.request.tenant
        if tenant not in self._queues:
            if not resumed(seq):
                self._lift(tenant)
            self._queues[tenant] = RankQueue(lambda s: (not resumed(s),))
        self._queues[tenant].push(seq)

    def _lift(self, tenant: str) -> None:
        if self._queues:
            floor = min(self.counters[other] for other in self._queues)
        else:
            floor = self.counters.get(self._last_left or tenant, 0)
        self.counters[tenant] = max(self.counters.get(tenant, 0), floor)

    def peek(self, now_ns: int) -> Sequence | None:
        if not self._queues:
            return None
        tenant = min(self._queues, key=lambda name: (self.counters[name], name))
        return self._queues[tenant].peek(now_ns)

    def order(self, seq: Sequence, now_ns: int) -> tuple:
        return (self.counters[seq.request.tenant], seq.request.tenant, seq.rank)

    def discard(self, seq: Sequence) -> None:
        tenant = seq.request.tenant
        queue = self._queues.get(tenant)
        if queue is not None:
            queue.discard(seq)
            if not len(queue):
                del self._queues[tenant]
                self._last_left = tenant

    def charge(self, seq: Sequence, prompt_tokens: int, new_tokens: int) -> None:
        cost = self.PROMPT_WEIGHT * prompt_tokens + self.OUTPUT_WEIGHT * new_tokens
        self.counters[seq.request.tenant] = self.counters.get(seq.request.tenant, 0) + cost


def make_queue(config: EngineConfig) -> Queue:
    if config.policy == "fair":
        return FairQueue()
    if config.policy.endswith(".py"):
        from labs.engine.learner import LearnerQueue

        return LearnerQueue(config.policy)
    if config.policy == "priority":
        return PriorityQueue(config.aging_ms * NS_PER_MS)
    ranks: dict[str, Callable[[Sequence], tuple]] = {
        "fcfs": lambda seq: (not resumed(seq),),
        "sjf": lambda seq: (not resumed(seq), seq.limit),
        "lpt": lambda seq: (not resumed(seq), -seq.limit),
    }
    return RankQueue(ranks[config.policy])
