"""Command-line commands: one module a family, each a few lines over the rooms.

Every module here defines `register(app)`. Rooms are imported inside the command functions, so that
`quizapp --help` stays quick and no command pays for another's imports.
"""

from __future__ import annotations

import importlib
import pkgutil

import typer


def register(app: typer.Typer) -> None:
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}").register(app)
