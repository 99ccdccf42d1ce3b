"""A run of the engine in sight: live while it computes, afterwards to play, pause, step through and go back."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.timer import Timer

from quizapp.tui import lab_panels, lab_words
from quizapp.tui.lab_bench import Bench
from quizapp.tui.lab_player import TICKS_PER_S
from quizapp.tui.lab_recording import MS, Recording
from quizapp.tui.text import Block, line, styled
from quizapp.tui.widgets.flow import Flow


class RunPane(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Draws what lies on the bench, a few times a second at most. Hidden, it draws nothing."""

    DEFAULT_CSS = """
    RunPane { height: 1fr; padding: 0 2 0 3; scrollbar-size-vertical: 1; }
    RunPane #status { height: 1; margin-bottom: 1; }
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(classes="scrolls")
        self.bench = bench
        self.view: Any = None
        """The lab that the run belongs to, a LabView."""
        self._timer: Timer | None = None
        self._drawn = 0
        """Columns of the last painting."""

    def compose(self) -> ComposeResult:
        yield Flow(id="status")
        yield Flow(id="live")

    def on_mount(self) -> None:
        self._timer = self.set_interval(1 / TICKS_PER_S, self._tick, pause=True)

    def on_resize(self) -> None:
        if self._room() != self._drawn:  # the box or the scroll bar took columns, or gave them back
            self.paint()

    def wake(self) -> None:
        """Steps have come, or the player was started."""
        if self._timer is not None:
            self._timer.resume()

    def _tick(self) -> None:
        recording = self.bench.recording
        if recording is not None and self.bench.player.tick(recording.steps):
            self.paint()
        elif not self.bench.running and self._timer is not None:
            self._timer.pause()

    def play(self) -> None:
        if self.bench.recording is not None:
            self.bench.player.toggle(self.bench.recording.steps, self.bench.finished)
            self.wake()
            self.paint()

    def seek(self, delta: int) -> None:
        if self.bench.recording is not None:
            self.bench.player.move(delta, self.bench.recording.steps)
            self.paint()

    def faster(self, delta: int) -> None:
        self.bench.player.faster(delta)
        self.paint()

    def zoom(self) -> None:
        self.bench.player.close = not self.bench.player.close
        self.paint()

    def paint(self) -> None:
        recording = self.bench.recording
        if recording is None or self.view is None or not self.display:
            return
        player, width = self.bench.player, self._room()
        self._drawn = width
        look = lab_panels.Look(player.at, width, player.close, tuple(self.view.lab.panels), self.bench.config)
        part, run = self.bench.shown or ("", "")
        receipt = self.view.receipt(part, run) if self.bench.finished else None
        note = [Block(line(self.bench.note, "$muted"))] if self.bench.note else []
        self.query_one("#status", Flow).show([self._status(recording, player.at)])
        self.query_one("#live", Flow).show([*lab_panels.live(recording, look), *note, *lab_words.figures(receipt)])

    def _room(self) -> int:
        return max(20, self.scrollable_content_region.width - 1)

    def _status(self, recording: Recording, at: int) -> Block:
        part, run = self.bench.shown or ("", "")
        title = next((one.title for one in self.view.lab.part_runs(part) if one.id == run), run)
        clock = recording.end_ns[at - 1] / MS / 1000 if at else 0.0
        if not at and not self.bench.finished:
            return Block(line(title, "bold") + styled("  starting the engine …", "$muted"), wrap=False)
        words = f"  step {at:,} of {recording.steps:,}, {clock:,.2f} s, "
        words += self.bench.player.words(recording.steps, self.bench.finished)
        return Block(line(title, "bold") + styled(words, "$muted"), wrap=False)
