"""One typed event a step: the only thing counters, logs and pictures are made from.

In a JSONL log each event is one line with the fields below. Times are nanoseconds on the run's clock. A line without
chunks is housekeeping (requests refused or aborted while nothing ran) and is no step.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TextIO

from labs.engine.types import EngineError

Action = tuple[Any, ...]
"""Something that happened, in order. The first item says what, the second is the request's id:

("arrive", id, arrival_ns, prompt_len, tenant)    ("refuse", id, reason, sentence)    it never entered the queue
("admit", id, slot)                               also when it resumes
("preempt", id, "recompute" | "swap", computed, bytes)    ("swap_in", id, blocks, bytes)
("alloc", id, [block, ...])                       ("free", id, [block, ...])
("finish", id, reason, sentence)                  ("deliver", id)    its answer leaves
"""


@dataclass(slots=True)
class StepEvent:
    """What happened before the iteration computed, what it computed, and what happened after."""

    step: int = 0  # number of this iteration, from 1; of the last one in a housekeeping event
    start_ns: int = 0
    duration_ns: int = 0
    before: list[Action] = field(default_factory=list)
    chunks: list[tuple[str, int, int]] = field(default_factory=list)  # id, start, stop
    prefill_tokens: int = 0  # tokens of chunks that are no plain decodes: prompts, and text computed again
    pad_prompt: int = 0  # padding tokens computed beside prompts
    pad_decode: int = 0  # rows that computed a token nobody wanted
    tokens: list[tuple[str, int]] = field(default_factory=list)  # id, token
    after: list[Action] = field(default_factory=list)
    # State when the step's tokens are stored and before its finished requests leave (blocks; tokens for the last).
    running: int = 0
    waiting: int = 0
    allocated: int = 0
    reserved: int = 0
    used: int = 0
    used_tokens: int = 0

    @property
    def end_ns(self) -> int:
        return self.start_ns + self.duration_ns

    @property
    def empty(self) -> bool:
        """Nothing happened: not worth a line."""
        return not (self.chunks or self.before or self.after)

    def actions(self, kind: str) -> list[Action]:
        """All actions of one kind, in order."""
        return [action for action in (*self.before, *self.after) if action[0] == kind]

    def to_json(self) -> dict[str, Any]:
        """Plain values; empty lists and zeros are left out."""
        values = {name: getattr(self, name) for name in _NAMES}
        return {"event": "step", **{k: v for k, v in values.items() if v or k in ("step", "start_ns", "duration_ns")}}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> StepEvent:
        known = {name: values[name] for name in _NAMES if name in values}
        for name, value in known.items():
            if isinstance(value, list):
                known[name] = [tuple(item) for item in value]
        return cls(**known)


_NAMES = tuple(f.name for f in fields(StepEvent))
OnEvent = Callable[[StepEvent], None]


class JsonlSink:
    """Writes a header line (`{"event": "run", "config": {...}, ...}`) and then one line an event.

    `about`: more for the header, such as the clock and the executor.
    """

    def __init__(self, stream: TextIO, config: dict[str, Any], **about: Any) -> None:
        self._stream = stream
        self._write({"event": "run", "version": 1, "config": config, **about})

    def __call__(self, event: StepEvent) -> None:
        self._write(event.to_json())

    def _write(self, values: dict[str, Any]) -> None:
        self._stream.write(json.dumps(values, separators=(",", ":")) + "\n")


def read_events(path: Path) -> tuple[dict[str, Any], Iterator[StepEvent]]:
    """The config of a log's header, and its events, read lazily. Raises EngineError for what is not such a log."""
    lines = path.open(encoding="utf-8")
    try:
        header = json.loads(lines.readline() or "{}")
    except json.JSONDecodeError:
        header = {}
    if not isinstance(header, dict) or header.get("event") != "run":
        lines.close()
        raise EngineError(f"{path}:1: not an event log of `engine run --events` (no header line)")

    def events() -> Iterator[StepEvent]:
        with lines:
            for number, line in enumerate(lines, start=2):
                try:
                    yield StepEvent.from_json(json.loads(line))
                except (json.JSONDecodeError, TypeError, AttributeError) as error:
                    raise EngineError(f"{path}:{number}: the event log is cut or damaged here ({error})") from None

    return header["config"], events()
