"""Where the store lies: `--db`, else `QUIZAPP_HOME`, else the platform's folder for user data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from quizapp.store.errors import StoreError

FILE_NAME = "quizapp.db"


@dataclass(frozen=True)
class Location:
    """The database file and the folder of its backups."""

    file: Path

    @property
    def backups(self) -> Path:
        return self.file.parent / ("backups" if self.file.name == FILE_NAME else f"{self.file.stem}-backups")


def home_folder() -> Path:
    chosen = os.environ.get("QUIZAPP_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("quizapp", appauthor=False)


def locate(home: Path | None = None, db: str | None = None) -> Location:
    """`db` is a path or `sqlite:///path`. Raises StoreError for another kind of database."""
    if db is None:
        return Location((home or home_folder()) / FILE_NAME)
    scheme, colon, rest = db.partition("://")
    if not colon:
        return Location(Path(db).expanduser().absolute())
    if scheme != "sqlite" or not rest.startswith("/") or rest in ("/", "/:memory:"):
        raise StoreError(f"--db {db}: only SQLite files can be used; write a path or sqlite:///path/to/quizapp.db")
    return Location(Path(rest[1:]).expanduser().absolute())
