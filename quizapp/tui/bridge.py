"""The store works in one thread of its own, in order, and only posts messages.

One thread keeps one SQLite connection, so an answer and the question after it can never overtake each other, and the
screen keeps painting while the disk is slow. It starts after the first frame: importing the store costs a third of a
second that nobody should wait for.
"""

from __future__ import annotations

import asyncio
import gc
import queue
import threading
from collections.abc import Callable
from typing import Any

from textual.message import Message
from textual.message_pump import MessagePump

from quizapp.tui.messages import StoreFailed, StoreOpened

Job = tuple[MessagePump, Callable[[Any], Message], Callable[[Any], Any]]


class StoreThread:
    """`open_study` is called in the thread; what it raises becomes a `StoreFailed` with one sentence."""

    def __init__(self, open_study: Callable[[], Any]) -> None:
        self._open_study = open_study
        self._jobs: queue.SimpleQueue[Job | threading.Event | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.failure = ""

    @property
    def started(self) -> bool:
        return self._thread is not None

    def start(self, listener: MessagePump) -> None:
        """Opens the store; `listener` hears `StoreOpened(settings)` or `StoreFailed(sentence)`."""
        self.failure = ""
        self._thread = threading.Thread(target=self._work, args=(listener,), name="quizapp-store", daemon=True)
        self._thread.start()

    def ask(self, target: MessagePump, reply: Callable[[Any], Message], job: Callable[[Any], Any]) -> None:
        if self.failure:
            target.post_message(StoreFailed(self.failure))
        else:
            self._jobs.put((target, reply, job))

    async def idle(self) -> None:
        """Waits until everything asked so far has been answered."""
        if self._thread is not None:
            done = threading.Event()
            self._jobs.put(done)
            while not done.is_set() and self._thread is not None and self._thread.is_alive():
                await asyncio.sleep(0.001)

    def close(self, seconds: float = 3.0) -> None:
        """Lets what was asked finish, then ends the thread. Waits `seconds` at most."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join(seconds)
            self._thread = None

    def _work(self, listener: MessagePump) -> None:
        try:
            study = self._open_study()
            thresholds = gc.get_threshold()
            gc.freeze()  # bank and program stay: looking for garbage in them takes longer than most jobs, and a paint
            gc.set_threshold(20_000, *thresholds[1:])
            listener.post_message(
                StoreOpened((study.settings(), study.read_only, tuple(study.warnings), study.location.file.parent))
            )
        except Exception as error:
            self.failure = sentence(error)
            listener.post_message(StoreFailed(self.failure))
            self._thread = None
            return
        try:
            while (job := self._jobs.get()) is not None:
                if isinstance(job, threading.Event):
                    job.set()
                    continue
                target, reply, run = job
                try:
                    target.post_message(reply(run(study)))
                except Exception as error:
                    target.post_message(StoreFailed(sentence(error)))
        finally:
            study.close()
            gc.unfreeze()
            gc.set_threshold(*thresholds)


def sentence(error: Exception) -> str:
    """An error as one sentence. Our own errors are sentences already; others are named by their kind."""
    findings = getattr(error, "errors", None)
    if callable(findings):  # pydantic: which value, and what is wrong with it
        return "; ".join(f"{one['loc'][0]}: {one['msg'].lower()}" for one in findings())
    words = str(error).strip() or "no details"
    known = type(error).__module__.startswith(("quizapp.", "labs."))
    return words if known else f"{type(error).__name__}: {words}"
