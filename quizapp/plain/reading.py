"""What a typed line means: a command, or an answer with a word on how sure one is."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from quizapp.bank.response import LETTERS, Response, read_plain
from quizapp.bank.schema import Single
from quizapp.bank.variant import Variant
from quizapp.memory.rating import Confidence

COMMANDS = {
    "u": "undo",
    "f": "flag",
    "s": "skip",
    "q": "quit",
    "h": "help",
    "undo": "undo",
    "flag": "flag",
    "skip": "skip",
    "quit": "quit",
    "help": "help",
}
DO_NOT_KNOW = "-"
CONFIDENCES: dict[str, Confidence] = {
    "1": "guess",
    "2": "unsure",
    "3": "sure",
    "guess": "guess",
    "unsure": "unsure",
    "sure": "sure",
    "?": "guess",
    "!": "sure",
}
"""What may be typed when asked how sure one is."""


@dataclass(frozen=True)
class Command:
    """`name` is one of undo, flag, skip, quit, help; `words` is what followed it (the reason of a flag)."""

    name: str
    words: str = ""


@dataclass(frozen=True)
class Typed:
    """An answer; `confidence` is None when nothing was said about it."""

    response: Response
    confidence: Confidence | None = None


def read_line(variant: Variant, line: str) -> Command | Typed | None:
    """A command, an answer, or None for an empty line.

    A bare letter is a command unless it names an option of a single-choice question; `/f` is always a command.
    Raises Unclear for an answer that cannot be read.
    """
    text = unicodedata.normalize("NFKC", line).strip()
    if not text:
        return None
    if text.startswith("/"):
        word, _, words = text[1:].partition(" ")
        if word.casefold() in COMMANDS:
            return Command(COMMANDS[word.casefold()], words.strip())
    if text.casefold() in COMMANDS and not _is_option(variant, text):
        return Command(COMMANDS[text.casefold()])
    if text in ("?", "/?"):
        return Command("help")
    if text == DO_NOT_KNOW:
        return Typed(None)
    answer, confidence = _confidence(line.strip())
    return Typed(read_plain(variant, answer), confidence)


def _is_option(variant: Variant, text: str) -> bool:
    letters = LETTERS[: len(variant.choices)]
    return isinstance(variant.question, Single) and len(text) == 1 and text.upper() in letters


def _confidence(text: str) -> tuple[str, Confidence | None]:
    if text.endswith(("!", "！")):
        return text[:-1].rstrip(), "sure"
    if text.endswith(("?", "？")):
        return text[:-1].rstrip(), "guess"
    return text, None
