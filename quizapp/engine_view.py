"""How a run of the engine shows itself on a terminal: progress, event log, remarks, a table, prose."""

from __future__ import annotations

import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from quizapp.output import fail, note

if TYPE_CHECKING:
    from labs.engine import Engine, JsonlSink, RunResult, StepEvent

SHOW_PROGRESS_AFTER_S = 1.0
_REFRESH_S = 0.1
_SHOWN_REMARKS = 5


class Progress:
    """A bar on standard error for runs of more than a second; nothing when that is no terminal."""

    def __init__(self, total: int | None) -> None:
        self._total, self._done = total, 0
        self._next = time.monotonic() + SHOW_PROGRESS_AFTER_S
        self._bar: Any = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def see(self, event: StepEvent) -> None:
        for action in (*event.before, *event.after):
            self._done += action[0] in ("finish", "refuse")
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _REFRESH_S
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, step=f"step {event.step:,}")
        elif sys.stderr is not None and sys.stderr.isatty():
            self._start()

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("requests"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[step]}"))
        self._bar = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("run", total=self._total, completed=self._done, step="")
        for name in ("SIGTERM", "SIGHUP"):  # the bar hides the cursor: whoever ends us must not leave it hidden
            number = getattr(signal, name, None)
            if number is not None:
                self._handlers[number] = signal.signal(number, _leave)
        self._bar.start()


def _leave(number: int, _: object) -> None:
    sys.exit(128 + number)


class EventLog:
    """The event log in a file. A disk that is full ends the run in one sentence, also when it shows only at the end."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self._path, self._about = path, about
        self._sink: JsonlSink | None = None
        self._stream: TextIO

    def __enter__(self) -> EventLog:
        try:
            self._stream = self._path.open("w", encoding="utf-8")
        except OSError as error:
            self._fail(error)
        return self

    def begin(self, engine: Engine) -> None:
        from labs.engine import JsonlSink

        try:
            self._sink = JsonlSink(self._stream, asdict(engine.config), **self._about)
        except OSError as error:
            self._fail(error)

    def see(self, event: StepEvent) -> None:
        if self._sink is None:
            return
        try:
            self._sink(event)
        except OSError as error:
            self._sink = None  # nothing more is written
            self._fail(error)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self._stream.close()
        except OSError as error:
            if kind is None:  # otherwise it has been said
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        fail(f"{self._path}: cannot write the event log ({error.strerror or error})")


class Remarks:
    """Why requests were refused or failed: the first few sentences, and how many more there are."""

    def __init__(self) -> None:
        self._sentences: list[str] = []
        self._more = 0

    def see(self, event: StepEvent) -> None:
        for action in (*event.before, *event.after):
            if action[0] in ("refuse", "finish") and action[3]:
                if len(self._sentences) < _SHOWN_REMARKS:
                    self._sentences.append(f"{action[2]}: {action[3]}")
                else:
                    self._more += 1

    def say(self) -> None:
        for sentence in self._sentences:
            note(sentence)
        if self._more:
            note(f"... and {self._more:,} more; --events FILE has them all")


def table(result: RunResult, document: dict[str, Any]) -> None:
    """Two tables, counts and latencies, with the definition of every number."""
    from rich.table import Table

    from labs.engine import DEFINITIONS
    from labs.engine.report import LATENCY_COLUMNS, latencies, rows

    config = result.config
    title = f"{config.scheme}, {config.policy}, {config.rows} slots, {document['executor']}, {document['clock']} clock"
    counts = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    counts.add_column("", no_wrap=True)
    counts.add_column("value", overflow="fold")  # on a narrow terminal everything folds, nothing is cut
    counts.add_column("what it means", style="dim", overflow="fold")
    for row in rows(document):
        counts.add_row(*row)
    counts.add_row("wall_s", f"{result.wall_s:.2f}", "this machine's time; judged by nothing")
    spread = Table(show_edge=False, pad_edge=False)
    spread.add_column("ms", no_wrap=True)
    for column in LATENCY_COLUMNS:
        spread.add_column(column, justify="right", overflow="fold")
    times = latencies(document)
    for line in times:
        spread.add_row(*line)
    console = _console(120)
    console.print(counts)
    if times:
        console.print()
        console.print(spread)
        for name in (*(line[0] for line in times), "percentiles"):
            console.print(f"{name}: {DEFINITIONS[name]}", style="dim")
    for output in document.get("outputs") or ():
        print(*output)


def prose(result: RunResult, document: dict[str, Any]) -> None:
    """The same run told to a newcomer."""
    from labs.engine.report import explain

    _console(100).print(explain(result.config, document, document["clock"]))


def _console(width: int) -> Any:
    """Standard output: as wide as the terminal, or as `width` where there is none."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise  # Rich would end the program with exit code 1; for us a reader that left is no failure

    return Output(width=None if sys.stdout.isatty() else width, markup=False, highlight=False)
