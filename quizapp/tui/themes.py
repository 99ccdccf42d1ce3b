"""Two themes of our own on Okabe–Ito blue and orange, which stay apart for colour-blind eyes.

Every text colour reaches 4.5:1 on every background it may stand on; `tests/tui/test_themes.py` computes it. Colour is
never alone: right and wrong also have a glyph and a word.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = "quiz-dark"
LIGHT = "quiz-light"

PALETTES: dict[str, dict[str, str]] = {
    DARK: {
        "background": "#11161b",
        "surface": "#181f26",
        "panel": "#212a33",
        "text": "#e3e8ed",
        "muted": "#9caab8",
        "blue": "#56b4e9",
        "orange": "#e69f00",
        "line": "#35424f",
        "on-blue": "#11161b",
    },
    LIGHT: {
        "background": "#fbfaf6",
        "surface": "#f2f0e9",
        "panel": "#e7e4da",
        "text": "#1b2228",
        "muted": "#515b65",
        "blue": "#0060a0",
        "orange": "#9a3d00",
        "line": "#c9c4b6",
        "on-blue": "#fbfaf6",
    },
}


def theme(name: str) -> Theme:
    """The Textual theme made from one palette."""
    p = PALETTES[name]
    return Theme(
        name=name,
        dark=name == DARK,
        primary=p["blue"],
        secondary=p["blue"],
        accent=p["orange"],
        warning=p["orange"],
        error=p["orange"],
        success=p["blue"],
        foreground=p["text"],
        background=p["background"],
        surface=p["surface"],
        panel=p["panel"],
        text_alpha=1.0,
        variables={
            "muted": p["muted"],
            "line": p["line"],
            "right": p["blue"],
            "wrong": p["orange"],
            "code": p["blue"],
            "on-blue": p["on-blue"],
            "text": p["text"],
            "text-muted": p["muted"],
            "text-disabled": p["muted"],
            "border": p["blue"],
            "border-blurred": p["line"],
            "block-cursor-background": p["blue"],
            "block-cursor-foreground": p["on-blue"],
            "block-cursor-text-style": "none",
            "input-cursor-background": p["text"],
            "input-cursor-foreground": p["background"],
            "input-selection-background": p["line"],
            "input-selection-foreground": p["text"],
            "screen-selection-background": p["line"],
            "screen-selection-foreground": p["text"],
            "scrollbar": p["line"],
            "scrollbar-hover": p["muted"],
            "scrollbar-active": p["blue"],
            "scrollbar-background": p["background"],
            "scrollbar-background-hover": p["background"],
            "scrollbar-background-active": p["background"],
            "scrollbar-corner-color": p["background"],
        },
    )
