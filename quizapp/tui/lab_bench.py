"""The bench of a lab: the run in progress in its child process, the recordings so far, and the one in sight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quizapp.tui.engine_child import EngineChild
from quizapp.tui.lab_player import Player
from quizapp.tui.lab_recording import Recording

Key = tuple[str, str]
"""(part, run)"""


def empty_recording(config: Mapping[str, Any]) -> Recording:
    """A recording for a run with these engine settings."""
    rows = 1 if config["scheme"] == "sequential" else config["slots"]
    return Recording(rows, config["scheme"] == "static")


class Bench:
    """`hear` gets what the child says besides steps; `moved` is called when steps have arrived."""

    def __init__(self, hear: Callable[[Mapping[str, Any]], None], moved: Callable[[], None]) -> None:
        self._hear = hear
        self._moved = moved
        self._kept: dict[Key, tuple[Recording, dict[str, Any]]] = {}
        self._notes: dict[Key, str] = {}
        self._child: EngineChild | None = None
        self.shown: Key | None = None
        self.player = Player()
        self.plan: Any = None
        """The run in progress, a RunPlan."""

    @property
    def running(self) -> bool:
        return self.plan is not None

    @property
    def recording(self) -> Recording | None:
        return self._kept[self.shown][0] if self.shown is not None else None

    @property
    def config(self) -> dict[str, Any]:
        return self._kept[self.shown][1] if self.shown is not None else {}

    @property
    def finished(self) -> bool:
        """Whether the run that is looked at has ended."""
        return not (self.running and self.shown == (self.plan.part, self.plan.run))

    @property
    def child_pid(self) -> int | None:
        return self._child.pid if self._child is not None else None

    @property
    def note(self) -> str:
        """What was said of the run in sight: how long it took, and if it was not computed as asked."""
        return self._notes.get(self.shown, "") if self.shown is not None else ""

    def say(self, words: str) -> None:
        """A note to the run in progress."""
        if self.plan is not None:
            self._notes[(self.plan.part, self.plan.run)] = words.strip()

    def has(self, part: str, run: str) -> bool:
        return (part, run) in self._kept

    def start(self, plan: Any) -> None:
        self.plan = plan
        self.put(plan.part, plan.run, empty_recording(plan.config), dict(plan.config))
        self.player = Player(close=self.player.close)
        if self._child is None:
            self._child = EngineChild(self._hear, self._steps)
        self._child.run(plan.request)

    def _steps(self, events: Sequence[Mapping[str, Any]]) -> None:
        if self.plan is not None:
            recording = self._kept[(self.plan.part, self.plan.run)][0]
            for event in events:
                recording.add(event)
            self._moved()

    def put(self, part: str, run: str, recording: Recording, config: dict[str, Any]) -> None:
        """Lays a recording on the bench and looks at it."""
        self._kept[(part, run)] = (recording, config)
        self.shown = (part, run)
        self.player = Player(at=recording.steps, playing=False, close=self.player.close)

    def look(self, part: str, run: str) -> None:
        """Looks at another recording, at its end; nothing changes for the one in sight."""
        if self.shown != (part, run):
            self.shown = (part, run)
            steps = self._kept[self.shown][0].steps
            self.player = Player(at=steps, playing=False, close=self.player.close)

    def done(self, more: bool) -> None:
        """The run has ended well; the child stays for the next one if there is `more` to do."""
        self.plan = None
        if not more:
            self._end_child()

    def give_up(self) -> None:
        """Ends the run in progress and forgets its steps."""
        if self.plan is not None:
            self._kept.pop((self.plan.part, self.plan.run), None)
            self.plan = self.shown = None
            if self._kept:
                self.look(*next(reversed(self._kept)))
        self._end_child()

    def clear(self, part: str | None = None) -> None:
        """Forgets recordings, of one part or all; a run in progress is given up."""
        self.give_up()
        self._kept = {key: kept for key, kept in self._kept.items() if part is not None and key[0] != part}
        self.shown = None
        if self._kept:
            self.look(*next(reversed(self._kept)))

    async def close(self) -> None:
        """For when the app ends: returns when no engine is left."""
        if self._child is not None:
            await self._child.close()
            self._child = None

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.stop()
            self._child = None
