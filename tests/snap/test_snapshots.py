"""Every screen as text, at 80 × 24 and 120 × 40, light and dark: real store, small bank, frozen clock, fixed seed.

Rewrite with `QUIZAPP_SNAPSHOT=write pytest tests/snap`. Text and colours are kept apart: the text once a size, and for
each theme a digest of which words stand in which colour, so that a diff is readable.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from tui.support import make_app, press, settle, text_of

from quizapp.store.errors import StoreError
from quizapp.tui.app import QuizApp

FOLDER = Path(__file__).parent / "screens"
SIZES = {"80x24": (80, 24), "120x40": (120, 40)}
WORDS = ("text", "muted", "right", "wrong", "line", "background", "surface", "panel")
WRITE = os.environ.get("QUIZAPP_SNAPSHOT") == "write"

Walk = Callable[[Pilot[None]], Awaitable[None]]


def keys(*names: str) -> Walk:
    async def walk(pilot: Pilot[None]) -> None:
        await press(pilot, *names)

    return walk


SCREENS: dict[str, tuple[dict[str, Any], Walk]] = {
    "home": ({}, keys("down")),
    "home-exam": ({"exam_date": "2026-12-20"}, keys()),
    "welcome": ({"first_run_done": False}, keys("enter")),
    "help": ({}, keys("b", "?")),
    "study-single": ({"kinds": ["single"]}, keys("s", "2")),
    "study-single-verdict": ({"kinds": ["single"]}, keys("s", "2", "u")),
    "study-multiple": ({"kinds": ["multiple"]}, keys("s", "1", "down")),
    "study-numeric": ({"kinds": ["numeric"]}, keys("s", *"800", "enter")),
    "study-numeric-verdict": ({"kinds": ["numeric"]}, keys("s", *"108", "enter", "enter")),
    "study-order": ({"kinds": ["order"]}, keys("s", "space", "down")),
    "study-order-verdict": ({"kinds": ["order"]}, keys("s", "3", "g")),
    "study-match": ({"kinds": ["match"]}, keys("s", "2")),
    "study-match-verdict": ({"kinds": ["match"]}, keys("s", "1", "2", "3", "enter")),
    "study-short": ({"kinds": ["short"]}, keys("s", *"flight")),
    "study-note": ({"kinds": ["single"]}, keys("s", "n", *"hm")),
    "study-over": ({"kinds": ["short"]}, keys("s", "tab", "b")),
    "browse": ({}, keys("b", "down")),
    "browse-key": ({}, keys("b", "a")),
    "browse-nothing": ({}, keys("b", "/", *"zzz", "enter")),
    "settings": ({}, keys("t", "down", "enter")),
}


def colours(app: QuizApp) -> str:
    """Words by their colours: `foreground on background: words …`, in the order of appearance."""
    names = {value.lower(): name for name, value in app.theme_variables.items() if name in WORDS}
    seen: dict[str, list[str]] = {}
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            style = segment.style
            if segment.text.strip() and style and style.color and style.bgcolor:
                pair = [str(c.triplet.hex) if c.triplet else "default" for c in (style.color, style.bgcolor)]
                look = " on ".join(names.get(one, one) for one in pair) + (" bold" if style.bold else "")
                seen.setdefault(look, []).append(" ".join(segment.text.split()))
    return "".join(f"{look}: {' | '.join(words)}\n" for look, words in seen.items())


def compare(path: Path, now: str) -> None:
    if WRITE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(now, "utf-8")
    assert path.exists(), f"there is no {path.name}; write it with QUIZAPP_SNAPSHOT=write"
    assert now == path.read_text("utf-8"), f"{path.name} differs; if it should, rewrite it with QUIZAPP_SNAPSHOT=write"


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCREENS)
async def test_screen(tmp_path: Path, name: str, size: str) -> None:
    how, walk = SCREENS[name]
    app = make_app(tmp_path, **how)
    async with app.run_test(size=SIZES[size], notifications=True, tooltips=True) as pilot:
        await settle(pilot)
        await walk(pilot)
        await settle(pilot)
        for theme in ("dark", "light"):
            app.theme = f"quiz-{theme}"
            await settle(pilot)
            text, look = text_of(app) + "\n", colours(app)
            compare(FOLDER / size / f"{name}.txt", text)
            compare(FOLDER / size / f"{name}.{theme}.txt", look)
    app.store.close()


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
async def test_home_when_the_store_cannot_be_opened(tmp_path: Path, size: str) -> None:
    def refuse() -> Any:
        raise StoreError("The store is from a newer quizapp (schema 9; this one knows 4). Update quizapp, or use --db.")

    app = make_app(tmp_path, opener=refuse)
    async with app.run_test(size=SIZES[size]) as pilot:
        await settle(pilot)
        compare(FOLDER / size / "home-failed.txt", text_of(app) + "\n")


@pytest.mark.snapshot
@pytest.mark.parametrize("size", [(39, 30), (60, 11), (2, 2)])
async def test_a_terminal_that_is_too_small_says_so_and_loses_nothing(tmp_path: Path, size: tuple[int, int]) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "2")
        await pilot.resize_terminal(*size)
        await settle(pilot)
        assert "Study" not in text_of(app)
        assert size[0] < 20 or "Please enlarge to 40 × 12" in text_of(app)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert "How sure?" in text_of(app)
    app.store.close()
