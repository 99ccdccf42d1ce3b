"""Everything that keys do on a screen can be clicked, too."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from quizapp.tui.app import QuizApp
from quizapp.tui.screens.study import StudyScreen
from tui.support import make_app, press, settle, text_of


async def click_words(pilot: Pilot[None], app: QuizApp, words: str) -> None:
    for y, row in enumerate(text_of(app).splitlines()):
        if words in row:
            await pilot.click(offset=(row.index(words), y))
            await settle(pilot)
            return
    raise AssertionError(f"{words!r} is not on the screen:\n{text_of(app)}")


async def test_rooms_options_partners_and_the_footer_can_be_clicked(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await click_words(pilot, app, "Study")
        screen = app.screen
        assert isinstance(screen, StudyScreen)
        await click_words(pilot, app, "At the next step")
        assert screen.draft is not None
        assert screen.draft.response == "next"
        await click_words(pilot, app, "flag")
        assert "! flagged" in text_of(app)
        await press(pilot, "enter")
        await click_words(pilot, app, "back")
        assert app.current_mode == "home"
    app.store.close()


async def test_a_left_side_can_be_clicked(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["match"])
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "s")
        await click_words(pilot, app, "vLLM")
        await click_words(pilot, app, "PagedAttention")
        screen = app.screen
        assert isinstance(screen, StudyScreen)
        assert screen.draft is not None
        assert screen.draft.response == {"vllm": "vllm"}
    app.store.close()
