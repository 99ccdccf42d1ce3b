"""Measures that labs ask about, derived from the event log: waiting, idling and backfilling of single requests.

A `Story` is built from events (of a run, or read back from a log); a measure is a small function of the story and the
run's counters. Labs name them as `idle_steps(r1)`; the counters of `engine run --json` are named with dots, as
`itl_ms.max`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import Any

from labs.engine.events import StepEvent
from labs.lab import LabError


@dataclass
class Life:
    """What happened to one request. Steps count from 1; times are ns of the run's clock."""

    id: str
    tenant: str
    arrival_ns: int
    prompt: int
    admits: list[int] = field(default_factory=list)
    slot: int = -1
    token_steps: list[int] = field(default_factory=list)
    token_ns: list[int] = field(default_factory=list)
    left_ns: int = 0

    @property
    def finish_step(self) -> int:
        return self.token_steps[-1]


@dataclass
class Step:
    """One iteration."""

    number: int
    start_ns: int
    end_ns: int
    running: int
    waiting: int
    computed: int
    """Tokens computed, padding not counted."""


@dataclass
class Story:
    """A run by request and by step."""

    lives: dict[str, Life] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def life(self, request: str) -> Life:
        if request not in self.lives:
            raise LabError(f"the run has no request '{request}'")
        return self.lives[request]

    def of(self, tenant: str) -> list[Life]:
        """The lives of one tenant's requests."""
        found = [life for life in self.lives.values() if life.tenant == tenant]
        if not found:
            raise LabError(f"the run has no tenant '{tenant}'")
        return found

    def steps_before(self, time_ns: int) -> int:
        """Steps that had ended at a time."""
        return sum(step.end_ns <= time_ns for step in self.steps)


def tell(events: Iterable[StepEvent]) -> Story:
    """The story of a run. Works on live events and on those of a log."""
    story = Story()
    for event in events:
        for action in event.before:
            _act(story, action, event.step, event.start_ns)
        if event.chunks:
            computed = sum(stop - start for _, start, stop in event.chunks)
            story.steps.append(Step(event.step, event.start_ns, event.end_ns, event.running, event.waiting, computed))
        for name, _ in event.tokens:
            story.lives[name].token_steps.append(event.step)
            story.lives[name].token_ns.append(event.end_ns)
        for action in event.after:
            _act(story, action, event.step, event.end_ns)
    return story


def _act(story: Story, action: tuple[Any, ...], step: int, now_ns: int) -> None:
    kind, name = action[0], action[1]
    if kind == "arrive":
        story.lives[name] = Life(name, action[4], arrival_ns=action[2], prompt=action[3])
    elif kind == "admit":
        story.lives[name].admits.append(step)
        story.lives[name].slot = action[2]
    elif kind == "deliver":
        story.lives[name].left_ns = now_ns


# ---- the registry --------------------------------------------------------------------------------------------------

Measure = Callable[..., float]
MEASURES: dict[str, Measure] = {}
"""Name -> function(story, counters, *arguments)."""


def measure(function: Measure) -> Measure:
    MEASURES[function.__name__] = function
    return function


Counters = Mapping[str, float]


@measure
def idle_steps(story: Story, counters: Counters, request: str) -> float:
    """Steps for which a finished request's slot stays held: to the end of the batch it was admitted with."""
    life = story.life(request)
    batch = [other for other in story.lives.values() if other.admits[:1] == life.admits[:1]]
    return max(other.finish_step for other in batch) - life.finish_step


@measure
def start_step(story: Story, counters: Counters, request: str) -> float:
    """The step in which a request is admitted."""
    return story.life(request).admits[0]


@measure
def finish_step(story: Story, counters: Counters, request: str) -> float:
    """The step that yields a request's last token."""
    return story.life(request).finish_step


@measure
def mean_finish_step(story: Story, counters: Counters) -> float:
    """Mean over requests of the step that yields the last token."""
    return fmean(life.finish_step for life in story.lives.values())


@measure
def ttft_ms_of(story: Story, counters: Counters, request: str) -> float:
    """Arrival to first token of one request, as generated."""
    life = story.life(request)
    return (life.token_ns[0] - life.arrival_ns) / 1e6


@measure
def e2e_ms_of(story: Story, counters: Counters, request: str) -> float:
    """Arrival to last token of one request, as generated."""
    life = story.life(request)
    return (life.token_ns[-1] - life.arrival_ns) / 1e6


@measure
def longest_gap_ms(story: Story, counters: Counters, request: str) -> float:
    """Longest wait between two tokens of one request."""
    times = story.life(request).token_ns
    return max(b - a for a, b in pairwise(times)) / 1e6


@measure
def backfilled(story: Story, counters: Counters) -> float:
    """Completions whose slot is taken by a waiting request in the very next step."""
    starts: dict[int, list[int]] = {}
    for life in story.lives.values():
        starts.setdefault(life.slot, []).append(life.admits[0])
    return sum(life.finish_step + 1 in starts[life.slot] for life in story.lives.values())


@measure
def mean_running(story: Story, counters: Counters) -> float:
    """Requests running, averaged over steps."""
    return fmean(step.running for step in story.steps)


@measure
def mean_running_over_time(story: Story, counters: Counters) -> float:
    """Requests running, averaged over the run's time."""
    seconds = sum(step.running * (step.end_ns - step.start_ns) for step in story.steps)
    return seconds / max(step.end_ns for step in story.steps)


@measure
def mean_running_while_waiting(story: Story, counters: Counters) -> float:
    """Requests running, averaged over the steps in which others wait."""
    busy = [step.running for step in story.steps if step.waiting]
    return fmean(busy) if busy else 0.0


@measure
def mean_batch(story: Story, counters: Counters) -> float:
    """Requests per batch of a request-level run: requests over batches formed."""
    return len(story.lives) / len({life.admits[0] for life in story.lives.values()})


@measure
def worst_wait_steps(story: Story, counters: Counters, tenant: str) -> float:
    """Steps from arrival to last token of the slowest request of a tenant."""
    return max(life.finish_step - story.steps_before(life.arrival_ns) for life in story.of(tenant))


@measure
def step_share(story: Story, counters: Counters, tenant: str) -> float:
    """Share (0..1) of the output tokens, up to the tenant's last one, that went to this tenant."""
    mine = [step for life in story.of(tenant) for step in life.token_steps]
    last = max(mine)
    return len(mine) / sum(step <= last for life in story.lives.values() for step in life.token_steps)


@measure
def tokens_in_largest_step(story: Story, counters: Counters) -> float:
    """Most tokens computed in one iteration (prompts and decodes)."""
    return max(step.computed for step in story.steps)


@measure
def mean_in_system(story: Story, counters: Counters) -> float:
    """Requests in the system (waiting or running), averaged over the run's time: L of Little's law."""
    seconds = sum(life.token_ns[-1] - life.arrival_ns for life in story.lives.values())
    return seconds / max(step.end_ns for step in story.steps)


@measure
def waiting_in_step(story: Story, counters: Counters, step: str) -> float:
    """Requests that wait while a step (by number) is computed."""
    return story.steps[int(step) - 1].waiting


@measure
def growing_queue(story: Story, counters: Counters) -> float:
    """1 when those that arrive in the last quarter wait more than twice as long as those of the first, else 0."""
    lives = sorted(story.lives.values(), key=lambda life: life.arrival_ns)
    waits = [life.token_ns[0] - life.arrival_ns for life in lives]
    quarter = len(waits) // 4
    return float(fmean(waits[-quarter:]) > 2 * fmean(waits[:quarter]))


@measure
def share_of(story: Story, counters: Counters, part: str, whole: str) -> float:
    """One counter over another, for example share_of(ttft_ms.p99, ttft_ms.p50)."""
    return _known(counters, part) / _known(counters, whole)


# ---- reading names -------------------------------------------------------------------------------------------------


def _known(counters: Counters, name: str) -> float:
    if name not in counters:
        raise LabError(f"the run has no counter '{name}'; it has {', '.join(sorted(counters))}")
    return counters[name]


def evaluate(name: str, story: Story, counters: Counters) -> float:
    """The value of a counter or measure by its name. LabError for unknown names and arguments."""
    found = re.fullmatch(r"([a-z_0-9]+)\(([^()]*)\)", name)
    if found is None and name not in MEASURES:
        return _known(counters, name)
    word, inside = (found[1], found[2]) if found else (name, "")
    if word not in MEASURES:
        raise LabError(f"there is no measure '{word}'; known: {', '.join(sorted(MEASURES))}")
    arguments = [part.strip() for part in inside.split(",") if part.strip()]
    try:
        return float(MEASURES[word](story, counters, *arguments))
    except TypeError:
        raise LabError(f"measure '{name}': wrong number of arguments") from None


def flatten(counters: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
    """Nested counters as `ttft_ms.p99`; what has no value is left out."""
    flat: dict[str, float] = {}
    for name, value in counters.items():
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            flat[prefix + name] = value
    return flat
