"""The parsed bank kept as JSON, so that opening the app does not read YAML.

The key covers the paths, sizes and times of every file, the version, and the code that reads them. A cache that is
missing, damaged or not writable costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from dataclasses import fields
from functools import cache as once
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from quizapp import __version__
from quizapp.bank.files import BankFile
from quizapp.bank.model import Bank

NAME = "bank.json"


def key_of(files: Sequence[BankFile]) -> str | None:
    """A digest of what the bank is made of; None when a file cannot be looked at."""
    digest = hashlib.sha256(__version__.encode())
    code = sorted(Path(__file__).parent.glob("*.py"))
    code.append(Path(__file__).parents[2] / "labs" / "formulas.py")
    try:
        for name, path in [*((str(p), p) for p in code), *((f.name, f.path) for f in files)]:
            status = path.stat()
            digest.update(
                f"{name}\0{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode("utf-8", "surrogateescape")
            )
    except OSError:
        return None
    return digest.hexdigest()


def read(folder: Path, key: str) -> Bank | None:
    """The cached bank, when there is one for this key."""
    try:
        head, _, body = (folder / NAME).read_bytes().partition(b"\n")
        if head.decode("ascii") != _head(key, body):
            return None
        return _adapter().validate_json(body)
    except (OSError, ValidationError, UnicodeDecodeError):
        return None


def write(folder: Path, key: str, bank: Bank) -> None:
    """Put the bank in the cache in one move, so that a reader never sees half of it."""
    body = _adapter().dump_json(bank)
    temporary = folder / f".{NAME}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(_head(key, body).encode("ascii") + b"\n" + body)
        os.replace(temporary, folder / NAME)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _head(key: str, body: bytes) -> str:
    return f"{key} {len(body)}"


@once
def _adapter() -> TypeAdapter[Bank]:
    assert [f.name for f in fields(Bank)][-1] == "errors"
    return TypeAdapter(Bank)
