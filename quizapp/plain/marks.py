"""The small Markdown of questions and labs as lines that read aloud."""

from __future__ import annotations

import re

_EMPHASIS = re.compile(
    r"`[^`]+`"  # code stays as it is
    r"|\*\*(?!\s)(?P<bold>[^*]+)(?<!\s)\*\*"
    r"|(?<![\w*])\*(?![\s*])(?P<star>[^*`]+)(?<!\s)\*(?![\w*])"
    r"|(?<!\w)_(?![\s_])(?P<bar>[^_`]+)(?<!\s)_(?!\w)"
)


def unmarked(text: str) -> str:
    """Bold in capitals, since it turns the meaning (**not**); italic without its marks."""
    return _EMPHASIS.sub(lambda found: (found["bold"] or "").upper() or found["star"] or found["bar"] or found[0], text)
