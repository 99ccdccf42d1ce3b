"""Foreign text (banks, files, servers) is hostile: what a terminal would obey is removed, the rest is kept. And
counts and shares in words, the same everywhere."""

from __future__ import annotations

import re

_HOSTILE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1 (8-bit CSI, OSC)
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks, embeddings, overrides and isolates of direction
    "\u2028\u2029"  # line and paragraph separators
    "\ufff9-\ufffb"  # interlinear annotation
    "\U000e0000-\U000e007f"  # invisible tags
    "\ud800-\udfff"  # lone surrogates cannot be written
    "]"
)
_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves
    r"|\x1b[\]PX^_].*?(?:\x1b\\|\x07|\x9c|$)"  # OSC, DCS, SOS, PM, APC with their payload
    r"|\x1b[@-Z\\^_]",
    re.DOTALL,
)


def clean(text: str) -> str:
    """`text` without escape sequences, control characters and bidirectional overrides; tabs and newlines stay."""
    return _HOSTILE.sub("", _SEQUENCES.sub("", text.replace("\r\n", "\n")))


def one_line(text: str, width: int | None = None) -> str:
    """Clean text on a single line, cut to `width` characters with an ellipsis."""
    line = " ".join(clean(text).split())
    if width is not None and len(line) > width:
        return line[: max(0, width - 1)] + "…"
    return line


def counted(count: int, one: str) -> str:
    """`1 answer`, `2 answers`, `3,000 answers`."""
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def percent(share: float | None, digits: int = 0) -> str:
    """`84 %`; a dash for what is not known."""
    return "–" if share is None else f"{share * 100:.{digits}f} %"


def percents(low: float, high: float) -> str:
    """A range of shares: `74–91 %`."""
    return f"{low * 100:.0f}–{percent(high)}"
