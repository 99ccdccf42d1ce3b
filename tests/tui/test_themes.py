"""Every text colour of both themes is readable on every ground, and right differs from wrong for colour-blind eyes."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from textual.color import Color

from quizapp.tui.environment import guessed_theme, keep_theme, prepare, recalled_theme, refusal
from quizapp.tui.themes import DARK, LIGHT, PALETTES
from tui.support import make_app, press, settle

GROUNDS = ("background", "surface", "panel")
TEXTS = ("text", "muted", "blue", "orange")

DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
PROTANOPIA = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
"""Machado, Oliveira & Fernandes 2009, severity 1.0, on linear RGB."""


def linear(name: str) -> tuple[float, float, float]:
    r, g, b = Color.parse(name).rgb
    return tuple(c / 12.92 if (c := v / 255) <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for v in (r, g, b))  # type: ignore[return-value]


def luminance(name: str) -> float:
    r, g, b = linear(name)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: tuple[float, ...]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of linear RGB."""
    r, g, b = (min(max(v, 0.0), 1.0) for v in rgb)
    xyz = (
        0.4124 * r + 0.3576 * g + 0.1805 * b,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        0.0193 * r + 0.1192 * g + 0.9505 * b,
    )
    x, y, z = (
        v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(name: str, eye: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    rgb = linear(name)
    return lab(tuple(sum(weight * value for weight, value in zip(row, rgb, strict=True)) for row in eye))


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_every_text_reaches_4_5_to_1(theme: str) -> None:
    palette = PALETTES[theme]
    poor = [
        (text, ground, round(contrast(palette[text], palette[ground]), 2))
        for text, ground in itertools.product(TEXTS, GROUNDS)
        if contrast(palette[text], palette[ground]) < 4.5
    ]
    assert poor == []
    assert contrast(palette["on-blue"], palette["blue"]) >= 4.5


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("eye", [DEUTERANOPIA, PROTANOPIA])
def test_right_and_wrong_stay_apart_for_colour_blind_eyes(theme: str, eye: tuple[tuple[float, ...], ...]) -> None:
    right, wrong = seen(PALETTES[theme]["blue"], eye), seen(PALETTES[theme]["orange"], eye)
    assert sum((a - b) ** 2 for a, b in zip(right, wrong, strict=True)) ** 0.5 >= 40


@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_every_cell_of_the_screens_is_readable(tmp_path: Path, theme: str) -> None:
    """What was really painted, widget defaults included: foreground against background, cell by cell."""
    app = make_app(tmp_path, theme=theme)
    poor = set()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        app.tell("A toast with words.")
        for keys in (
            (),
            ("?",),
            ("q", "s"),
            ("0",),
            ("q", "b"),
            ("a",),
            ("/", "x"),
            ("tab", "q", "t"),
            ("enter",),
        ):
            await press(pilot, *keys)
            for strip in app.screen._compositor.render_strips():
                for segment in strip:
                    style = segment.style
                    if segment.text.strip(" ─━│╭╮╰╯▁▂▃▄▅▆▇█▊▎▔") and style and style.color and style.bgcolor:
                        fore, ground = (Color.from_rich_color(c).hex6 for c in (style.color, style.bgcolor))
                        if contrast(fore, ground) < 4.5:
                            poor.add((segment.text.strip()[:20], fore, ground))
    app.store.close()
    assert poor == set()


def test_no_color_sends_no_colour_and_an_empty_one_means_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    prepare()
    assert "NO_COLOR" not in os.environ
    monkeypatch.setenv("NO_COLOR", "1")
    prepare()
    assert os.environ["NO_COLOR"] == "1"


def test_nothing_moves_over_ssh_even_when_animations_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "full")
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.1 5 10.0.0.2 22")
    prepare()
    assert os.environ["TEXTUAL_ANIMATIONS"] == "none"


def test_the_theme_of_last_time_is_recalled_and_nonsense_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    monkeypatch.delenv("COLORFGBG", raising=False)
    assert recalled_theme() == "dark"
    keep_theme("light")
    assert recalled_theme() == "light"
    keep_theme("plaid")
    assert recalled_theme() == "dark"
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "a file"))
    (tmp_path / "a file").write_text("")
    keep_theme("light")
    assert recalled_theme() == "dark"


def test_the_terminal_may_say_that_it_is_light(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")
    assert guessed_theme() == "light"
    monkeypatch.setenv("COLORFGBG", "15;0")
    assert guessed_theme() == "dark"


def test_without_a_terminal_the_app_points_to_plain_mode() -> None:
    reason = refusal()
    assert reason is not None
    assert "quizapp study --plain" in reason


def test_home_imports_neither_the_bank_nor_the_store() -> None:
    code = (
        "import sys; import quizapp.tui.app; from quizapp.tui.screens.home import HomeScreen; "
        "print([m for m in ('pydantic', 'sqlmodel', 'sqlalchemy', 'yaml', 'torch', 'quizapp.bank', 'markdown_it') "
        "if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
