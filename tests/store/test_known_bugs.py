"""Bugs that others shipped in storing (docs/known-bugs.md, rows 36 and 37): locks, damage, backups, the way back."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from study.helpers import START, dump, open_study, rows, small_bank

from quizapp.store import opening
from quizapp.store.backup import KEEP, list_backups
from quizapp.store.errors import Damaged, StoreError
from quizapp.store.location import locate
from quizapp.store.opening import open_store
from quizapp.store.restore import restore
from quizapp.study import replay


def answered(home: Path, answers: int = 3) -> Path:
    with open_study(home, small_bank(10)) as study:
        for _ in range(answers):
            study.answer(study.next_card(), "right", "sure")  # type: ignore[arg-type]
    return home / "quizapp.db"


def test_a_store_locked_at_the_start_is_waited_for_and_never_given_up(tmp_path: Path, monkeypatch) -> None:
    """Anki-Android#5071: locked at the start, and the data was thrown away. Nothing is set aside, nothing made anew."""
    file = answered(tmp_path)
    monkeypatch.setattr("quizapp.store.database.BUSY_TIMEOUT_MS", 30)
    monkeypatch.setattr("quizapp.store.opening.BUSY_TIMEOUT_MS", 30)
    before, listing = hashlib.sha256(file.read_bytes()).hexdigest(), sorted(p.name for p in tmp_path.iterdir())
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked by another program") as caught:
            open_store(locate(home=tmp_path), START)
        assert not isinstance(caught.value, Damaged)
        other.execute("ROLLBACK")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert [p.name for p in sorted(tmp_path.iterdir()) if not p.name.endswith(("-wal", "-shm"))] == listing
    with open_study(tmp_path, small_bank(10), zone=None) as study:
        assert study.stats()["reviews"] == 3


def test_a_store_that_another_window_writes_to_opens_at_once(tmp_path: Path, monkeypatch) -> None:
    """Anki-Android#5071, apy#126: a second program is no reason not to start; only its own write waits."""
    answered(tmp_path)
    monkeypatch.setattr("quizapp.store.database.BUSY_TIMEOUT_MS", 30)
    monkeypatch.setattr("quizapp.store.opening.BUSY_TIMEOUT_MS", 30)
    with closing(sqlite3.connect(tmp_path / "quizapp.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with open_study(tmp_path, small_bank(10), zone=None) as study:
            card = study.next_card()
            assert card is not None
            with pytest.raises(StoreError, match="Nothing was changed"):
                study.answer(card, "right")
            other.execute("COMMIT")
            study.answer(card, "right")
    assert rows(tmp_path, "SELECT count(*) FROM review") == [(4,)]


def test_damage_pushes_no_good_backup_out(tmp_path: Path) -> None:
    """Anki-Android#4796: backups rotate, and a broken store must not fill their places. Every day here it breaks."""
    file = answered(tmp_path)
    (good,) = [b.file for b in list_backups(locate(home=tmp_path))]
    kept = good.read_bytes()
    for day in range(1, KEEP["daily"] + 3):
        file.write_bytes(b"\xff" * 30_000)
        with pytest.raises(Damaged, match="nothing was deleted") as caught:
            open_store(locate(home=tmp_path), START + timedelta(days=day))
        assert f"quizapp restore {good}" in str(caught.value)
    assert good.read_bytes() == kept
    assert len(list(tmp_path.glob("quizapp.db.damaged-*"))) == KEEP["daily"] + 2
    restore(locate(home=tmp_path), good, START)
    with open_study(tmp_path, small_bank(10), zone=None) as study:
        assert study.stats()["reviews"] == 3
        assert replay.check(study.database).ok


def test_a_store_restored_over_a_damaged_one_keeps_the_damaged_one(tmp_path: Path) -> None:
    """Anki-Android#4796: without opening it first. What could still be read of it is not thrown away."""
    file = answered(tmp_path)
    before = dump(tmp_path, ["card", "review", "daily"])
    (good,) = [b.file for b in list_backups(locate(home=tmp_path))]
    broken = file.read_bytes()[:8192] + b"\xff" * 30_000
    file.write_bytes(broken)
    aside = restore(locate(home=tmp_path), good, START)
    assert aside is not None
    assert aside.read_bytes() == broken
    assert dump(tmp_path, ["card", "review", "daily"]) == before
    assert opening.look(file) is not None
