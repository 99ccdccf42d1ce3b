"""Reading both clocks of the exam timer: the wall, and time since boot, which a changed wall clock does not move."""

from __future__ import annotations

import os
import sys
import time
from functools import cache
from pathlib import Path

from quizapp.clock import Clock, SystemClock
from quizapp.exam.timer import Instant

UPTIME = "QUIZAPP_UPTIME"
"""For tests: names a file that holds `<boot id> <seconds since boot>` and replaces the machine's own clock."""


def read_instant(clock: Clock) -> Instant:
    """Now on both clocks. Where `clock` is one that a test sets by hand, its time is the boot time too."""
    wall = clock.now()
    file = os.environ.get(UPTIME)
    if file:
        name, _, seconds = Path(file).read_text("utf-8").strip().partition(" ")
        return Instant(wall=wall, boot_s=float(seconds), boot_id=name)
    if not isinstance(clock, SystemClock):
        return Instant(wall=wall, boot_s=wall.timestamp(), boot_id="set by hand")
    return Instant(wall=wall, boot_s=_since_boot(), boot_id=_boot_id())


def _since_boot() -> float:
    """Seconds since boot, sleep included: CLOCK_BOOTTIME on Linux; CLOCK_MONOTONIC counts sleep on macOS."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.monotonic()


@cache
def _boot_id() -> str:
    """Names this boot. Where the system does not say, this process: after a restart the wall clock decides."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return f"process {os.getpid()} {time.time_ns()}"
