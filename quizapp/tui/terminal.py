"""The terminal under the app: colours when they are wanted, and a hang-up noticed."""

from __future__ import annotations

import contextlib
import os
import select
import sys

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


def let_go() -> None:
    """After the terminal is gone: what is still buffered goes nowhere, so that the exit code stays ours."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
