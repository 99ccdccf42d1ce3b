from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .samples import TABLES


@pytest.fixture
def bank_of(tmp_path: Path) -> Callable[..., Path]:
    """A bank's folder with tables and the given question files, relative to it."""

    def make(tables: bool = True, **files: str) -> Path:
        root = tmp_path / "mybank"
        contents = {**(TABLES if tables else {}), **{f"topic/{name}.yaml": text for name, text in files.items()}}
        for name, text in contents.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
        return root

    return make
