"""Opening: pragmas, migrations with a backup, and every kind of store that must be refused without losing it."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from study.helpers import START, dump, open_study, small_bank

from quizapp.clock import FixedClock
from quizapp.store import migrate, opening
from quizapp.store.backup import KEEP, list_backups, make_backup
from quizapp.store.database import Database, connection_of
from quizapp.store.errors import Damaged, ReadOnly, StoreError, WrongAddress
from quizapp.store.location import locate
from quizapp.store.opening import open_store
from quizapp.store.restore import restore
from quizapp.study import replay

ROOT = Path(__file__).parents[2]


HEAD = migrate.newest_version()
NEXT = f"{int(HEAD) + 1:04d}"


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def answered_store(home: Path, answers: int = 3) -> Path:
    with open_study(home, small_bank(10)) as study:
        for _ in range(answers):
            study.answer(study.next_card(), "right", "sure")
    return home / "quizapp.db"


def test_pragmas_on_every_connection(tmp_path) -> None:
    with open_study(tmp_path) as study:
        database = study.database
        for context in (database.read, database.write, database.reading, database.writing):
            plain = context in (database.reading, database.writing)
            with context() as session:
                values = {
                    name: (session if plain else connection_of(session)).execute(f"PRAGMA {name}").fetchone()[0]
                    for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "recursive_triggers")
                }
            assert values == {
                "journal_mode": "wal",
                "synchronous": 2,
                "foreign_keys": 1,
                "busy_timeout": 5_000,
                "recursive_triggers": 1,
            }


@pytest.mark.parametrize("table", ["review", "undo", "scheduler", "action"])
@pytest.mark.parametrize(
    "verb", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "INSERT OR REPLACE INTO {} SELECT * FROM {}"]
)
def test_the_log_is_append_only(tmp_path, table: str, verb: str) -> None:
    with open_study(tmp_path) as study:
        study.answer(study.next_card(), "right")
        study.answer(study.next_card(), "right")
        study.undo()
        study.flag("q000", True)
        before = dump(tmp_path, [table])
        assert before
        column = "review_id" if table == "undo" else "id"
        sql = verb.format(table, column, column) if "UPDATE" in verb else verb.replace("{}", table)
        with pytest.raises(StoreError, match="append-only"), study.database.write() as session:
            session.execute(text(sql))
        assert dump(tmp_path, [table]) == before


def test_references_are_kept(tmp_path) -> None:
    with open_study(tmp_path) as study:
        study.answer(study.next_card(), "right")
        with pytest.raises(StoreError), study.database.write() as session:
            session.execute(text("DELETE FROM card"))
        assert study.stats()["cards"] == 5


def test_tables_of_the_migrations_are_those_of_the_models(tmp_path) -> None:
    """Every column and index of the models is made by the migrations, with the same type and the same null rule."""
    from sqlalchemy import create_engine, inspect
    from sqlmodel import SQLModel

    from quizapp.store import tables

    with open_study(tmp_path):
        pass
    modelled = create_engine("sqlite://")
    names = [getattr(tables, name).__tablename__ for name in tables.__all__]
    SQLModel.metadata.create_all(modelled, tables=[SQLModel.metadata.tables[name] for name in names])
    migrated = inspect(create_engine(f"sqlite:///{tmp_path / 'quizapp.db'}"))
    ideal = inspect(modelled)
    for name in names:
        shape = [
            sorted((c["name"], str(c["type"]), c["nullable"], c["primary_key"]) for c in one.get_columns(name))
            for one in (migrated, ideal)
        ]
        assert shape[0] == shape[1], name
        indexes = [{i["name"] for i in one.get_indexes(name)} for one in (migrated, ideal)]
        assert indexes[0] == indexes[1], name


def test_a_newer_store_is_refused_and_untouched(tmp_path) -> None:
    file = answered_store(tmp_path)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    before, listing = digest(file), sorted(p.name for p in tmp_path.iterdir())
    with pytest.raises(StoreError, match=r"newer quizapp.*update quizapp.*left untouched"):
        open_store(locate(home=tmp_path), START)
    assert digest(file) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == listing


def test_a_newer_store_left_by_a_crash_is_untouched_too(tmp_path) -> None:
    file = answered_store(tmp_path)
    copy = tmp_path / "crashed"
    copy.mkdir()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
        for name in ("quizapp.db", "quizapp.db-wal"):  # as a kill would leave them
            shutil.copy(tmp_path / name, copy / name)
    before = [digest(copy / name) for name in ("quizapp.db", "quizapp.db-wal")]
    with pytest.raises(StoreError, match="newer quizapp"):
        open_store(locate(home=copy), START)
    assert [digest(copy / name) for name in ("quizapp.db", "quizapp.db-wal")] == before


@pytest.mark.parametrize("harm", ["garbage", "header", "middle", "cut"])
def test_a_damaged_store_is_set_aside_and_the_way_back_shown(tmp_path, harm: str) -> None:
    file = answered_store(tmp_path)
    content = bytearray(file.read_bytes())
    if harm == "garbage":
        content = bytearray(b"\x5a" * 20_000)
    elif harm == "header":
        content[:16] = bytes(16)
    elif harm == "middle":
        content[4096:12_288] = b"\xff" * 8192
    else:
        content = content[: len(content) // 2]
    file.write_bytes(content)
    (backup,) = [b.file for b in list_backups(locate(home=tmp_path))]
    with pytest.raises(Damaged, match=r"set aside as .*nothing was deleted.*quizapp restore") as caught:
        open_store(locate(home=tmp_path), START)
    assert str(backup) in str(caught.value)
    (aside,) = tmp_path.glob("quizapp.db.damaged-*")
    assert aside.read_bytes() == bytes(content)
    assert not file.exists()
    with open_study(tmp_path, small_bank(10)) as study:  # the next start works, and says what happened
        assert any(str(aside) in w and "quizapp restore" in w for w in study.warnings)
    restore(locate(home=tmp_path), backup, START + timedelta(minutes=1))
    with open_study(tmp_path, small_bank(10)) as study:
        assert study.stats()["reviews"] == 3
        assert replay.check(study.database).ok
    assert aside.read_bytes() == bytes(content)


def test_two_damages_in_one_second_overwrite_nothing(tmp_path) -> None:
    file = tmp_path / "quizapp.db"
    for content in (b"first", b"second"):
        file.write_bytes(content * 1_000)
        with pytest.raises(Damaged):
            open_store(locate(home=tmp_path), START)
    assert sorted(p.read_bytes()[:5] for p in tmp_path.glob("*.damaged-*")) == [b"first", b"secon"]


def test_damage_found_later_is_one_sentence(tmp_path) -> None:
    file = answered_store(tmp_path)
    with open_study(tmp_path, small_bank(10)) as study:
        study.database.close()
        content = bytearray(file.read_bytes())
        content[4096:] = b"\xff" * (len(content) - 4096)
        file.write_bytes(content)
        with pytest.raises(Damaged, match=r"is damaged .*quizapp doctor.*quizapp restore"):
            study.counts()


def test_a_file_that_is_not_ours_is_left_alone(tmp_path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes")
    with pytest.raises(StoreError, match=r"not a quizapp store.*left untouched"):
        open_store(locate(db=str(notes)), START)
    assert notes.read_text() == "my notes"
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE recipes (id)")
        connection.commit()
    before = digest(other)
    with pytest.raises(StoreError, match=r"another program.*left untouched"):
        open_store(locate(db=str(other)), START)
    assert digest(other) == before


def test_a_folder_in_the_way(tmp_path) -> None:
    (tmp_path / "quizapp.db").mkdir()
    with pytest.raises(StoreError, match="is a folder or a device; a store is a regular file"):
        open_store(locate(home=tmp_path), START)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot be made.*QUIZAPP_HOME or --db"):
        open_store(locate(home=tmp_path / "file" / "home"), START)


def test_an_empty_file_becomes_a_store(tmp_path) -> None:
    (tmp_path / "quizapp.db").touch()
    with open_study(tmp_path) as study:
        assert study.counts().new == 5


@pytest.mark.parametrize("db", ["postgresql://host/x", "sqlite://", "sqlite:///", "sqlite:///:memory:", "mysql://a"])
def test_only_sqlite_files(db: str) -> None:
    with pytest.raises(WrongAddress, match="only SQLite files"):
        locate(db=db)


def test_where_the_store_is(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "h"))
    assert locate().file == tmp_path / "h" / "quizapp.db"
    assert locate(db=f"sqlite:///{tmp_path}/a b%20?.db").file == Path(f"{tmp_path}/a b%20?.db")
    monkeypatch.delenv("QUIZAPP_HOME")
    assert locate().file.name == "quizapp.db"
    odd = tmp_path / "a b%20?#é.db"
    with closing_store(odd) as database, database.read() as session:
        assert session.execute(text("SELECT count(*) FROM card")).scalar() == 0
    assert odd.exists()


def closing_store(file: Path):
    return closing(open_store(locate(db=str(file)), START).database)


@pytest.fixture
def next_migration(tmp_path, monkeypatch):
    """Adds a migration after the newest one, with the given body, and returns both numbers."""
    newest = migrate.newest_version()
    following = f"{int(newest) + 1:04}"
    later = tmp_path / "migrations"
    shutil.copytree(migrate.MIGRATIONS, later, ignore=shutil.ignore_patterns("__pycache__"))

    def add(body: str) -> tuple[str, str]:
        (later / "versions" / f"{following}_next.py").write_text(
            f"import sqlalchemy as sa\nfrom alembic import op\nrevision = {following!r}\ndown_revision = {newest!r}\n"
            f"def upgrade():\n{body}"
        )
        monkeypatch.setattr(migrate, "MIGRATIONS", later)
        migrate.newest_version.cache_clear()
        return newest, following

    yield add
    monkeypatch.undo()
    migrate.newest_version.cache_clear()


def version_of(file: Path) -> str | None:
    with closing(sqlite3.connect(file)) as connection:
        return migrate.stored_version(connection)


def test_migration_makes_a_backup_first(tmp_path, next_migration) -> None:
    file = answered_store(tmp_path)
    newest, following = next_migration("    op.add_column('card', sa.Column('more', sa.Integer))\n")
    before = dump(tmp_path, ["card", "review", "daily"])
    open_store(locate(home=tmp_path), START).database.close()
    assert version_of(file) == following
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT more FROM card LIMIT 1").fetchone() == (None,)
    (backup,) = [b.file for b in list_backups(locate(home=tmp_path)) if b.reason == "migration"]
    assert version_of(backup) == newest
    restored = tmp_path / "old"
    restored.mkdir()
    shutil.copy(backup, restored / "quizapp.db")
    assert dump(restored, ["card", "review", "daily"]) == before


def test_a_migration_that_fails_changes_nothing(tmp_path, next_migration) -> None:
    file = answered_store(tmp_path)
    newest, _ = next_migration("    op.execute('DROP TABLE daily')\n    op.execute('SELECT * FROM nowhere')\n")
    before = dump(tmp_path)
    with pytest.raises(StoreError, match="nowhere"):
        open_store(locate(home=tmp_path), START)
    assert dump(tmp_path) == before
    assert version_of(file) == newest


def test_a_locked_store_says_so_and_keeps_what_was(tmp_path, monkeypatch) -> None:
    """Anki-Android #5071: data given up because the database was locked at start."""
    monkeypatch.setattr("quizapp.store.database.BUSY_TIMEOUT_MS", 50)
    with open_study(tmp_path) as study:
        card = study.next_card()
        with closing(sqlite3.connect(tmp_path / "quizapp.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"locked by another program.*Nothing was changed"):
                study.answer(card, "right")
            assert study.counts().new == 5  # reading goes on
            other.execute("ROLLBACK")
        study.answer(card, "right")
        assert study.stats()["reviews"] == 1


def test_a_full_disk_says_so_and_loses_nothing(tmp_path, monkeypatch) -> None:
    with open_study(tmp_path, small_bank(10)) as study:
        study.answer(study.next_card(), "right")
        before = dump(tmp_path, ["card", "daily", "review"])
        card = study.next_card()
        study.database.close()  # the next connection gets the small disk
        connect = Database._connect

        def small(database: Database) -> sqlite3.Connection:
            raw = connect(database)
            pages = raw.execute("PRAGMA page_count").fetchone()[0]
            raw.execute(f"PRAGMA max_page_count = {pages}")
            return raw

        monkeypatch.setattr(Database, "_connect", small)
        with pytest.raises(StoreError, match=r"disk .* is full.*no earlier answer is lost"):
            study.note(card.question.id, "x" * 10_000)
        monkeypatch.undo()
        study.database.close()
        assert dump(tmp_path, ["daily", "review"]) == "\n".join(
            line for line in before.splitlines() if not line.startswith("card")
        )
        study.answer(card, "right")
        assert replay.check(study.database).ok


FULL_DISK = """
import resource, signal, sys
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/tests"]
from pathlib import Path
from study.helpers import open_study, small_bank
from quizapp.store.errors import StoreError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
home = Path(sys.argv[1])
with open_study(home, small_bank(10), zone=None) as study:
    study.answer(study.next_card(), "right", "sure")
    print("acked", flush=True)
    size = max(p.stat().st_size for p in home.glob("quizapp.db*"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        while True:
            study.answer(study.next_card(), "right", "sure")
            print("acked", flush=True)
    except StoreError as error:
        print("said", error, flush=True)
"""


def test_a_write_that_the_system_refuses(tmp_path) -> None:
    """A real process whose files may not grow: the answers it acknowledged are there, the next one says why not."""
    with open_study(tmp_path, small_bank(10)):
        pass
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path), str(ROOT)], capture_output=True, text=True, timeout=60
    )
    lines = done.stdout.splitlines()
    assert "full or failing" in lines[-1], done.stderr
    assert "Traceback" not in done.stderr
    with open_study(tmp_path, small_bank(10), zone=None) as study:
        assert study.stats()["reviews"] == lines.count("acked")
        assert replay.check(study.database).ok


READ_ONLY = """
import sys
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/tests"]
from pathlib import Path
from study.helpers import open_study, small_bank
from quizapp.store.errors import StoreError
open_study(Path(sys.argv[3]), small_bank(10)).close()  # everything is imported before the rights are given up
import os
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with open_study(Path(sys.argv[1]), small_bank(10), zone=None) as study:
        print(study.read_only, study.warnings, study.stats()["reviews"])
        card = study.next_card()
        for use in (lambda: study.answer(card, "right"), lambda: study.flag("q000", True), study.undo,
                    lambda: study.save_settings(theme="light")):
            try:
                use()
            except StoreError as error:
                print(type(error).__name__, error)
except StoreError as error:
    print("refused", error)
"""


def without_rights(code: str, *arguments: str) -> str:
    """Runs as a user who may not write where we are root, for whom permissions mean nothing."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def open_folder():
    """A folder that another user can reach (pytest's own temporary folders are private)."""
    import tempfile

    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    shutil.rmtree(folder)


@pytest.mark.parametrize("folder_too", [True, False])
def test_a_read_only_home(open_folder, folder_too: bool) -> None:
    home = open_folder / "home"
    file = answered_store(home)
    file.chmod(0o444)
    home.chmod(0o555 if folder_too else 0o777)
    before = digest(file)
    said = without_rights(READ_ONLY, str(home), str(ROOT), str(open_folder / "warm"))
    assert said.startswith("True ['The store")
    assert "read-only and answers cannot be kept" in said
    assert "'] 3\n" in said
    assert said.count("ReadOnly The store") == 4
    assert digest(file) == before


def test_a_home_that_cannot_be_made(open_folder, tmp_path) -> None:
    open_folder.chmod(0o555)
    said = without_rights(READ_ONLY, str(open_folder / "home"), str(ROOT), str(tmp_path))
    assert said.startswith("refused The store")
    assert "QUIZAPP_HOME or --db" in said


def test_read_only_flag_refuses_every_write(tmp_path) -> None:
    file = answered_store(tmp_path)
    database = Database(file, read_only=True)
    with pytest.raises(ReadOnly, match="Nothing was changed"), database.write():
        pass
    with pytest.raises(StoreError), database.read() as session:
        session.execute(text("DELETE FROM daily"))
    database.close()


def test_backups_rotate_and_those_by_hand_stay(tmp_path) -> None:
    answered_store(tmp_path)
    location = locate(home=tmp_path)
    for hour in range(KEEP["daily"] + 5):
        make_backup(location, START + timedelta(hours=hour), "daily")
        make_backup(location, START + timedelta(hours=hour), "manual")
    reasons = [b.reason for b in list_backups(location)]
    assert reasons.count("daily") == KEEP["daily"]
    assert reasons.count("manual") == KEEP["daily"] + 5
    newest = next(b for b in list_backups(location) if b.reason == "daily")
    assert newest.made == (START + timedelta(hours=KEEP["daily"] + 4)).strftime("%Y%m%d-%H%M%S")


def test_one_backup_a_study_day_and_only_after_writing(tmp_path) -> None:
    clock = FixedClock(datetime(2026, 6, 10, 2, tzinfo=UTC))  # still study day 9 June
    location = locate(home=tmp_path)
    made = []
    for hours in (0, 1, 3, 1):
        clock.instant += timedelta(hours=hours)
        with open_study(tmp_path, small_bank(10), clock, zone="UTC" if not made else None) as study:
            study.answer(study.next_card(), "right", "sure")
        made.append(len(list_backups(location)))
    assert made == [1, 1, 2, 2]
    clock.instant += timedelta(days=3)
    with open_study(tmp_path, small_bank(10), clock, zone=None) as study:
        study.home()
    assert len(list_backups(location)) == 2


def test_a_backup_is_whole_while_answers_come_in(tmp_path) -> None:
    with open_study(tmp_path, small_bank(40), new_per_day=99) as study:
        copies = []
        for number in range(6):
            study.answer(study.next_card(), "right", "sure")
            copies.append(make_backup(study.location, START + timedelta(seconds=number), "manual"))
    for number, copy in enumerate(copies):
        with closing(sqlite3.connect(copy)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("SELECT count(*) FROM review").fetchone() == (number + 1,)


def test_restore_keeps_what_it_replaces(tmp_path) -> None:
    answered_store(tmp_path, answers=1)
    location = locate(home=tmp_path)
    old = make_backup(location, START, "manual")
    with open_study(tmp_path, small_bank(10), zone=None) as study:
        study.answer(study.next_card(), "right", "sure")
        newer = dump(tmp_path)
        kept = restore(location, old, START)
        assert study.stats()["reviews"] == 1  # an open program sees the restored store
        study.answer(study.next_card(), "right", "sure")
        assert replay.check(study.database).ok
    restore(location, kept, START)
    assert dump(tmp_path) == newer
    with pytest.raises(StoreError, match="There is no backup"):
        restore(location, tmp_path / "none.db", START)
    with pytest.raises(StoreError, match="the store itself"):
        restore(location, location.file, START)
    (tmp_path / "bad.db").write_bytes(old.read_bytes()[:9000])
    with pytest.raises(StoreError, match="not a sound store"):
        restore(location, tmp_path / "bad.db", START)
    assert dump(tmp_path) == newer


def test_large_stores_are_not_checked_page_by_page(tmp_path, monkeypatch) -> None:
    """The quick check costs time with size: beyond the limit it is left to `quizapp doctor`."""
    file = answered_store(tmp_path)
    monkeypatch.setattr(opening, "QUICK_CHECK_BYTES", 0)
    content = bytearray(file.read_bytes())
    content[-16_384:] = b"\xff" * 16_384
    file.write_bytes(content)
    from quizapp.study.doctor import examine

    bad = [c for c in examine(locate(home=tmp_path), FixedClock(START)) if not c.ok]
    assert any("integrity" in c.name or "damaged" in c.message for c in bad)
    assert any("quizapp restore" in c.fix for c in bad)


FULL_AT_THE_START = """
import resource, signal, sys
sys.path[:0] = [sys.argv[2], sys.argv[2] + "/tests"]
from pathlib import Path
from study.helpers import open_study, small_bank
from quizapp.store.errors import DiskFull, ReadOnly
open_study(Path(sys.argv[3]), small_bank(10)).close()  # everything is imported before the disk is full
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, resource.RLIM_INFINITY))
for _ in range(2):  # the first opening may leave companions of the log that it could not fill
    try:
        with open_study(Path(sys.argv[1]), small_bank(10), zone=None) as study:
            print(study.read_only, study.stats()["reviews"], study.warnings[-1])
            try:
                study.answer(study.next_card(), "right", "sure")
            except ReadOnly:
                print("refused")
    except DiskFull as error:
        print("closed", error)
"""


def opened_on_a_full_disk(home: Path, spare: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", FULL_AT_THE_START, str(home), str(ROOT), str(spare)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_store_on_a_full_disk_can_still_be_read(tmp_path) -> None:
    file = answered_store(tmp_path / "home")
    before = digest(file)
    lines = opened_on_a_full_disk(tmp_path / "home", tmp_path / "spare")
    assert len(lines) == 4
    assert lines[1] == lines[3] == "refused"
    for line in lines[::2]:
        assert line.startswith("True 3 The disk that holds ")
        assert line.endswith("Until then the store is open read-only: answers cannot be kept.")
    assert digest(file) == before
    with open_study(tmp_path / "home", small_bank(10), zone=None) as study:
        assert not study.read_only
        study.answer(study.next_card(), "right", "sure")
        assert replay.check(study.database).ok


def test_a_log_that_holds_answers_is_not_passed_over_on_a_full_disk(tmp_path) -> None:
    """The file alone would show an earlier moment, or half of a checkpoint: better nothing than that."""
    answered_store(tmp_path / "home", 3)
    with open_study(tmp_path / "home", small_bank(10), zone=None) as study:
        study.answer(study.next_card(), "right", "sure")
        (tmp_path / "torn").mkdir()
        for name in ("quizapp.db", "quizapp.db-wal"):
            shutil.copyfile(tmp_path / "home" / name, tmp_path / "torn" / name)
    assert (tmp_path / "torn" / "quizapp.db-wal").stat().st_size > 0
    lines = opened_on_a_full_disk(tmp_path / "torn", tmp_path / "spare")
    assert [line.split()[0] for line in lines] == ["closed", "closed"]
    with open_study(tmp_path / "torn", small_bank(10), zone=None) as study:
        assert study.stats()["reviews"] == 4


def test_a_store_is_a_regular_file_with_a_name_that_is_text(tmp_path, monkeypatch) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for one in (tmp_path / "folder", tmp_path / "pipe"):
        with pytest.raises(WrongAddress, match="is a folder or a device; a store is a regular file"):
            locate(db=str(one))
    with pytest.raises(WrongAddress, match=r"x\\xff.db is not UTF-8"):
        locate(db=str(tmp_path / "x\udcff.db"))
    (tmp_path / "home" / "quizapp.db").mkdir(parents=True)
    with pytest.raises(WrongAddress, match="a store is a regular file"):
        locate(tmp_path / "home")
    (tmp_path / "link").symlink_to(tmp_path / "real.db")
    assert locate(db=str(tmp_path / "link")).file == tmp_path / "link"
