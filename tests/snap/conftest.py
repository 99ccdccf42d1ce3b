"""The store of 450,000 reviews: built once for all that looks at it. It is large, so nothing of it is left behind."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from quizapp.bank.model import Bank
from snap.every_support import make_bulk


@pytest.fixture(scope="session")
def bulk_made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Bank]]:
    home = tmp_path_factory.mktemp("bulk")
    yield home, make_bulk(home)
    shutil.rmtree(home)


@pytest.fixture
def bulk(bulk_made: tuple[Path, Bank], tmp_path: Path) -> Iterator[tuple[Path, Bank]]:
    """(the folder of a copy to write to, its bank)."""
    made, bank = bulk_made
    home = tmp_path / "bulk"
    home.mkdir()
    shutil.copy(made / "quizapp.db", home)
    yield home, bank
    shutil.rmtree(home)
