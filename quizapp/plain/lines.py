"""Lines for a terminal or for a pipe: wrapped at words to the terminal's width, or as they are."""

from __future__ import annotations

import os
import re
import textwrap
from typing import TextIO

NARROWEST = 40
"""Columns; below this a line is left to the terminal."""
_HANG = re.compile(r"\s*(?:[-·] |[A-Z]\. |[A-Z]  |\d{1,2}\. )?")
_BLOCK = re.compile(r"\s|[-·] |\d{1,2}\. ")


def width_of(stream: TextIO) -> int | None:
    """Columns of the terminal behind `stream`, at least 40; None when it is no terminal."""
    try:
        if not stream.isatty():
            return None
        return max(NARROWEST, os.get_terminal_size(stream.fileno()).columns or 80)
    except (OSError, ValueError):
        return None


def fold(text: str, width: int | None) -> str:
    """Every line of `text` that is longer than `width` broken between words, under its own beginning.

    A word that is longer than the line stays whole, and so does everything when `width` is None.
    """
    if width is None:
        return text
    return "\n".join(_fold_line(line, width) for line in text.split("\n"))


def _fold_line(line: str, width: int) -> str:
    body = line.rstrip()
    if len(body) <= width:
        return line
    found = _HANG.match(body)
    hang = " " * len(found[0] if found else "")
    rows = textwrap.wrap(
        body, width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
    )
    return "\n".join(rows) + line[len(body) :]


def flowing(prose: str) -> str:
    """Prose that its author broke into lines, with a paragraph or list item a line; blank lines and code stay."""
    out: list[str] = []
    fenced, open_line = False, False
    for line in prose.split("\n"):
        if line.lstrip().startswith("```"):
            fenced, open_line = not fenced, False
            out.append(line)
        elif fenced or not line.strip():
            open_line = False
            out.append(line)
        elif open_line and (not _BLOCK.match(line) or (line[0].isspace() and _BLOCK.match(out[-1]))):
            out[-1] += " " + line.strip()
        else:
            open_line = True
            out.append(line.rstrip())
    return "\n".join(out)
