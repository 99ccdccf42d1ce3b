"""Whole copies of the store, made with SQLite's own backup so that a copy is always of one moment."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from quizapp.store.database import sentence_for
from quizapp.store.errors import DiskFull, StoreError
from quizapp.store.location import Location

KEEP = {"daily": 10, "migration": 5, "restore": 5}
"""How many backups of each reason are kept; those made by hand are never removed."""
_NAME = re.compile(r"quizapp-(\d{8}-\d{6})(?:-(\d+))?-([a-z]+)\.db")


@dataclass(frozen=True)
class Backup:
    file: Path
    made: str
    """`YYYYMMDD-HHMMSS`, UTC."""
    reason: str


def list_backups(location: Location) -> list[Backup]:
    """Newest first."""
    found = []
    if location.backups.is_dir():
        for file in location.backups.iterdir():
            match = _NAME.fullmatch(file.name)
            if match:
                found.append((match[1], int(match[2] or 0), Backup(file, match[1], match[3])))
    return [backup for *_, backup in sorted(found, key=lambda item: item[:2], reverse=True)]


def check_copy(file: Path) -> None:
    """Raises StoreError unless `file` is a sound SQLite database."""
    try:
        with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise StoreError(f"{file} is not a sound store ({error}); choose another backup.") from error
    if found != "ok":
        raise StoreError(f"{file} is not a sound store ({found}); choose another backup.")


def copy_database(source: Path, target: Path) -> None:
    """Copies a live database to `target`, which appears only when it is whole and on the disk."""
    partial = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.unlink(missing_ok=True)
        with (
            contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as live,
            contextlib.closing(sqlite3.connect(partial)) as copy,
        ):
            live.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, no companions
        with partial.open("rb") as handle:
            os.fsync(handle.fileno())
        partial.replace(target)
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise StoreError(f"No backup could be written to {target} ({_why(error, source, target)}).") from error


def _why(error: sqlite3.Error | OSError, source: Path, target: Path) -> str:
    """The store was there a moment ago: what cannot be opened, or is full, is where the copy was to go."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if "unable to open" in str(error):
        return "check that its folder exists and that you may write to it"
    said = sentence_for(error, source)
    return str(sentence_for(error, target) if isinstance(said, DiskFull) else said)


def make_backup(location: Location, now: datetime, reason: str, target: Path | None = None) -> Path:
    """Copies the store into its backup folder (or to `target`) and lets the oldest of the same reason go."""
    if target is None:
        stamp = now.strftime("%Y%m%d-%H%M%S")
        target = location.backups / f"quizapp-{stamp}-{reason}.db"
        count = 1
        while target.exists():
            target = location.backups / f"quizapp-{stamp}-{count}-{reason}.db"
            count += 1
    elif target.exists():
        raise StoreError(f"{target} exists already; choose another name or remove it first.")
    copy_database(location.file, target)
    same = [b for b in list_backups(location) if b.reason == reason]
    for old in same[KEEP.get(reason, len(same)) :]:
        with contextlib.suppress(OSError):
            old.file.unlink()
    return target


def set_aside(location: Location, now: datetime, why: str) -> Path:
    """Renames the database and its companions to `….WHY-TIME`; nothing is deleted. Returns the new name."""
    stamp = now.strftime("%Y%m%d-%H%M%S")
    aside = location.file.with_name(f"{location.file.name}.{why}-{stamp}")
    count = 1
    while aside.exists():
        aside = location.file.with_name(f"{location.file.name}.{why}-{stamp}-{count}")
        count += 1
    for suffix in ("-wal", "-shm", ""):
        part = location.file.with_name(location.file.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside


def way_back(location: Location) -> str:
    """What to do after damage, in a sentence."""
    backups = list_backups(location)
    if not backups:
        return f"There is no backup in {location.backups}."
    return f"The newest backup is {backups[0].file}; go back to it with: quizapp restore {backups[0].file}"
