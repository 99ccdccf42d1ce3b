"""Hostile text in every place that shows foreign text: it shows as text, and the terminal never obeys it."""

from __future__ import annotations

import unicodedata
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from quizapp.bank.model import Bank
from quizapp.bank.schema import Misconception, Objective, Question, Source
from quizapp.text import clean
from quizapp.tui.app import QuizApp
from quizapp.tui.screens.study import StudyScreen
from quizapp.tui.text import inline, line, markdown, plain
from quizapp.tui.widgets.flow import Flow
from tui.support import make_app, press, settle, text_of

HOSTILE = [
    "[red]",
    "[/]",
    "[/",
    "[b",
    "WITHSCORE [b + x",
    "[[/test.md]]",
    '{"a":[true]}',
    "kv[0] = [/usr/lib]",
    "[@click=app.leave]x[/]",
    "\x1b[31mred\x1b[0m",
    "\x1b]52;c;aGk=\x07clip",
    "\x9b31m\x90q\x9c",
    "a\u202eb\u2066c\u200f",
    "$muted {x} %s \\[ `[/` **[b**",
    "漢字かな交じり文の問題" * 12,
    "x" * 10_000,
    "e\u0301 \U0001f469\u200d\U0001f469\u200d\U0001f467 \u2028 \ud800 end",
]
SAFE_CONTROLS = "\n\t"


def obeyed(text: str) -> list[str]:
    """Characters that a terminal would obey or that turn the direction of text."""
    return [
        c
        for c in text
        if (unicodedata.category(c) in ("Cc", "Cs") or "\u202a" <= c <= "\u202e") and c not in SAFE_CONTROLS
    ]


def hostile_bank(kind: str, texts: list[str]) -> Bank:
    """One question for each hostile text, with the text in every field that takes text."""
    adapter: TypeAdapter[Any] = TypeAdapter(Question)
    bank = Bank(objectives={"o": Objective(title="o")})
    for n, raw in enumerate(texts):
        text = clean(raw) if "\ud800" in raw else raw
        names = [f"{name}{n}" for name in ("a", "b", "c", "d")]
        say = [f"{name} {text}" for name in names]
        both = list(zip(names, say, strict=True))
        belief = {"misconception": f"m{n}"}
        key = {names[0]: {"correct": True}}
        fields: dict[str, Any] = {
            "single": {"options": [{"id": i, "text": t, "why": text, **key.get(i, belief)} for i, t in both]},
            "order": {"items": [{"id": i, "text": t, "why": text} for i, t in both], **belief},
            "match": {"pairs": [{"id": i, "left": f"l {t}", "right": t, "why": text, **belief} for i, t in both]},
            "short": {"accept": [text.strip() or "x"], "why": text},
        }[kind]
        common = {"id": f"q{n:02}", "kind": kind, "style": "mechanism", "ask": f"ask {text}", "explain": f"why {text}"}
        rest = {"objectives": ["o"], "sources": [f"s{n}"], "as_of": date(2026, 11, 1), "difficulty": 1}
        bank.questions[f"q{n:02}"] = adapter.validate_python({**common, **rest, **fields})
        bank.topic[f"q{n:02}"] = f"topic {text}"
        bank.sources[f"s{n}"] = Source(
            title=f"title {text}", address="https://example.org/" + text, checked=date(2026, 11, 1)
        )
        bank.misconceptions[f"m{n}"] = Misconception(name=f"name {text}", belief=text, truth=f"truth {text}")
    return bank


def safe_screen(app: QuizApp) -> None:
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            assert not obeyed(segment.text), repr(segment.text)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_one_helper_keeps_the_words_and_drops_what_is_obeyed(text: str) -> None:
    kept = clean(text)
    assert plain(text).plain == kept
    assert not obeyed(plain(text).plain)
    assert line(text).plain == " ".join(kept.split())
    assert not obeyed(inline(text).plain)
    shown = "\n".join(block.body.plain for block in markdown(text))
    assert not obeyed(shown)
    marks = "`*" if "`" in text else ""
    assert "".join(c for c in kept if not c.isspace() and c not in marks) == "".join(shown.split())


@pytest.mark.parametrize(
    ("text", "shown", "styles"),
    [
        ("a *word* and _another one_.", "a word and another one.", ["italic", "italic"]),
        ("**not** *it*, `*args*` `_x_`", "not it, *args* _x_", ["bold", "italic", "$code", "$code"]),
        ("2 * 3 * 4, a*b*c, 2 ** 3 ** 4", "2 * 3 * 4, a*b*c, 2 ** 3 ** 4", []),
        ("max_num_seqs __init__ _x and y", "max_num_seqs __init__ _x and y", []),
        ("*漢字* [red]*x*[/]", "漢字 [red]x[/]", ["italic", "italic"]),
        ("*open `a*b`", "*open a*b", ["$code"]),
    ],
)
def test_emphasis_is_shown_and_products_and_names_are_left_alone(text: str, shown: str, styles: list[str]) -> None:
    content = inline(text)
    assert content.plain == shown
    assert [span.style for span in content.spans] == styles


@pytest.mark.parametrize(
    ("kind", "texts"), [("single", HOSTILE), *((kind, HOSTILE[2:12:2]) for kind in ("order", "match", "short"))]
)
async def test_study_shows_hostile_questions_as_text(tmp_path: Path, kind: str, texts: list[str]) -> None:
    app = make_app(tmp_path, bank=hostile_bank(kind, texts), new_per_day=100, learn_ahead_minutes=0)
    async with app.run_test(size=(60, 20), notifications=True, tooltips=True) as pilot:
        await settle(pilot)
        await press(pilot, "s")
        for _ in texts:
            screen = app.screen
            assert isinstance(screen, StudyScreen)
            assert screen.phase == "ask"
            assert screen.query_one("#stem", Flow).text.startswith("ask")
            safe_screen(app)
            await press(pilot, *(["enter", "enter"] if kind == "short" else ["1", "0"]))
            verdict = screen.query_one("#verdict", Flow).text
            assert "title" in verdict
            assert not obeyed(verdict)
            safe_screen(app)
            await press(pilot, "enter")
        assert isinstance(app.screen, StudyScreen)
        assert app.screen.phase == "over"
    app.store.close()


async def test_browse_settings_notes_and_copies_of_hostile_text(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=hostile_bank("single", HOSTILE[:15:2]))
    async with app.run_test(size=(110, 30), notifications=True, tooltips=True) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        for _ in range(8):
            await press(pilot, "a", "y")
            safe_screen(app)
            await press(pilot, "t", "down")
        for text in ("[/", "[b]", "\x1b[31m"):
            box = app.screen.query_one("#search")
            await press(pilot, "/")
            box.value = text  # type: ignore[attr-defined]
            await settle(pilot)
            safe_screen(app)
            await press(pilot, "enter")
    app.store.close()


@pytest.mark.parametrize("text", HOSTILE)
async def test_toasts_failures_and_border_titles(tmp_path: Path, text: str) -> None:
    def refuse() -> Any:
        from quizapp.store.errors import StoreError

        raise StoreError(f"The store {text} cannot be opened.")

    app = make_app(tmp_path, opener=refuse)
    async with app.run_test(size=(60, 20), notifications=True) as pilot:
        await settle(pilot)
        assert "could not be opened" in text_of(app)
        app.tell(text)
        app.tell(text, bad=True)
        app.screen.query_one(Flow).border_title = plain(text).plain and Content(clean(text))  # type: ignore[assignment]
        await settle(pilot)
        safe_screen(app)


class HostileCommands(Provider):
    async def discover(self) -> Hits:
        for text in HOSTILE:
            yield DiscoveryHit(plain(text), lambda: None, text=clean(text), help=clean(text).replace("[", "("))

    async def search(self, query: str) -> Hits:
        for text in HOSTILE:
            yield Hit(1.0, plain(text), lambda: None, text=clean(text))


async def test_the_palette_takes_hostile_commands(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    app.COMMANDS = {lambda: HostileCommands}  # type: ignore[misc]
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+p")
        await pilot.pause(0.2)
        await press(pilot, "[", "down", "down")
        await pilot.pause(0.2)
        safe_screen(app)
    app.store.close()
