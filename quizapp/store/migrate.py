"""Brings a store to the version this program understands. Refuses a newer one and leaves it untouched."""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

MIGRATIONS = Path(__file__).parent / "migrations"


@cache
def newest_version() -> str:
    """The number of the newest migration, e.g. `0001`. Read from the file names: Alembic is slow to import."""
    return max(file.name[:4] for file in (MIGRATIONS / "versions").glob("[0-9][0-9][0-9][0-9]_*.py"))


def stored_version(connection: sqlite3.Connection) -> str | None:
    """The version of an open store; None when it is empty. Raises LookupError for a database that is not ours."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return None
    if "alembic_version" not in tables:
        raise LookupError("no version table")
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def upgrade(connection: Connection) -> None:
    """Runs the missing migrations in the connection's own transaction: all of them happen, or none."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, newest_version())
