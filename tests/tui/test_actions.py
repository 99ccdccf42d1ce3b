"""The table of keys: nothing clashes, everything is reachable, and the documentation says the same."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

import pytest
from textual.content import Content

from quizapp.tui import actions, screens
from quizapp.tui.modes import MODES
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.widgets.footer import BETWEEN, fit
from tui.support import make_app, press, settle, text_of

MODULES = [import_module(f"{screens.__name__}.{info.name}") for info in pkgutil.iter_modules(screens.__path__)]
SCREENS = {
    thing
    for module in MODULES
    for thing in vars(module).values()
    if isinstance(thing, type) and issubclass(thing, QuizScreen) and "BINDINGS" in vars(thing)
}
PLACES = sorted({place for action in actions.ACTIONS for place in action.where.split()} - {"all"})
NEVER_ARRIVE = {"ctrl+h", "ctrl+i", "ctrl+m", "ctrl+j", "ctrl+b", "ctrl+a", "ctrl+s", "ctrl+o"}


def test_no_key_means_two_things_in_one_place() -> None:
    assert actions.clashes() == []


def test_ids_are_unique_and_no_key_is_one_that_terminals_swallow() -> None:
    assert len({a.id for a in actions.ACTIONS}) == len(actions.ACTIONS)
    assert not {key for a in actions.ACTIONS for key in a.keys.split(",")} & NEVER_ARRIVE


def test_escape_is_never_the_only_way() -> None:
    assert [a.id for a in actions.ACTIONS if a.keys == "escape"] == []


def test_every_action_has_a_method_on_a_screen_that_binds_it() -> None:
    for action in actions.ACTIONS:
        name = action.call.partition("(")[0]
        if name.startswith("app."):
            continue
        act = {f"act('{action.id}')", *(f"act('{action.id}', '{key}')" for key in action.keys.split(","))}
        bound = [screen for screen in SCREENS if act & {binding.action for binding in screen.BINDINGS}]  # type: ignore[union-attr]
        assert bound, f"{action.id} is bound nowhere"
        assert all(hasattr(screen, f"action_{name}") for screen in bound), action.id


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("width", [34, 74, 114])
def test_the_footer_fits_and_keeps_help_and_back(place: str, width: int) -> None:
    hints = actions.hints({place}, {})
    shown = fit(hints, width)
    cells = sum(Content(f"{h.key} {h.words}").cell_length for h in shown) + len(BETWEEN) * (len(shown) - 1)
    assert cells <= width
    assert [h for h in hints if h.always] == [h for h in shown if h.always]
    assert any(h.key in ("?", "F1") for h in shown)


def test_the_document_of_keys_is_true() -> None:
    written = Path(__file__).parents[2] / "docs" / "keys.md"
    assert written.read_text("utf-8") == actions.document(), (
        "docs/keys.md is old; write it with: python -c "
        "'from quizapp.tui.actions import document; print(document(), end=\"\")' > docs/keys.md"
    )


def test_own_keys_that_clash_or_name_nothing_are_refused_by_name() -> None:
    assert actions.keymap_problems({"flag": "m"}) == []
    assert "'n' would mean both 'flag' and 'note'" in actions.keymap_problems({"flag": "n"})[0]
    assert "no action 'flagg'" in actions.keymap_problems({"flagg": "m"})[0]
    assert "bound to digits" in actions.keymap_problems({"choose": "a"})[0]


async def test_own_keys_work_and_show(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"], keys={"flag": "m"})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s")
        assert "m flag" in text_of(app)
        await press(pilot, "f")
        assert "flagged" not in text_of(app)
        await press(pilot, "m")
        assert "! flagged" in text_of(app)
    app.store.close()


async def test_help_lists_the_keys_of_the_screen_it_was_asked_on(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(100, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "?")
        text = text_of(app)
        for mode in MODES:
            assert f"Open {mode.title}" in text
        assert "Suspend it" not in text
        await press(pilot, "q", "b", "?")
        assert "Suspend it" in text_of(app)
    app.store.close()


async def test_the_palette_offers_what_the_place_allows_and_runs_it(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+p", *"browse")
        await pilot.pause(0.3)
        assert "Open Browse" in text_of(app)
        await press(pilot, "enter")
        await pilot.pause(0.3)
        await settle(pilot)
        assert app.current_mode == "browse"
    app.store.close()
