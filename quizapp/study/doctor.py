"""Checks that tell a person what is wrong with their set-up and how to mend it. Nothing is changed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from importlib.util import find_spec
from pathlib import Path

from quizapp.clock import Clock
from quizapp.memory.day import UnknownZone, zone_named
from quizapp.settings import Settings, read_settings
from quizapp.store.backup import list_backups, way_back
from quizapp.store.errors import StoreError
from quizapp.store.location import Location
from quizapp.store.migrate import newest_version
from quizapp.store.opening import look
from quizapp.text import counted

ENOUGH_BYTES = 50 * 2**20


@dataclass(frozen=True)
class Check:
    name: str
    ok: bool
    message: str
    fix: str = ""
    """What to do; empty when it is fine."""


def examine(location: Location, clock: Clock, banks: Sequence[Path] = ()) -> list[Check]:
    """Every check, in order; a check that fails never hides the next."""
    checks: list[Callable[[], Iterator[Check]]] = [
        lambda: _folder(location),
        lambda: _store(location),
        lambda: _settings(location),
        lambda: _clock(location, clock),
        lambda: _backups(location),
        lambda: _bank(banks),
        _torch,
    ]
    found: list[Check] = []
    for check in checks:
        try:
            found += check()
        except (StoreError, sqlite3.Error, OSError, ValueError) as error:
            found.append(Check("store", False, str(error), way_back(location)))
    return found


def _folder(location: Location) -> Iterator[Check]:
    folder = location.file.parent
    there = folder
    while not there.exists():
        there = there.parent
    if not os.access(there, os.W_OK):
        yield Check(
            "folder", False, f"{there} cannot be written.", "Make it writable, or choose one with QUIZAPP_HOME."
        )
        return
    yield Check("folder", True, f"{folder} can be written.")
    free = shutil.disk_usage(there).free
    enough = free >= ENOUGH_BYTES
    yield Check("disk", enough, f"{free // 2**20} MB are free.", "" if enough else "Free some space on this disk.")


def _store(location: Location) -> Iterator[Check]:
    file = location.file
    if not file.exists():
        yield Check("store", True, f"{file} is not there yet; the first start makes it.")
        return
    version = look(file)
    if version is not None and version > newest_version():
        yield Check("version", False, f"The store is of a newer quizapp (version {version}).", "Update quizapp.")
        return
    yield Check("version", True, f"The store has version {version or 'none'}; this program knows {newest_version()}.")
    with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        found = connection.execute("PRAGMA integrity_check(3)").fetchall()
        ok = found == [("ok",)]
        said = "every page is sound" if ok else "; ".join(str(row[0]) for row in found)
        yield Check("integrity", ok, f"{file}: {said}.", "" if ok else way_back(location))
        loose = connection.execute("PRAGMA foreign_key_check").fetchmany(3)
        yield Check(
            "references",
            not loose,
            "Every row's references are there." if not loose else f"{len(loose)} or more rows refer to nothing.",
            "" if not loose else way_back(location),
        )
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        wal = mode == "wal" or version is None
        yield Check("log mode", wal, f"Journal mode is {mode}.", "" if wal else "Start quizapp once; it sets WAL mode.")


def _rows(location: Location, sql: str) -> list[tuple[object, ...]]:
    if not location.file.exists() or look(location.file) is None:
        return []
    with contextlib.closing(sqlite3.connect(f"{location.file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def _read_settings(location: Location) -> tuple[Settings, list[str]]:
    stored = {str(name): json.loads(str(value)) for name, value in _rows(location, "SELECT name, value FROM setting")}
    return read_settings(stored)


def _settings(location: Location) -> Iterator[Check]:
    settings, said = _read_settings(location)
    for sentence in said:
        yield Check("settings", False, sentence, "Choose the setting again in Settings.")
    try:
        zone_named(settings.zone)
        yield Check("zone", True, f"Days are those of {settings.zone}, from {settings.rollover_hour}:00 on.")
    except UnknownZone as error:
        yield Check("zone", False, f"{error}.", "Choose another zone in Settings, or install the package 'tzdata'.")


def _clock(location: Location, clock: Clock) -> Iterator[Check]:
    name = _read_settings(location)[0].zone
    try:
        zone: tzinfo = zone_named(name)
    except UnknownZone:
        zone, name = UTC, "UTC"
    rows = _rows(location, "SELECT max(reviewed_at) FROM review")
    last = rows[0][0] if rows else None
    now = clock.now()
    here = f"{now.astimezone(zone):%Y-%m-%d %H:%M}"
    if isinstance(last, int) and last > now.timestamp() * 1000:
        when = datetime.fromtimestamp(last / 1000, zone)
        yield Check(
            "clock",
            False,
            f"The clock ({here}) is before the last answer ({when:%Y-%m-%d %H:%M}, both {name}).",
            "Set the computer's date and time.",
        )
    else:
        yield Check("clock", True, f"It is {here} ({name}).")


def _backups(location: Location) -> Iterator[Check]:
    backups = list_backups(location)
    answers = _rows(location, "SELECT count(*) FROM review")
    if backups:
        yield Check("backups", True, f"{len(backups)} in {location.backups}, the newest {backups[0].file.name}.")
    elif answers and answers[0][0]:
        yield Check("backups", False, f"There is no backup in {location.backups}.", "Run: quizapp backup")
    else:
        yield Check("backups", True, "Nothing to back up yet.")


def _bank(banks: Sequence[Path]) -> Iterator[Check]:
    from quizapp.bank.load import load_bank

    bank = load_bank(extra=tuple(banks))
    ok = bool(bank.questions) and not bank.errors
    message = f"{counted(len(bank.questions), 'question')}, {counted(len(bank.errors), 'mistake')}."
    yield Check("bank", ok, message, "" if ok else "Run: quizapp bank check")


def _torch() -> Iterator[Check]:
    if find_spec("torch") is not None:
        yield Check("torch", True, "PyTorch is installed; labs compute real tokens.")
    else:
        yield Check("torch", True, "PyTorch is not installed: the quiz is whole, labs run on the virtual clock.")
