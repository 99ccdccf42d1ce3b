"""`python -m labs.child`: runs labs in a process of its own and speaks JSON lines, so that the app stays quick.

In (one JSON object a line):  {"cmd": "run", "lab": ID, "run": ID, "part": "main" | "transfer", "seed": N, "set": {},
"executor": null | "torch" | "virtual", "events_path": PATH, "at": ISO time}   {"cmd": "cancel"}
Out:  {"type": "started", "requests", "slots", "kv_blocks", "tokens", "executor", "device", "notice", ...}
      {"type": "step", "events": [StepEvent, ...], "done": tokens so far}      at most 20 of these a second
      {"type": "done", "receipt": {...}, "notice", "wall_s", "scheduler_s"}   {"type": "cancelled"}
      {"type": "error", "message": sentence}

A cancelled run leaves no file. When standard input ends the parent is gone: the process ends at once by itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any, TextIO

from labs.engine.events import StepEvent
from labs.lab import LabError, find_lab
from labs.runner import choose, perform
from labs.setting import make_setting

NICENESS = 10
MESSAGES_PER_S = 20


class Cancelled(BaseException):
    """The parent gave the run up. Not an Exception: nothing on the way may swallow it."""


class Child:
    """The conversation. A reader thread takes commands, so that a cancel is heard in the middle of a run."""

    def __init__(self, source: TextIO, sink: TextIO) -> None:
        self.source, self.sink = source, sink
        self.commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.heard = 0  # run commands heard so far
        self.given_up = 0  # those of them that a cancel came after
        self.current = 0
        self.partial: Path | None = None

    def listen(self) -> None:
        """In the reader thread, until the parent closes our input."""
        for line in self.source:
            try:
                command = json.loads(line)
            except ValueError:
                command = None
            if not isinstance(command, dict):
                command = {"cmd": "unreadable"}
            if command.get("cmd") == "run":
                self.heard += 1
            elif command.get("cmd") == "cancel":
                self.given_up = self.heard
            self.commands.put(command)
        if self.partial is not None:
            self.partial.unlink(missing_ok=True)
        os._exit(0)

    @property
    def cancelled(self) -> bool:
        return self.current <= self.given_up

    def say(self, **message: Any) -> None:
        self.sink.write(json.dumps(message, separators=(",", ":")) + "\n")
        self.sink.flush()

    def serve(self) -> None:
        """Answer commands for ever; the reader thread ends the process."""
        while True:
            command = self.commands.get()
            name = command.get("cmd")
            if name == "run":
                self.run(command)
            elif name != "cancel":  # a cancel with nothing to cancel came too late: the answer is out already
                self.say(type="error", message="the command is not understood; send run or cancel, as a JSON line")

    def run(self, command: dict[str, Any]) -> None:
        self.current += 1
        try:
            lab = find_lab(str(command["lab"]))
            part, run, events = str(command["part"]), str(command["run"]), Path(str(command["events_path"]))
            knobs, executor = dict(command.get("set") or {}), command.get("executor")
            setting = make_setting(lab, part, run, int(command["seed"]), knobs, executor)
            computer = choose(setting)
            self.say(
                type="started",
                lab=lab.id,
                part=part,
                run=run,
                slots=setting.config.rows,
                kv_blocks=setting.config.kv_blocks,
                block_size=setting.config.block_size,
                requests=[
                    {"id": r.id, "prompt": r.prompt_len, "output": r.output_len, "tenant": r.tenant}
                    for r in setting.requests
                ],
                tokens=sum(setting.lengths()),
                executor=computer.name,
                device=computer.device,
                notice=computer.notice,
            )
            self.partial = events.with_name(f"{events.name}.{os.getpid()}.partial")
            reporter = Reporter(self)
            done = perform(lab, setting, events, str(command.get("at", "")), reporter, computer)
            reporter.flush()
        except Cancelled:
            self.say(type="cancelled")
        except (KeyError, TypeError, ValueError) as error:  # LabError is a ValueError
            what = str(error) if isinstance(error, LabError) else f"the run command is not complete ({error!r})"
            self.say(type="error", message=what)
        except (RuntimeError, MemoryError) as error:
            self.say(type="error", message=f"the run stopped: {error}")
        else:
            receipt = done.receipt.model_dump()
            self.say(type="done", receipt=receipt, notice=done.notice, wall_s=done.wall_s, scheduler_s=done.scheduler_s)
        finally:
            self.partial = None


class Reporter:
    """Collects events and sends them in few messages."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.waiting: list[dict[str, Any]] = []
        self.tokens = 0
        self.sent = time.monotonic()

    def __call__(self, event: StepEvent) -> None:
        if self.child.cancelled:
            raise Cancelled
        self.waiting.append(event.to_json())
        self.tokens += len(event.tokens)
        if time.monotonic() - self.sent >= 1 / MESSAGES_PER_S:
            self.flush()

    def flush(self) -> None:
        if self.waiting:
            self.child.say(type="step", events=self.waiting, done=self.tokens)
            self.waiting = []
        self.sent = time.monotonic()


def main() -> None:
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    # Whatever a library prints must not break the conversation: only `sink` writes to the real standard output.
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    child = Child(sys.stdin, sink)
    threading.Thread(target=child.listen, daemon=True).start()
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        child.serve()
    os._exit(0)


if __name__ == "__main__":
    main()
