"""The app on screen, in a real pty: home frame, keys to paint, memory; a minimal Textual app beside it in the same run.

Run `python -m benchmarks.tui`. Times are from the key (or the start of the process) to the moment the words are in the
terminal's input. Minimal and quizapp take turns, so a busy machine slows both; read the ratio. Goals: DESIGN section 4.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SIZE = (80, 24)
MINIMAL = """
from textual.app import App
from textual.widgets import Static
class Minimal(App):
    def compose(self):
        yield Static("a minimal app")
Minimal().run()
"""
FIRST_RUN = """
import sys
from pathlib import Path
from quizapp.study import Study
with Study.open(home=Path(sys.argv[1])) as study:
    study.save_settings(first_run_done=True, zone="UTC")
"""
LINES = "".join(f"line {n}: the engine reads its weights once for the whole batch.\n\n" for n in range(6))


class Pty:
    """A process on a pty of 80 × 24."""

    def __init__(self, command: Sequence[str], env: dict[str, str]) -> None:
        self._fd, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=child, stdout=child, stderr=child, env=env, cwd=ROOT, start_new_session=True
        )
        os.close(child)

    def until(self, words: bytes, seconds: float = 60.0) -> float:
        """The instant at which `words` had arrived."""
        seen = b""
        end = time.perf_counter() + seconds
        while words not in seen:
            if time.perf_counter() > end:
                raise TimeoutError(f"no {words!r} in {seen[-2000:]!r}")
            if select.select([self._fd], [], [], 0.5)[0]:
                seen += os.read(self._fd, 65536)
        return time.perf_counter()

    def quiet(self, seconds: float = 0.03) -> None:
        """Reads until nothing came for a while."""
        while select.select([self._fd], [], [], seconds)[0]:
            os.read(self._fd, 65536)

    def key(self, keys: str, words: bytes) -> float:
        """Milliseconds from the key to the words."""
        self.quiet()
        start = time.perf_counter()
        os.write(self._fd, keys.encode())
        return (self.until(words) - start) * 1000

    @property
    def megabytes(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 2**20

    @property
    def processor_ms(self) -> float:
        """Processor time so far, of all threads: says more than the clock where others use the machine too."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)
        os.close(self._fd)


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "QUIZAPP_HOME": str(home)}


def first_frame(command: Sequence[str], env: dict[str, str], words: bytes) -> tuple[float, float]:
    """Milliseconds by the clock and of the processor until `words` are there."""
    shown = Pty(command, env)
    try:
        return (shown.until(words) - shown.started) * 1000, shown.processor_ms
    finally:
        shown.close()


def serve(home: Path, questions: int) -> None:
    """The app over a bank of `questions` single-choice questions: what the key times are measured on."""
    from quizapp.bank.model import Bank
    from quizapp.bank.schema import Single
    from quizapp.clock import SystemClock
    from quizapp.store.location import locate
    from quizapp.store.opening import open_store
    from quizapp.study import Study
    from quizapp.tui.app import QuizApp

    why = LINES[:200]
    options = [{"id": "a", "text": "It reads them once for the batch", "correct": True, "why": why}] + [
        {"id": name, "text": f"Option {name} of the question", "why": why, "misconception": "m"} for name in "bcd"
    ]
    base = Single.model_validate(
        {
            "id": "q", "kind": "single", "style": "mechanism", "ask": "Why does batching pay?", "explain": LINES,
            "objectives": ["o"], "sources": ["s"], "as_of": "2026-06-01", "difficulty": 2, "options": options,
        }
    )  # fmt: skip
    names = [f"q{n:05}" for n in range(questions)]
    bank = Bank(
        questions={name: base.model_copy(update={"id": name, "ask": f"{name}: why does it pay?"}) for name in names},
        topic=dict.fromkeys(names, "batching"),
    )

    def open_study() -> Study:
        clock = SystemClock()
        opened = open_store(locate(home=home), clock.now())
        study = Study(opened.database, bank, clock, locate(home=home), opened.warnings)
        study.save_settings(first_run_done=True, zone="UTC", new_per_day=9999, learn_ahead_minutes=0)
        return study

    app = QuizApp(open_study)
    app.run()
    app.store.close()


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


Row = tuple[str, str, str, bool | None]


def frames(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        env = environment(Path(folder))
        subprocess.run([sys.executable, "-c", FIRST_RUN, folder], env=env, cwd=ROOT, check=True)
        minimal, home, usable = [], [], []
        for turn in range(rounds + 1):
            small = first_frame([sys.executable, "-c", MINIMAL], env, b"a minimal app")
            frame = first_frame([sys.executable, "-m", "quizapp"], env, b"day streak")
            counts = first_frame([sys.executable, "-m", "quizapp"], env, b"today 0 of")
            if turn:  # the first round warms the disk cache
                minimal.append(small)
                home.append(frame)
                usable.append(counts)
        shown = Pty([sys.executable, "-m", "quizapp"], env)
        shown.until(b"today 0 of")
        shown.quiet(0.5)
        memory = shown.megabytes
        shown.close()
    (small, small_cpu), (frame, frame_cpu), (counts, counts_cpu) = (
        [statistics.median(column) for column in zip(*samples, strict=True)] for samples in (minimal, home, usable)
    )
    return [
        ("minimal Textual app: first frame (processor)", f"{small:.0f} ({small_cpu:.0f}) ms", "", None),
        ("quizapp: home frame (processor)", f"{frame:.0f} ({frame_cpu:.0f}) ms", "<= 300 ms", frame <= 300),
        ("quizapp / minimal, by the clock", f"{frame / small:.2f} x", "<= 1.6 x", frame / small <= 1.6),
        ("quizapp / minimal, processor", f"{frame_cpu / small_cpu:.2f} x", "<= 1.6 x", frame_cpu / small_cpu <= 1.6),
        ("quizapp: home with its counts (processor)", f"{counts:.0f} ({counts_cpu:.0f}) ms", "", None),
        ("memory at home", f"{memory:.0f} MB", "<= 85 MB", memory <= 85),
    ]


def keys(questions: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        env = environment(Path(folder))
        shown = Pty([sys.executable, "-m", "benchmarks.tui", "--serve", folder], env)
        shown.until(b"today 0 of")
        shown.key("s", b"to choose")
        spent = shown.processor_ms
        choose, explain, following = [], [], []
        memory = {}
        for n in range(questions):
            choose.append(shown.key("1", b"How sure"))
            choose.append(shown.key("2", "▸".encode()))
            explain.append(shown.key("\r", b"rate it yourself"))
            following.append(shown.key("\r", b"to choose"))
            memory[n + 1] = shown.megabytes
        spent = (shown.processor_ms - spent) / questions
        shown.close()
    growth = memory[questions] - memory[min(60, questions)]
    fair = f"<= 5 MB in {questions - 60}"
    return [
        ("answer key to paint, median", f"{statistics.median(choose):.1f} ms", "", None),
        ("answer key to paint, p95", f"{p95(choose):.1f} ms", "<= 16 ms", p95(choose) <= 16),
        ("answer committed and explained, p95", f"{p95(explain):.1f} ms", "<= 60 ms", p95(explain) <= 60),
        ("next question, p95", f"{p95(following):.1f} ms", "<= 25 ms", p95(following) <= 25),
        ("processor time of a question: 4 keys, commit, 4 paints", f"{spent:.1f} ms", "", None),
        (f"memory after {min(60, questions)} questions", f"{memory[min(60, questions)]:.0f} MB", "", None),
        (f"growth from 60 to {questions} questions", f"{growth:.1f} MB", fair, growth <= 5),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--questions", type=int, default=360)
    parser.add_argument("--serve", metavar="HOME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(Path(options.serve), options.questions + 10)
        return
    for what, value, goal, reached in [*frames(options.rounds), *keys(options.questions)]:
        verdict = "" if reached is None else "ok" if reached else "MISSED"
        print(f"{what:<56} {value:>16}  {goal:<18} {verdict}", flush=True)


if __name__ == "__main__":
    main()
