"""One SQLite file: connections with the pragmas we rely on, reading and writing transactions, clear errors.

`synchronous=FULL` in WAL mode means that a commit has reached the disk before it returns. Writers begin
IMMEDIATE: a deferred transaction that read first fails at once with SQLITE_BUSY_SNAPSHOT whatever the timeout.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from quizapp.store.errors import Damaged, ReadOnly, StoreError

BUSY_TIMEOUT_MS = 5_000


def sentence_for(error: BaseException, file: Path) -> StoreError:
    """The error of SQLite as one sentence with the way out."""
    text = str(getattr(error, "orig", None) or error)
    low = text.lower()
    if "locked" in low or "busy" in low:
        return StoreError(
            f"The store {file} is locked by another program; close it (or wait) and try again. Nothing was changed."
        )
    if "readonly" in low or "read-only" in low or "read only" in low:
        return ReadOnly(
            f"The store {file} cannot be written; make it and its folder writable, or choose another with --db "
            "or QUIZAPP_HOME. Nothing was changed."
        )
    if "full" in low or "disk i/o" in low or "no space" in low or "quota" in low:
        return StoreError(
            f"The disk that holds {file} is full or failing ({text}); free some space and try again. "
            "Nothing was changed and no earlier answer is lost."
        )
    if "malformed" in low or "not a database" in low or "corrupt" in low:
        return Damaged(
            f"The store {file} is damaged ({text}); see 'quizapp doctor', then go back to a backup "
            "with 'quizapp restore'."
        )
    if "unable to open" in low:
        return StoreError(
            f"The store {file} cannot be opened; check that its folder exists and that you may write to it, "
            "or choose another with --db or QUIZAPP_HOME."
        )
    return StoreError(f"The store {file} answered: {text}.")


class Database:
    """Raises StoreError (or a kind of it) from every method."""

    def __init__(self, file: Path, read_only: bool = False) -> None:
        self.file = file
        self.read_only = read_only
        mode = "ro" if read_only else "rw"
        if read_only and not file.with_name(file.name + "-wal").exists():
            # In a folder that cannot be written SQLite cannot make its log's companions; nobody writes there.
            mode = "ro&immutable=1"
        address = f"sqlite:///file:{quote(str(file))}?mode={mode}&uri=true"
        self._engine = create_engine(address, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})
        event.listen(self._engine, "connect", self._on_connect)
        event.listen(self._engine, "begin", _on_begin)
        self._reader = self._engine.execution_options(quizapp_begin="BEGIN")
        self._writer = self._engine.execution_options(quizapp_begin="BEGIN IMMEDIATE")

    def _on_connect(self, raw: Any, _record: Any) -> None:
        raw.isolation_level = None  # transactions are begun by us, see _on_begin
        raw.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        raw.execute("PRAGMA foreign_keys = ON")
        raw.execute("PRAGMA recursive_triggers = ON")  # REPLACE must not slip past the append-only triggers
        if self.read_only:
            raw.execute("PRAGMA query_only = ON")
            return
        raw.execute("PRAGMA synchronous = FULL")
        if raw.execute("PRAGMA synchronous").fetchone()[0] != 2:
            raise StoreError(f"SQLite refuses synchronous=FULL for {self.file}; answers would not be safe there.")

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that sees one moment of the store. What it changes is not kept."""
        with self._errors(), Session(self._reader, autoflush=False, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """One transaction, committed to the disk when the block ends, rolled back when it raises."""
        if self.read_only:
            raise ReadOnly(
                f"The store {self.file} was opened read-only; make it and its folder writable, or choose another "
                "with --db or QUIZAPP_HOME. Nothing was changed."
            )
        with self._errors(), Session(self._writer, expire_on_commit=False) as session, session.begin():
            session.connection()  # take the write lock before anything is read
            yield session

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A writing connection without the object layer, for migrations and bulk work."""
        with self._errors(), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise sentence_for(error, self.file) from error

    def close(self) -> None:
        self._engine.dispose()


def _on_begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("quizapp_begin", "BEGIN"))
