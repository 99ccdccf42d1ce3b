"""What the bank says when something is wrong: a file that does not load, or an answer that can be read two ways."""

from __future__ import annotations

from dataclasses import dataclass

FieldPath = tuple[str | int, ...]
"""The way to a value in a file: keys and list positions, `("options", 2, "why")`."""


@dataclass(frozen=True)
class BankError:
    """One mistake in a bank, with the place and the way out.

    `line` counts from 1 (0 when the mistake is the file or the folder as a whole); `id` and `field` are empty when
    the mistake is not in one question or one field.
    """

    file: str
    line: int
    id: str
    field: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        who = f"question '{self.id}': " if self.id else ""
        return _escaped(f"{place}: {who}{self.message}")


def _escaped(text: str) -> str:
    """One line that shows what is there: line ends, tabs and other characters that do not print as `\\n`, `\\x1b`."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class Unclear(ValueError):
    """An answer that cannot be read for certain. The message says what to type instead; nothing is graded."""
