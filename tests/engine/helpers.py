"""Shared by the engine's tests: the lesson's workload and a short way to run it with every invariant checked."""

from __future__ import annotations

from typing import Any

from labs.engine import EngineConfig, Request, RunResult, run

LESSON = (20, 25, 30, 40, 50, 60, 400, 600)


def lesson(groups: int = 1, prompt_len: int = 200) -> list[Request]:
    return [Request(f"r{i}", prompt_len, output_len=n) for i, n in enumerate(LESSON * groups, start=1)]


def sizes(*pairs: tuple[int, int]) -> list[Request]:
    """Requests of (prompt, output) tokens, named r1, r2, ..."""
    return [Request(f"r{i}", prompt, output_len=output) for i, (prompt, output) in enumerate(pairs, start=1)]


def checked(requests: list[Request], **knobs: Any) -> RunResult:
    """A run with events kept, invariants checked after every step, and nothing leaked."""
    how = {name: knobs.pop(name) for name in ("executor", "clock", "on_event", "on_engine", "slo") if name in knobs}
    result = run(EngineConfig(**{"check": True, **knobs}), requests, **how, keep_events=True, keep_outputs=True)
    assert result.counters["kv"]["leaked"] == 0
    return result
