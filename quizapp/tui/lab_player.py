"""Playing a recording: where one looks, how fast it moves on, how close one looks. Pure; a timer calls `tick`."""

from __future__ import annotations

from dataclasses import dataclass

TICKS_PER_S = 8
SPEEDS = (("slow", 1), ("normal", 5), ("fast", 25), ("live", 0))
"""(name, steps a tick). Live catches up with the newest step, however far it is ahead."""
LIVE = len(SPEEDS) - 1


@dataclass
class Player:
    """`at` is the step that is shown; 0 is before the first."""

    at: int = 0
    playing: bool = True
    speed: int = LIVE
    close: bool = False
    """One column a step, the newest ones, instead of the whole run."""

    def tick(self, steps: int) -> bool:
        """Moves on towards step `steps`; whether something changed."""
        if not self.playing or self.at >= steps:
            return False
        each = SPEEDS[self.speed][1] or max(2, (steps - self.at) // 6)
        self.at = min(steps, self.at + each)
        return True

    def toggle(self, steps: int, done: bool) -> None:
        """Play or pause. A run that is done plays from the beginning at its end, and never in a second as live does."""
        at_end = done and self.at >= steps
        self.playing = not self.playing or at_end
        if at_end:
            self.at = 0
        if done:
            self.speed = min(self.speed, LIVE - 1)

    def move(self, delta: int, steps: int) -> None:
        """Goes some steps forward or back, and stays there."""
        self.playing = False
        self.at = min(max(self.at + delta, min(1, steps)), steps)

    def faster(self, delta: int) -> None:
        self.speed = min(max(self.speed + delta, 0), LIVE)

    def words(self, steps: int, done: bool) -> str:
        if not self.playing or (done and self.at >= steps):
            return "end" if done and self.at >= steps else "paused"
        return f"playing, {SPEEDS[self.speed][0]}"
