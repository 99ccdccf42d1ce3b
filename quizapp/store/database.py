"""One SQLite file: connections with the pragmas we rely on, reading and writing transactions, clear errors.

`synchronous=FULL` in WAL mode means that a commit has reached the disk before it returns. Writers begin
IMMEDIATE: a deferred transaction that read first fails at once with SQLITE_BUSY_SNAPSHOT whatever the timeout.

Every command speaks SQLite itself, by `reading` and `writing`: SQLModel takes longer to import than all the rest of a
command, and more time for one row than SQLite for ten. The tables are SQLModel classes all the same
(`quizapp.store.tables`): they are the schema that migrations are held to, and `read` and `write` give them to scripts
and tests as objects.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from quizapp.store.errors import Damaged, DiskFull, ReadOnly, StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlmodel import Session

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
        return DiskFull(
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


class Record(sqlite3.Row):
    """A row whose columns are attributes, as SQLite holds them: a yes or no is 1 or 0."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


def records(connection: sqlite3.Connection, sql: str, values: dict[str, Any] | None = None) -> sqlite3.Cursor:
    """Runs a query whose rows are Records."""
    cursor = connection.cursor()
    cursor.row_factory = Record
    return cursor.execute(sql, values or {})


def connection_of(session: Session) -> sqlite3.Connection:
    """SQLite's own connection below a session, in the session's transaction."""
    raw = session.connection().connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw


class Database:
    """Raises StoreError (or a kind of it) from every method. Each thread that is in a transaction has a connection."""

    def __init__(self, file: Path, read_only: bool = False, immutable: bool = False) -> None:
        self.file = file
        self.read_only = read_only or immutable
        mode = "ro" if self.read_only else "rw"
        if immutable or (read_only and not file.with_name(file.name + "-wal").exists()):
            # In a folder that cannot be written SQLite cannot make its log's companions; nobody writes there.
            mode = "ro&immutable=1"
        self._address = f"file:{quote(str(file))}?mode={mode}"
        self._idle: list[sqlite3.Connection] = []

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._address,
            uri=True,
            timeout=BUSY_TIMEOUT_MS / 1000,
            isolation_level=None,  # transactions are begun by us
            check_same_thread=False,  # one thread at a time: it is idle or lent to one transaction
        )
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA recursive_triggers = ON")  # REPLACE must not slip past the append-only triggers
        if self.read_only:
            connection.execute("PRAGMA query_only = ON")
            return connection
        connection.execute("PRAGMA synchronous = FULL")
        if connection.execute("PRAGMA synchronous").fetchone()[0] != 2:
            raise StoreError(f"SQLite refuses synchronous=FULL for {self.file}; answers would not be safe there.")
        return connection

    @contextmanager
    def _transaction(self, begin: str, end: str) -> Iterator[sqlite3.Connection]:
        with self._errors():
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                connection.execute(begin)
                yield connection
                connection.execute(end)
            except BaseException:
                connection.close()  # rolls back
                raise
            self._idle.append(connection)

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A transaction that sees one moment of the store. What it changes is not kept."""
        return self._transaction("BEGIN", "ROLLBACK")

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """One transaction, committed to the disk when the block ends, rolled back when it raises."""
        self._refuse_when_read_only()
        return self._transaction("BEGIN IMMEDIATE", "COMMIT")

    @cached_property
    def _engine(self) -> Engine:
        from sqlalchemy import QueuePool, create_engine, event

        engine = create_engine("sqlite://", creator=lambda: self._connect(), poolclass=QueuePool)
        event.listen(engine, "begin", _on_begin)
        return engine

    @contextmanager
    def read(self) -> Iterator[Session]:
        """`reading` with the object layer."""
        from sqlmodel import Session

        engine = self._engine.execution_options(quizapp_begin="BEGIN")
        with self._errors(), Session(engine, autoflush=False, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """`writing` with the object layer."""
        from sqlmodel import Session

        self._refuse_when_read_only()
        engine = self._engine.execution_options(quizapp_begin="BEGIN IMMEDIATE")
        with self._errors(), Session(engine, expire_on_commit=False) as session, session.begin():
            session.connection()  # take the write lock before anything is read
            yield session

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A writing connection of SQLAlchemy, for migrations."""
        engine = self._engine.execution_options(quizapp_begin="BEGIN IMMEDIATE")
        with self._errors(), engine.begin() as connection:
            yield connection

    def _refuse_when_read_only(self) -> None:
        if self.read_only:
            raise ReadOnly(
                f"The store {self.file} was opened read-only; make it and its folder writable, or choose another "
                "with --db or QUIZAPP_HOME. Nothing was changed."
            )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if isinstance(getattr(error, "orig", error), sqlite3.Error):  # SQLAlchemy wraps what SQLite said
                raise sentence_for(error, self.file) from error
            raise

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
        if "_engine" in self.__dict__:
            self._engine.dispose()


def _on_begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("quizapp_begin", "BEGIN"))
