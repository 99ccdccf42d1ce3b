"""A real terminal for the app: a pty, its output kept and replayed into an emulated screen."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyte

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0
"""Seconds to wait for something before the test fails. Nothing is asserted about speed."""

MODES_LEFT = {
    "alternate screen": (r"\x1b\[\?1049h", r"\x1b\[\?1049l"),
    "mouse": (r"\x1b\[\?1003h", r"\x1b\[\?1003l"),
    "bracketed paste": (r"\x1b\[\?2004h", r"\x1b\[\?2004l"),
    "hidden cursor": (r"\x1b\[\?25l", r"\x1b\[\?25h"),
    "focus reports": (r"\x1b\[\?1004h", r"\x1b\[\?1004l"),
}


class Terminal:
    """Starts `command` in its own session on a pty of `size` (columns, rows).

    Without `controlling` the kernel sends no SIGHUP when the line is cut, as under some supervisors.
    """

    def __init__(
        self, command: Sequence[str], env: dict[str, str], size: tuple[int, int] = (80, 24), controlling: bool = True
    ) -> None:
        self.output = b""
        self.screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self._fd, child = pty.openpty()
        self.resize(*size)
        self.attributes = termios.tcgetattr(child)
        self.process = subprocess.Popen(
            command, stdin=child, stdout=child, stderr=child, env=env, cwd=ROOT, start_new_session=True,
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controlling else None,
        )  # fmt: skip
        self._child = child

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)
        if hasattr(self, "process"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGWINCH)

    def send(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def read(self, seconds: float = 0.05) -> bytes:
        """What came within `seconds` at most."""
        if not select.select([self._fd], [], [], seconds)[0]:
            return b""
        try:
            got = os.read(self._fd, 65536)
        except OSError:
            return b""
        self.output += got
        with contextlib.suppress(Exception):  # the emulator is older than some sequences
            self._stream.feed(re.sub(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p", b"", got))
        return got

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, what: Callable[[], bool], words: str, seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not what():
            self.read()
            assert time.monotonic() < end, f"waited in vain for {words}; the screen shows:\n{self.text}"

    def see(self, words: str) -> None:
        self.wait(lambda: words in self.text, repr(words))

    def settle(self) -> None:
        """Reads until nothing has come for a while, but no longer than a cursor needs to blink a few times."""
        end = time.monotonic() + 5
        while self.read(0.3) and time.monotonic() < end:
            pass

    def end(self) -> int:
        """Waits for the end and returns the exit code as a shell gives it."""
        self.wait(lambda: self.process.poll() is not None, "the end of the app")
        while self.read(0.1):
            pass
        code = self.process.returncode
        return 128 - code if code < 0 else code

    def left_behind(self) -> list[str]:
        """What the app has not put back: terminal attributes and modes."""
        out = [] if termios.tcgetattr(self._child)[:4] == self.attributes[:4] else ["terminal attributes"]
        text = self.output.decode("utf-8", "replace")
        for name, (on, off) in MODES_LEFT.items():
            switched = [found.group() for found in re.finditer(f"{on}|{off}", text)]
            if switched and not re.fullmatch(off, switched[-1]):
                out.append(name)
        return out

    def hang_up(self) -> None:
        """The window is gone: the other end of the line is closed."""
        os.close(self._fd)
        self._fd = -1

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for fd in (self._fd, self._child):
            if fd >= 0:
                os.close(fd)


def app_command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "quizapp", *arguments]


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """Nothing of the tester's terminal, a store of its own, a clock that stands still."""
    keep = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "SYSTEMROOT") if name in os.environ}
    return keep | {"TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC", "QUIZAPP_HOME": str(home)} | more
