"""A run of the engine as it can be looked at: every step's picture, kept so that one can go back to it.

Folds the engine's events (as JSON values, one a step) and holds no rules: what a figure means, the engine's metrics and
the oracle decide; here it is only drawn while it happens.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

USEFUL, PREFILL, PADDING, PREEMPTED, IDLE, SECOND = "█▓░×·▄"
"""A cell of the grid. SECOND is a useful one of another tenant than the first."""
MS = 1_000_000
CHECKPOINT = 128
"""Steps between two kept states of the block map."""
Move = tuple[str, list[int], bool]
"""(request, blocks, whether it takes them or gives them back)"""


@dataclass
class Life:
    """One request. Steps count from 1, 0 is: not yet; times are ns of the run's clock."""

    id: str
    tenant: str
    arrival_ns: int
    prompt: int
    arrived: int
    """The step before which it arrived."""
    slot: int = -1
    admitted: int = 0
    first: int = 0
    finished: int = 0
    first_ns: int = 0
    last_ns: int = 0
    admitted_ns: int = 0
    tokens: int = 0
    longest_gap_ns: int = 0
    preemptions: int = 0
    reason: str = ""


@dataclass
class Totals:
    """Sums from the first step to this one."""

    useful: int = 0
    padding: int = 0
    preemptions: int = 0
    longest_gap_ns: int = 0


@dataclass
class Recording:
    """`slots` rows of one character a step, and the other figures of each step side by side (index 0 is step 1)."""

    slots: int
    static: bool = False
    """A request-level scheme whose missing rows are computed as well."""
    rows: list[list[str]] = field(default_factory=list)
    holders: list[tuple[str, ...]] = field(default_factory=list)
    """For each step the request in each slot, or an empty string."""
    end_ns: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    running: list[int] = field(default_factory=list)
    prefill_tokens: list[int] = field(default_factory=list)
    decode_tokens: list[int] = field(default_factory=list)
    padding_tokens: list[int] = field(default_factory=list)
    gap_ns: list[int] = field(default_factory=list)
    """Longest wait between two tokens of a request that ended in this step."""
    allocated: list[int] = field(default_factory=list)
    reserved: list[int] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    """Blocks handed out, promised, and holding at least one token."""
    totals: list[Totals] = field(default_factory=list)
    lives: dict[str, Life] = field(default_factory=dict)
    tenants: list[str] = field(default_factory=list)
    _held: list[str] = field(default_factory=list)
    _gone: set[str] = field(default_factory=set)
    _moves: list[list[Move]] = field(default_factory=list)
    """Blocks that changed hands since the step before and before this one computed; the last entry is still open."""
    _kept: list[dict[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows = [[] for _ in range(self.slots)]
        self._held = [""] * self.slots
        self._moves = [[]]

    @property
    def steps(self) -> int:
        return len(self.end_ns)

    def add(self, event: Mapping[str, Any]) -> None:
        """One event of the engine. Those without chunks move requests but are no step."""
        step = self.steps + 1
        preempted: set[int] = set()
        for action in event.get("before", ()):
            self._act(action, step, event["start_ns"], preempted)
        if event.get("chunks"):
            self._step(event, step, preempted)
            self._moves.append([])
        for action in event.get("after", ()):
            self._act(action, step, event["start_ns"] + event["duration_ns"], set())

    def _act(self, action: Sequence[Any], step: int, now_ns: int, lost: set[int]) -> None:
        kind, name = action[0], action[1]
        if kind == "arrive":
            self.lives[name] = Life(name, action[4], action[2], action[3], step)
            if action[4] not in self.tenants:
                self.tenants.append(action[4])
            return
        life = self.lives.get(name)
        if kind in ("alloc", "free"):
            self._moves[-1].append((name, list(action[2]), kind == "alloc"))
        elif life is None:
            return
        elif kind == "admit":
            life.slot = action[2]
            if not life.admitted:
                life.admitted, life.admitted_ns = step, now_ns
            if 0 <= life.slot < self.slots:
                self._held[life.slot] = name
                self._gone.discard(name)
        elif kind == "preempt":
            life.preemptions += 1
            if 0 <= life.slot < self.slots:
                lost.add(life.slot)
                self._held[life.slot] = ""
        elif kind == "finish":
            life.finished, life.reason = step, action[2]
            self._gone.add(name)

    def _step(self, event: Mapping[str, Any], step: int, preempted: set[int]) -> None:
        end_ns = event["start_ns"] + event["duration_ns"]
        computed = {name: (start, stop) for name, start, stop in event["chunks"]}
        cells = [IDLE] * self.slots
        useful = 0
        yielded = {name for name, _ in event.get("tokens", ())}
        for slot, name in enumerate(self._held):
            if name in computed:
                start, stop = computed[name]
                life = self.lives[name]
                prefills = stop - start > 1 or start < life.prompt
                second = len(self.tenants) > 1 and life.tenant != self.tenants[0]
                cells[slot] = PREFILL if prefills else SECOND if second else USEFUL
                useful += name in yielded
            elif name in self._gone:
                self._held[slot] = name if event.get("pad_decode") else ""
        padded = event.get("pad_decode", 0)
        missing = self.slots if self.static and event.get("pad_prompt") else 0
        for slot in self._paddable(cells)[: padded or missing]:
            cells[slot] = PADDING
        for slot in preempted:
            if cells[slot] == IDLE:
                cells[slot] = PREEMPTED
        for row, cell in zip(self.rows, cells, strict=True):
            row.append(cell)
        self._figures(
            event, end_ns, useful, cells.count(PADDING), len(event_preempts(event)), self._tokens(event, step, end_ns)
        )

    def _paddable(self, cells: list[str]) -> list[int]:
        """Free slots, those of finished requests first."""
        free = [slot for slot, cell in enumerate(cells) if cell == IDLE]
        return sorted(free, key=lambda slot: self._held[slot] == "")

    def _tokens(self, event: Mapping[str, Any], step: int, end_ns: int) -> int:
        longest = 0
        for name, _ in event.get("tokens", ()):
            life = self.lives[name]
            if life.tokens:
                gap = end_ns - life.last_ns
                life.longest_gap_ns = max(life.longest_gap_ns, gap)
                longest = max(longest, gap)
            else:
                life.first, life.first_ns = step, end_ns
            life.tokens += 1
            life.last_ns = end_ns
        return longest

    def _figures(
        self, event: Mapping[str, Any], end_ns: int, useful: int, padding: int, preempts: int, gap_ns: int
    ) -> None:
        before = self.totals[-1] if self.totals else Totals()
        self.totals.append(
            Totals(
                before.useful + useful,
                before.padding + padding,
                before.preemptions + preempts,
                max(before.longest_gap_ns, gap_ns),
            )
        )
        computed = sum(stop - start for _, start, stop in event["chunks"])
        prefill = event.get("prefill_tokens", 0)
        self.end_ns.append(end_ns)
        self.waiting.append(event.get("waiting", 0))
        self.running.append(event.get("running", 0))
        self.prefill_tokens.append(prefill)
        self.decode_tokens.append(computed - prefill)
        self.padding_tokens.append(event.get("pad_prompt", 0) + event.get("pad_decode", 0))
        self.gap_ns.append(gap_ns)
        self.allocated.append(event.get("allocated", 0))
        self.reserved.append(event.get("reserved", 0))
        self.used.append(event.get("used", 0))
        self.holders.append(tuple(self._held))

    # Looking back

    def owners(self, step: int) -> dict[int, str]:
        """Which request each block of KV memory belongs to while a step computes."""
        while len(self._kept) * CHECKPOINT <= step:
            at = len(self._kept) * CHECKPOINT
            base = dict(self._kept[-1]) if self._kept else {}
            _apply(base, self._moves[max(0, at - CHECKPOINT) : at])
            self._kept.append(base)
        nearest = step // CHECKPOINT
        owners = dict(self._kept[nearest])
        _apply(owners, self._moves[nearest * CHECKPOINT : step])
        return owners

    def queue(self, step: int) -> list[str]:
        """Requests that have arrived by a step and were not admitted by it, in order of arrival."""
        return [
            life.id
            for life in self.lives.values()
            if life.arrived <= step and not (life.admitted and life.admitted <= step) and not life.finished
        ]


def event_preempts(event: Mapping[str, Any]) -> list[Any]:
    return [a for a in (*event.get("before", ()), *event.get("after", ())) if a[0] == "preempt"]


def _apply(owners: dict[int, str], steps: Iterable[Iterable[Move]]) -> None:
    for moves in steps:
        for name, blocks, taken in moves:
            for block in blocks:
                if taken:
                    owners[block] = name
                elif owners.get(block) == name:
                    del owners[block]


def percentile(values: Iterable[float], percent: float) -> float:
    """Nearest rank, as the engine's metrics have it; NaN of nothing."""
    ordered = sorted(values)
    return ordered[max(1, math.ceil(percent / 100 * len(ordered))) - 1] if ordered else math.nan


def read_into(recording: Recording, path: Path) -> Recording | None:
    """The recording filled from an event log; None when the log is gone or damaged."""
    try:
        with path.open(encoding="utf-8") as lines:
            next(lines, None)  # the header
            for line in lines:
                recording.add(json.loads(line))
    except (OSError, ValueError, KeyError):
        return None
    return recording
