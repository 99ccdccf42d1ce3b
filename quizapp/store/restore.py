"""Going back to a backup. What is replaced is kept: as a backup when it is sound, set aside when it is not."""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import datetime
from pathlib import Path

from quizapp.store.backup import check_copy, copy_database, make_backup, set_aside
from quizapp.store.database import BUSY_TIMEOUT_MS, sentence_for
from quizapp.store.errors import StoreError
from quizapp.store.location import Location
from quizapp.store.migrate import newest_version, stored_version


def restore(location: Location, source: Path, now: datetime) -> Path | None:
    """Puts the backup `source` in the store's place; returns where the replaced store is kept (None: there was none).

    Raises StoreError, and changes nothing, when `source` is not a sound store that this program can read.
    """
    _check(location, source)
    if not location.file.exists() or location.file.stat().st_size == 0:
        copy_database(source, location.file)
        return None
    try:
        check_copy(location.file)
    except StoreError:
        kept = set_aside(location, now, "damaged")
        copy_database(source, location.file)
        return kept
    kept = make_backup(location, now, "restore")
    try:
        # SQLite's backup into the live file: other programs that have it open see the old or the new store, whole.
        with (
            contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
            contextlib.closing(sqlite3.connect(location.file, timeout=BUSY_TIMEOUT_MS / 1000)) as live,
        ):
            live.execute("PRAGMA synchronous = FULL")
            old.backup(live)
    except sqlite3.Error as error:
        raise sentence_for(error, location.file) from error
    return kept


def _check(location: Location, source: Path) -> None:
    if not source.is_file():
        raise StoreError(f"There is no backup {source}; 'quizapp restore' without a name lists them.")
    if location.file.exists() and source.samefile(location.file):
        raise StoreError(f"{source} is the store itself; name one of its backups.")
    check_copy(source)
    try:
        with contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            version = stored_version(connection)
    except LookupError:
        version = None
    if version is None:
        raise StoreError(f"{source} is not a quizapp store; choose another backup.")
    if version > newest_version():
        raise StoreError(f"{source} was written by a newer quizapp (version {version}); update quizapp first.")
