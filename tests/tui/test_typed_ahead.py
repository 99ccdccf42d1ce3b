"""Keys typed faster than the screen answers, as they come over a slow line: all in one packet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.events import Key
from textual.keys import _character_to_key

from quizapp.bank.load import load_bank
from quizapp.tui.screens.browse import BrowseScreen
from quizapp.tui.screens.study import StudyScreen
from tui.support import make_app, open_study, press, settle, text_of

NAMES = {"\r": "enter", "\x1b": "escape", "\x10": "ctrl+p"}


async def at_once(pilot: Any, text: str) -> None:
    """Every key is there before the first is handled."""
    for key in text:
        name = NAMES.get(key) or _character_to_key(key)
        pilot.app._driver.send_message(Key(name, None if key in NAMES else key))
    await settle(pilot)


def marks(home: Path) -> dict[str, tuple[bool, bool, str]]:
    with open_study(home) as study:
        infos = [study.card_info(row.id) for row in study.browse()]
    return {info.id: (info.flagged, info.suspended, info.note) for info in infos}


async def test_a_mark_in_browse_is_the_marked_rows(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await at_once(pilot, "jjjf")
        assert isinstance(app.screen, BrowseScreen)
        ids = [row.id for row in app.screen._rows]
        assert app.screen._selected_id == ids[3]
        await at_once(pilot, "jjs")
        await at_once(pilot, "kff")
    app.store.close()
    found = marks(tmp_path)
    assert [name for name, (flagged, *_) in found.items() if flagged] == [ids[3]], "twice is on and off again"
    assert [name for name, (_, suspended, _) in found.items() if suspended] == [ids[5]]


async def test_a_note_is_opened_for_the_marked_row_and_keeps_what_it_said(tmp_path: Path) -> None:
    with open_study(tmp_path) as study:
        ids = [row.id for row in study.browse()]
        study.note(ids[0], "first")
        study.note(ids[3], "my own")
    app = make_app(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await at_once(pilot, "jjjn")
        assert isinstance(app.screen, BrowseScreen)
        assert app.screen.note_box.value == "my own"
        await press(pilot, "escape", "home")
        await at_once(pilot, "jjjnand more\r")
        await at_once(pilot, "jnbest of all\r")
    app.store.close()
    notes = {name: note for name, (_, _, note) in marks(tmp_path).items() if note}
    assert notes == {ids[0]: "first", ids[3]: "my own and more", ids[4]: "best of all"}
    assert not any(flagged or suspended for flagged, suspended, _ in marks(tmp_path).values())


async def test_a_search_typed_in_one_go_is_searched_for(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        one = screen._rows[2].id
        await at_once(pilot, f"/{one}\r")
        assert [row.id for row in screen._rows] == [one]
        await press(pilot, "f")
        assert "! flagged" in text_of(app)
        await press(pilot, "q")
        assert app.current_mode == "home"
    app.store.close()


async def test_the_neighbour_is_marked_when_a_row_drops_out(tmp_path: Path) -> None:
    with open_study(tmp_path) as study:
        ids = [row.id for row in study.browse()][:5]
        for one in ids:
            study.flag(one, True)
    app = make_app(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        screen = None
        await press(pilot, "b")
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        while screen._filter != "flagged":
            await press(pilot, "v")
        await press(pilot, "down", "down", "f")
        assert screen._selected_id == ids[3]
        await press(pilot, "end", "f")
        assert screen._selected_id == ids[3]
    app.store.close()


@pytest.mark.parametrize("key", ["s", "b"])
async def test_what_is_put_away_is_not_answered_as_well(tmp_path: Path, key: str) -> None:
    app = make_app(tmp_path, bank=load_bank(), kinds=["single"])
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "s")
        assert isinstance(app.screen, StudyScreen)
        first = app.screen.card.question.id
        await at_once(pilot, f"{key}1\r")
        assert app.screen.card.question.id != first
        assert app.screen.phase == "ask"
    app.store.close()
    with open_study(tmp_path, bank=load_bank()) as study:
        assert study.stats()["reviews"] == 0


async def test_keys_behind_an_undo_answer_nothing_that_is_about_to_go(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank(), kinds=["single"])
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "b")
        screen = app.screen
        assert isinstance(screen, StudyScreen)
        shown = screen.card.question.id
        await at_once(pilot, "z1\r")
        assert screen.phase == "ask"
        assert screen.card.question.id != shown
        await press(pilot, "1", "enter")
        assert screen.given[-1].card.question.id == screen.card.question.id
    app.store.close()
    with open_study(tmp_path, bank=load_bank()) as study:
        assert study.stats()["reviews"] == 1


async def test_a_second_enter_neither_skips_the_verdict_nor_leaves(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank(), kinds=["single"])
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "s")
        await at_once(pilot, "1\r\r")
        assert isinstance(app.screen, StudyScreen)
        assert app.screen.tally.answered == 1
        await press(pilot, "h")
        assert isinstance(app.screen, StudyScreen), "h leads home only when a sitting is over"
    app.store.close()


@pytest.mark.parametrize("typed", ["\r\r", "light\r\r\r"])
@pytest.mark.parametrize("room", ["", "b"])
async def test_the_palette_stands_a_second_enter(tmp_path: Path, room: str, typed: str) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, *room, "ctrl+p")
        await at_once(pilot, typed)
        await settle(pilot)
        assert app.is_running
        await press(pilot, "escape")
        assert app.return_code in (None, 0)
    app.store.close()
