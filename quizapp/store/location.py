"""Where the store lies: `--db`, else `QUIZAPP_HOME`, else the platform's folder for user data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from quizapp.store.errors import WrongAddress

FILE_NAME = "quizapp.db"


@dataclass(frozen=True)
class Location:
    """The database file and what lies beside it."""

    file: Path

    @property
    def backups(self) -> Path:
        return self._beside("backups")

    @property
    def cache(self) -> Path:
        """The folder for the parsed bank; may be removed at any time."""
        return self._beside("cache")

    @property
    def labs(self) -> Path:
        """The folder for the event logs of lab runs."""
        return self._beside("labs")

    def _beside(self, name: str) -> Path:
        return self.file.parent / (name if self.file.name == FILE_NAME else f"{self.file.stem}-{name}")


def home_folder() -> Path:
    chosen = os.environ.get("QUIZAPP_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("quizapp", appauthor=False)


def locate(home: Path | None = None, db: str | None = None) -> Location:
    """`db` is a path or `sqlite:///path`. Raises WrongAddress for another kind of database, a folder or a device."""
    try:
        file = (home or home_folder()) / FILE_NAME if db is None else _file_of(db).expanduser().absolute()
    except FileNotFoundError:
        raise WrongAddress(
            f"The store {db or FILE_NAME} lies in the working folder, and the working folder is not there any more; "
            "change to a folder that is."
        ) from None
    if os.path.exists(file) and not os.path.isfile(file):
        raise WrongAddress(
            f"{file} is a folder or a device; a store is a regular file; choose another with --db or QUIZAPP_HOME."
        )
    try:
        os.fspath(file).encode()
    except UnicodeEncodeError:
        raise WrongAddress(
            f"The name of the store {_escaped(file)} is not UTF-8; choose another with --db or QUIZAPP_HOME."
        ) from None
    return Location(file)


def _file_of(db: str) -> Path:
    scheme, colon, rest = db.partition("://")
    if not colon:
        return Path(db)
    if scheme != "sqlite" or not rest.startswith("/") or rest in ("/", "/:memory:"):
        raise WrongAddress(f"--db {db}: only SQLite files can be used; write a path or sqlite:///path/to/quizapp.db")
    return Path(rest[1:])


def _escaped(file: Path) -> str:
    """A name with the bytes that are no text as `\\xff`."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")
