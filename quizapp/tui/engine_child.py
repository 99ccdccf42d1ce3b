"""The engine in a process of its own, spoken to in JSON lines (`python -m labs.child`).

A busy Python thread makes keys four times slower; a child does not. It ends by itself when its standard input closes,
so nothing is left behind however the app ends; `stop` ends it at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from typing import Any

LONGEST_LINE = 64 * 2**20
SLICE = 200
"""Events handed on before keys get their turn."""
GRACE_S = 0.5
"""How long a child that was told to stop may take, to put its half-written log away, before it is killed."""
LAST_GRACE_S = 0.2
"""The same when the app ends and somebody waits for it."""

Hear = Callable[[Mapping[str, Any]], None]
Steps = Callable[[Sequence[Mapping[str, Any]]], None]


class EngineChild:
    """One child, started with its first run. `hear` gets its messages, `steps` the events of the run, in order.

    After `stop` neither is called again. A child that dies is a message `{"type": "error"}` as well.
    """

    def __init__(self, hear: Hear, steps: Steps) -> None:
        self._hear = hear
        self._steps = steps
        self._process: Process | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False
        self._last_words = ""
        self.running = False

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def run(self, request: Mapping[str, Any]) -> None:
        """Begins a run: `request` is what `labs.child` understands. Returns at once."""
        self.running = True
        self._spawn(self._run({"cmd": "run", **request}))

    def stop(self) -> None:
        """Ends the child: politely, and after GRACE_S by force. What it still says is not heard."""
        self._stopped, self.running = True, False
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            self._spawn(_end(process))

    async def close(self) -> None:
        """Ends the child now, and waits until it is gone: for when the app ends."""
        self._stopped, self.running = True, False
        process, self._process = self._process, None
        if process is not None:
            await _end(process, LAST_GRACE_S)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, request: Mapping[str, Any]) -> None:
        try:
            process = self._process or await self._start()
            if process is None:
                return
            assert process.stdin is not None
            process.stdin.write((json.dumps(request) + "\n").encode())
            await process.stdin.drain()
        except OSError as error:
            self._fail(f"The engine could not be started ({error.strerror or error}); free some memory and run again.")

    async def _start(self) -> Process | None:
        # A session of its own: a terminal that closes would kill it before it has put away its half-written log.
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "labs.child"),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=LONGEST_LINE,
            start_new_session=True,
        )
        if self._stopped:
            await _end(process)
            return None
        self._process = process
        self._spawn(self._read(process))
        self._spawn(self._read_errors(process))
        return process

    async def _read(self, process: Process) -> None:
        assert process.stdout is not None
        while raw := await process.stdout.readline():
            if self._stopped:
                return
            try:
                message = json.loads(raw)
            except json.JSONDecodeError:
                continue  # a line that some library printed
            if isinstance(message, dict):
                await self._take(message)
        code = await process.wait()
        if self.running and not self._stopped:
            words = self._last_words or f"exit code {code}"
            self._process = None
            self._fail(f"The engine stopped before the run was done ({words}). Nothing is lost; run it again.")

    async def _read_errors(self, process: Process) -> None:
        """Keeps the pipe empty and the last line said."""
        assert process.stderr is not None
        while raw := await process.stderr.readline():
            self._last_words = raw.decode("utf-8", "replace").strip() or self._last_words

    async def _take(self, message: Mapping[str, Any]) -> None:
        if message.get("type") == "step":
            events = message.get("events", [message])
            for at in range(0, len(events), SLICE):
                if self._stopped:
                    return
                self._steps(events[at : at + SLICE])
                await asyncio.sleep(0)
            return
        if message.get("type") in ("done", "error"):
            self.running = False
        self._hear(message)

    def _fail(self, words: str) -> None:
        self.running = False
        if not self._stopped:
            self._hear({"type": "error", "message": words})


async def _end(process: Process, grace_s: float = GRACE_S) -> None:
    """Closing its input ends the child; after the grace it is killed."""
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.write(b'{"cmd":"cancel"}\n')
            process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), grace_s)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
