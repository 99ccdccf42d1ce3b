"""Opening the app in this terminal: what both `quizapp` alone and its Typer command do. Imports nothing heavy."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def open_app(db: str | None = None, banks: Sequence[Path] = ()) -> int:
    """Runs the app and returns its exit code: 2 when there is no terminal to draw on."""
    from quizapp.tui.environment import prepare, refusal

    reason = refusal()
    if reason:
        print(reason, file=sys.stderr)
        return 2
    prepare()
    from quizapp.clock import clock_from_environment
    from quizapp.tui.app import run

    return run(db, banks, clock_from_environment())
