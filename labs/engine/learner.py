"""A policy written by the learner: a plain Python file with one function.

    def rank(request, now_ms):
        return request.output_len          # smaller goes first; a number or a tuple of numbers

`request` has: id, tenant, priority, prompt_len, output_len (or the declared maximum), arrival_ms, waited_ms,
generated, preempted. The function is asked about every waiting request whenever a place is free. The file runs with
your own rights, as any script of yours does. What it prints goes to standard error.
"""

from __future__ import annotations

import reprlib
import sys
import traceback
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from types import ModuleType
from typing import Any

from labs.engine.types import NS_PER_MS, EngineError, Sequence


@dataclass(frozen=True, slots=True)
class WaitingRequest:
    """What a learner's policy may see: a copy, so that it cannot change the engine."""

    id: str
    tenant: str
    priority: int
    prompt_len: int
    output_len: int
    arrival_ms: float
    waited_ms: float
    generated: int
    preempted: bool


def load_rank(path: Path) -> Any:
    """The file's `rank`. Raises EngineError: one sentence with file and line."""
    try:
        source = path.read_text("utf-8")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or no path at all
        why = getattr(error, "strerror", None) or "not UTF-8 text"
        raise EngineError(f"--policy {path}: cannot read it ({why}); give the path of a Python file") from None
    module = ModuleType("learner_policy")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    try:
        with redirect_stdout(sys.stderr):
            exec(compile(source, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise EngineError(f"{path}:{error.lineno or 1}: not valid Python: {error.msg}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise EngineError(f"{_place(error, path)}: {_said(error)}") from None
    rank = getattr(module, "rank", None)
    if not callable(rank):
        raise EngineError(
            f"{path}: no function `rank(request, now_ms)`; write one that returns a number, smaller first"
        )
    return rank


def _place(error: BaseException, path: Path) -> str:
    """File and line of the learner's code that failed; only the file when it was called wrongly."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path}:{lines[-1]}" if lines else str(path)


def _said(error: BaseException) -> str:
    """`ValueError: why`, also of an exception that cannot be printed, or that says too much."""
    return shorten(traceback.format_exception_only(error)[-1], 200, placeholder=" …")


def _shown(value: object) -> str:
    try:
        return reprlib.repr(value)
    except Exception:  # a number too long to print, a `__repr__` that fails
        return f"a {type(value).__name__} that cannot be shown"


class LearnerQueue:
    """Asks `rank` about everyone at each `peek`: simple and slow (O(n)), and the learner's order is always kept."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._rank = load_rank(self._path)
        self._live: dict[int, Sequence] = {}

    def __len__(self) -> int:
        return len(self._live)

    def __iter__(self):
        return iter(self._live.values())

    def push(self, seq: Sequence) -> None:
        self._live[seq.key] = seq

    def peek(self, now_ns: int) -> Sequence | None:
        if not self._live:
            return None
        ranked = [(self._ask(seq, now_ns), seq.request.arrival_ns, seq.key) for seq in self._live.values()]
        try:
            return self._live[min(ranked)[2]]
        except TypeError:
            kinds = ", ".join(sorted({type(rank).__name__ for rank, _, _ in ranked}))
            raise EngineError(f"{self._path}: `rank` returned values that cannot be ordered ({kinds})") from None

    def _ask(self, seq: Sequence, now_ns: int) -> Any:
        request = seq.request
        waiting = WaitingRequest(
            id=request.id,
            tenant=request.tenant,
            priority=request.priority,
            prompt_len=request.prompt_len,
            output_len=seq.limit,
            arrival_ms=request.arrival_ns / NS_PER_MS,
            waited_ms=(now_ns - request.arrival_ns) / NS_PER_MS,
            generated=len(seq.output),
            preempted=seq.preemptions > 0,
        )
        try:
            with redirect_stdout(sys.stderr):
                rank = self._rank(waiting, now_ns / NS_PER_MS)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise EngineError(
                f"{_place(error, self._path)}: `rank` failed on request '{request.id}': {_said(error)}"
            ) from None
        for number in rank if isinstance(rank, tuple) else (rank,):
            if type(number) in (bool, int, float) and number == number:
                continue
            raise EngineError(
                f"{self._path}: `rank` returned {_shown(rank)} for request '{request.id}'; "
                f"return a number, or a tuple of numbers"
            )
        return rank

    def order(self, seq: Sequence, now_ns: int) -> Any:
        return (self._ask(seq, now_ns), seq.request.arrival_ns, seq.key)

    def discard(self, seq: Sequence) -> None:
        self._live.pop(seq.key, None)

    def charge(self, seq: Sequence, prompt_tokens: int, new_tokens: int) -> None:
        """A learner's policy keeps its own accounts, from what it is shown."""
