"""Files that a command is told to write: a learner's own file of that name is never overwritten."""

from __future__ import annotations

from pathlib import Path

from quizapp.output import fail

BEGINS = {
    "event log": (b'{"event":"run"',),
    "page": (b"<!doctype html>",),
    "picture": (b"<?xml",),
    "review log": (b'{"review_id"', b"review_id,"),
}
"""What each kind of output begins with."""


def keep_others(path: Path, what: str) -> None:
    """Ends the command (exit code 2) when `path` is a file that is neither empty nor an earlier output of this kind."""
    try:
        if not path.is_file():
            return
        with path.open("rb") as file:
            start = file.read(20)
    except OSError as error:
        fail(f"{path} cannot be read ({error.strerror or error}); give another file.", 2)
    if start and not start.startswith(BEGINS[what]):
        fail(f"{path} exists and is no {what}, so it is not overwritten; give another file, or remove it first.", 2)
