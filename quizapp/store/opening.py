"""Opening a store safely: look first, back up, migrate, and only then hand out a Database."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from quizapp.store.backup import list_backups, make_backup, set_aside, way_back
from quizapp.store.database import BUSY_TIMEOUT_MS, Database, sentence_for
from quizapp.store.errors import Damaged, DiskFull, StoreError
from quizapp.store.location import Location
from quizapp.store.migrate import newest_version, stored_version, upgrade

MAGIC = b"SQLite format 3\x00"
QUICK_CHECK_BYTES = 16 * 2**20
"""Stores up to this size are checked page by page at every opening (about 2 ms a MB)."""


@dataclass
class Opened:
    database: Database
    warnings: list[str] = field(default_factory=list)


def open_store(location: Location, now: datetime) -> Opened:
    """Raises StoreError with one sentence when the store is newer, foreign, damaged, locked, or cannot be made.

    A store that can be read but not written, as on a full disk, is opened read-only, with a warning.
    """
    file = location.file
    warnings: list[str] = []
    if not file.exists():
        warnings += _lost(location)
        _create(file)
    elif os.access(file, os.R_OK) and file.stat().st_size == 0:
        warnings += _lost(location)
    read_only = not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))
    try:
        version = look(file)
    except DiskFull as error:
        return _on_a_full_disk(file, error, warnings)
    except Damaged as error:
        raise _aside(location, now, read_only, str(error)) from error
    if version is not None and version > newest_version():
        raise StoreError(
            f"The store {file} was written by a newer quizapp (its version {version}, this program knows "
            f"{newest_version()}); update quizapp, or choose another store with --db. It was left untouched."
        )
    if read_only:
        if version != newest_version():
            raise StoreError(
                f"The store {file} must be brought up to date (version {version} to {newest_version()}) but cannot be "
                "written; make it and its folder writable, or choose another with --db or QUIZAPP_HOME."
            )
        warnings.append(f"The store {file} cannot be written: it is open read-only and answers cannot be kept.")
        return Opened(Database(file, read_only=True), warnings)

    try:
        _into_wal(file)
    except DiskFull as error:
        return _on_a_full_disk(file, error, warnings)
    database = Database(file)
    try:
        if version != newest_version():
            if version is not None:
                make_backup(location, now, "migration")
            with database.connection() as connection:
                upgrade(connection)  # finds nothing to do where another process was first
    except BaseException:
        database.close()
        raise
    return Opened(database, warnings)


def _on_a_full_disk(file: Path, error: DiskFull, warnings: list[str]) -> Opened:
    """Opens for reading alone, without the log's companions, for which there is no room.

    Only where the log holds nothing: then the file is whole. Nobody writes it meanwhile, for who has the store open
    has made the companions, and with them it opens as ever.
    """
    log = file.with_name(file.name + "-wal")
    if (log.exists() and log.stat().st_size > 0) or look(file, immutable=True) != newest_version():
        raise error
    said = f"{error} Until then the store is open read-only: answers cannot be kept."
    return Opened(Database(file, immutable=True), [*warnings, said])


def _create(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
    except OSError as error:
        raise StoreError(
            f"The store {file} cannot be made ({error.strerror or error}); choose a folder you can write to "
            "with QUIZAPP_HOME or --db."
        ) from error


def _lost(location: Location) -> list[str]:
    """A warning when the store is gone but its backups or a damaged copy are there."""
    aside = (
        sorted(location.file.parent.glob(f"{location.file.name}.damaged-*")) if location.file.parent.is_dir() else []
    )
    aside = [one for one in aside if not one.name.endswith(("-wal", "-shm"))]
    if not aside and not list_backups(location):
        return []
    kept = f" The damaged store is kept as {aside[-1]}." if aside else ""
    return [f"The store {location.file} was not there or empty, so a new one was made.{kept} {way_back(location)}"]


def _aside(location: Location, now: datetime, read_only: bool, why: str) -> StoreError:
    file = location.file
    if read_only:
        return Damaged(f"{why} It cannot be written, so it was left where it is. {way_back(location)}")
    try:
        aside = set_aside(location, now, "damaged")
    except OSError as error:
        return Damaged(f"{why} It could not be set aside ({error}). {way_back(location)}")
    return Damaged(
        f"The store {file} is damaged and was set aside as {aside}; nothing was deleted. {way_back(location)}"
    )


def look(file: Path, immutable: bool = False) -> str | None:
    """The version of a store that is there, None for an empty one; changes nothing. `immutable`: nobody writes it.

    Raises Damaged, or StoreError for a file that is not ours, is locked, or cannot be read.
    """
    try:
        size = file.stat().st_size
        with file.open("rb") as handle:
            head = handle.read(len(MAGIC))
    except OSError as error:
        raise StoreError(
            f"The store {file} cannot be read ({error.strerror or error}); choose another with --db or QUIZAPP_HOME."
        ) from error
    if size == 0:
        return None
    if head != MAGIC:
        if file.suffix.lower() not in (".db", ".sqlite", ".sqlite3"):
            raise StoreError(f"{file} is not a quizapp store; choose another file with --db. It was left untouched.")
        raise Damaged(f"The store {file} is damaged (it is not a database any more).")
    # Without a log beside it the file is whole, and `immutable` reads it without creating anything.
    plain = immutable or not file.with_name(file.name + "-wal").exists()
    address = f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' if plain else ''}"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_MS / 1000)) as connection:
            version = stored_version(connection)
            if size <= QUICK_CHECK_BYTES:
                found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if found != "ok":
                    raise Damaged(f"The store {file} is damaged ({found}).")
    except LookupError:
        raise StoreError(
            f"{file} is a database of another program; choose another file with --db. It was left untouched."
        ) from None
    except sqlite3.Error as error:
        raise sentence_for(error, file) from error
    return version


def _into_wal(file: Path) -> None:
    """Sets WAL mode, which stays with the file. Two processes may do so at once; SQLite does not wait here."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            with contextlib.closing(sqlite3.connect(file, timeout=1)) as connection:
                mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            if mode != "wal":
                raise StoreError(f"SQLite cannot use its write-ahead log for {file} (mode {mode}); use a local disk.")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise sentence_for(error, file) from error
            time.sleep(0.02)
