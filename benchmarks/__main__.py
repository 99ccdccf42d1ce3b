"""`make bench`: the benchmarks that take minutes, one after another, each in a process of its own.

The torch engine beside its peers (`python -m benchmarks.engine`) needs the `bench` extra and most of an hour, so it is
run by name, as are the simulations of `make prove` (`benchmarks.readiness`, `benchmarks.exam_date`).
"""

from __future__ import annotations

import subprocess
import sys

PARTS = ("tui", "store", "progress", "screens", "virtual")


def main() -> int:
    failed = []
    for part in sys.argv[1:] or PARTS:
        print(f"\n== benchmarks.{part}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{part}"]).returncode:
            failed.append(part)
    if failed:
        print(f"could not be run: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
