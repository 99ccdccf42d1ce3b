"""Decisions made before Textual is imported: may the app run here, and how loud may it be."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

PLAIN = "use `quizapp study --plain`, which works line by line"


def refusal() -> str | None:
    """Why the app cannot run here, in one sentence with the way out; None when it can."""
    if sys.stdin is None or not sys.stdin.isatty():  # None: closed by whoever started us
        return f"The app needs a terminal on standard input and there is none; {PLAIN}."
    if sys.stderr is None or not sys.stderr.isatty():
        return f"The app draws on standard error, which is not a terminal here; {PLAIN}."
    if os.environ.get("TERM", "") in ("", "dumb"):
        return f"This terminal cannot place its cursor (TERM is '{os.environ.get('TERM', '')}'); {PLAIN}."
    return None


def prepare() -> None:
    """Nothing moves unless asked for, and an empty NO_COLOR means colours (https://no-color.org)."""
    if os.environ.get("NO_COLOR") == "":
        del os.environ["NO_COLOR"]
    if any(os.environ.get(name) for name in ("SSH_CONNECTION", "SSH_TTY")):
        os.environ["TEXTUAL_ANIMATIONS"] = "none"
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")


def recalled_theme() -> str:
    """The theme of last time, so that the first frame, painted before the store is open, has the right colours."""
    try:
        kept = _theme_file().read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return guessed_theme()
    return kept if kept in ("dark", "light") else guessed_theme()


def keep_theme(name: str) -> None:
    with contextlib.suppress(OSError):
        _theme_file().parent.mkdir(parents=True, exist_ok=True)
        _theme_file().write_text(name, "utf-8")


def _theme_file() -> Path:
    home = os.environ.get("QUIZAPP_HOME")
    if home:
        return Path(home).expanduser() / "cache" / "theme"
    from platformdirs import user_cache_path

    return user_cache_path("quizapp", appauthor=False) / "theme"


def guessed_theme() -> str:
    """`light` when the terminal says so (COLORFGBG, `foreground;background`), else `dark`."""
    ground = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if ground in ("7", "15") else "dark"
