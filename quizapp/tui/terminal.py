"""The terminal under the app: colours when they are wanted, and a hang-up noticed."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter


class WithoutColor(LineFilter):
    """For NO_COLOR: keeps bold and underline, sends no colour sequence at all."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text, style.without_color if style else None, control) for text, style, control in segments]


def hung_up() -> bool:
    """Whether standard input is at its end for good: the window is closed or the connection dropped.

    Textual's input thread would spin on such a terminal for ever.
    """
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    try:
        poll.register(sys.stdin.fileno(), select.POLLIN)
    except (ValueError, OSError):
        return False
    return any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


def leave_with_the_terminal(code: int, grace_s: float = 5.0) -> threading.Event:
    """Ends the process for certain once its terminal has been gone for `grace_s` seconds.

    The app leaves by itself within a second of a hang-up. But where the thread that writes to the terminal has died
    with it, its full queue holds up the main thread, and neither a timer nor a signal handler of the loop runs any
    more. Setting the event that is returned calls the watch off.
    """
    done = threading.Event()

    def watch() -> None:
        while not done.wait(1.0):
            if hung_up() and not done.wait(grace_s) and hung_up():
                os._exit(code)

    threading.Thread(target=watch, name="terminal-watch", daemon=True).start()
    return done


def let_go() -> None:
    """After the terminal is gone: what is still buffered goes nowhere, so that the exit code stays ours."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
