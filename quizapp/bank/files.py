"""Finding and reading the files of a bank: sizes capped, links kept inside, every failure one sentence."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quizapp.bank.errors import BankError

MAX_BYTES = 5_000_000
"""Largest file that is read; a question file of a hundred questions has about 200 kB."""
MAX_FILES = 5_000
SUFFIXES = (".yaml", ".yml")


def builtin_dir() -> Path:
    """The `questions` folder that comes with quizapp: beside the package, in a checkout and in the wheel alike."""
    return Path(__file__).resolve().parents[2] / "questions"


@dataclass(frozen=True)
class BankFile:
    """One YAML file: `path` to open, `name` to show, `inside` its parts below the bank's folder, `topic` its folder."""

    path: Path
    name: str
    inside: tuple[str, ...]
    topic: str


def find_files(root: Path, errors: list[BankError]) -> list[BankFile]:
    """The YAML files of a bank, sorted; `root` may be a single file. Unusable ones are reported."""
    shown = _shown(root)
    try:
        resolved = root.resolve()
    except OSError:  # a relative path needs the working folder
        errors.append(BankError(shown, 0, "", "", "the working folder is not there any more; change to one that is"))
        return []
    if root.is_file():
        topic = as_text(resolved.parent.name)
        return [BankFile(root, shown, (topic, root.name), topic)]
    if not root.is_dir():
        errors.append(BankError(shown, 0, "", "", "there is no such folder; check the path of the bank"))
        return []
    result: list[BankFile] = []
    for path in _walk(root, resolved, shown, errors):
        inside = path.relative_to(root).parts
        result.append(
            BankFile(path, "/".join([shown.rstrip("/"), *inside]), inside, as_text(path.parent.resolve().name))
        )
        if len(result) == MAX_FILES:
            errors.append(BankError(shown, 0, "", "", f"more than {MAX_FILES} files; the rest is not read; split it"))
            break
    return sorted(result, key=lambda file: file.inside)


def read_text(file: BankFile, errors: list[BankError]) -> str | None:
    """The text of a file without byte-order mark, or None with the reason added to `errors`."""

    try:
        status = file.path.stat()
        if not stat.S_ISREG(status.st_mode):
            problem, line = "not a regular file; remove it from the bank", 0
        elif status.st_size > MAX_BYTES:
            problem, line = f"the file has {status.st_size:,} bytes, more than {MAX_BYTES:,}; split it", 0
        else:
            data = file.path.read_bytes()
            return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        problem, line = f"cannot be read ({error.strerror or error}); check that it exists and its permissions", 0
    except UnicodeDecodeError as error:
        problem, line = "the file is not UTF-8; save it with that encoding", data[: error.start].count(b"\n") + 1
    errors.append(BankError(file.name, line, "", "", problem))
    return None


def _walk(folder: Path, root: Path, shown: str, errors: list[BankError]) -> Iterator[Path]:
    """YAML files below a folder. A link that leads out of the bank is refused; linked folders are not followed."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        errors.append(BankError(shown, 0, "", "", f"cannot be listed ({error.strerror}); check its permissions"))
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        name = f"{shown.rstrip('/')}/{as_text(entry.name)}"
        if as_text(entry.name) != entry.name:
            if entry.is_dir() or entry.name.endswith(SUFFIXES):
                errors.append(BankError(name, 0, "", "", "its name is not UTF-8; rename it"))
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), root, name, errors)
        elif entry.name.endswith(SUFFIXES):
            if entry.is_symlink():
                target = Path(entry.path).resolve()
                if not target.is_relative_to(root):
                    message = "a link that leads out of the bank is not followed; copy the file in"
                    errors.append(BankError(name, 0, "", "", message))
                    continue
            yield Path(entry.path)
        elif entry.is_symlink() and entry.is_dir():
            errors.append(BankError(name, 0, "", "", "a linked folder is not followed; copy it in"))


def _shown(path: Path) -> str:
    """A path as a person would write it: relative when it lies below the current folder."""
    if path.is_absolute():
        with contextlib.suppress(ValueError, OSError):
            path = path.relative_to(Path.cwd())
    return as_text(path)


def as_text(name: str | Path) -> str:
    """A name that can be written anywhere: bytes of the file system that are not UTF-8 as `\\xff`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
