"""The store of 450,000 reviews: built once for all that looks at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizapp.bank.model import Bank
from snap.every_support import make_bulk


@pytest.fixture(scope="session")
def bulk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Bank]:
    """(its folder, its bank); tests copy what they write to."""
    home = tmp_path_factory.mktemp("bulk")
    return home, make_bulk(home)
