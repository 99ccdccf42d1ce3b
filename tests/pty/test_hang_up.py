"""An app whose main thread is held up when its terminal goes must still end, with the exit code of a hang-up."""

import os
import pty
import sys
import time

HELD_UP = """
import signal, sys, threading
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from quizapp.tui.terminal import leave_with_the_terminal
leave_with_the_terminal(129, grace_s=0.1)
print("ready", flush=True)
threading.Event().wait(60)
"""


def test_a_held_up_app_ends_when_its_terminal_is_gone():
    pid, master = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", HELD_UP])
    seen = b""
    while b"ready\r\n" not in seen:
        seen += os.read(master, 1024)
    began = time.monotonic()
    os.close(master)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 129, seen
    assert time.monotonic() - began < 50, "it was let go by its own end, not by the watch"
