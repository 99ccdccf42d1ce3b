"""The exam clock: a deadline that sleep, kills and clock changes neither stretch nor cut.

Elapsed time is measured on a clock that also runs while the machine sleeps (boot time) as long as the machine has not
been restarted; across a restart the wall clock decides, and a wall clock that went back counts as no time at all.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict


class Instant(BaseModel):
    """One reading of both clocks. `boot_s` counts seconds since boot, sleep included; `boot_id` names the boot."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    wall: datetime
    boot_s: float
    boot_id: str


class Timer(BaseModel):
    """Time left at the last reading."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    limit_s: float
    spent_s: float
    last: Instant
    clock_moved: bool = False
    """The wall clock was seen to jump against boot time; shown to the candidate, without effect on the deadline."""

    @property
    def left_s(self) -> float:
        return max(0.0, self.limit_s - self.spent_s)

    @property
    def over(self) -> bool:
        return self.spent_s >= self.limit_s


def start_timer(minutes: float, now: Instant) -> Timer:
    return Timer(limit_s=minutes * 60, spent_s=0.0, last=now)


def advance(timer: Timer, now: Instant) -> Timer:
    """The timer at `now`. Time never runs backwards."""
    wall_s = (now.wall - timer.last.wall) / timedelta(seconds=1)
    if now.boot_id == timer.last.boot_id:
        passed = max(0.0, now.boot_s - timer.last.boot_s)
        moved = abs(wall_s - passed) > 5.0
    else:
        passed, moved = max(0.0, wall_s), wall_s < 0
    return timer.model_copy(
        update={"spent_s": timer.spent_s + passed, "last": now, "clock_moved": timer.clock_moved or moved}
    )
