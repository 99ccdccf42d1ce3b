"""A new lab from the template: a small lab that already passes its own examination."""

from __future__ import annotations

import re
from pathlib import Path

from labs.lab import LabError

TEMPLATE = Path(__file__).parent / "template"


def new_lab(name: str, into: Path) -> Path:
    """Write `into/name/` with lab.yaml, text.md and solve.py. LabError for a bad name and for a folder that exists."""
    if not re.fullmatch(r"\d\d-[a-z0-9]+(-[a-z0-9]+)*", name):
        raise LabError(f"'{name}' is not an id of a lab; write two digits and a slug, for example 20-my-lab")
    folder = into / name
    title = name[3:].replace("-", " ").capitalize()
    try:
        folder.mkdir(parents=True)
        for file in sorted(TEMPLATE.iterdir()):
            if file.is_file():
                text = file.read_text("utf-8").replace("{id}", name).replace("{title}", title)
                (folder / file.name).write_text(text, "utf-8")
    except FileExistsError:
        raise LabError(f"{folder} exists already; choose another id or remove it") from None
    except OSError as error:
        raise LabError(f"{folder}: cannot be written ({error.strerror})") from None
    return folder
