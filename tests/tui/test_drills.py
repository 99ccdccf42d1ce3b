"""The end of a drill: what it measured, and where the way back leads."""

from __future__ import annotations

from pathlib import Path

import pytest
from exam.helpers import START

from quizapp.clock import FixedClock
from quizapp.study.practice import Choice
from quizapp.tui.screens.practice import PracticeRoom
from quizapp.tui.screens.practice_run import PracticeScreen
from quizapp.tui.screens.progress import ProgressScreen
from tui.exam_support import exam_app, small_exam
from tui.support import Ticks, make_app, press, settle, text_of
from tui.test_exam_practice import answer, only_single, practise


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (40, "You took 40 s, within the limit of 65 s."),
        (65, "You took 65 s, within the limit of 65 s."),
        (80, "You took 80 s, 15 s over the limit of 65 s."),
    ],
)
async def test_the_verdict_of_a_pacing_drill_says_how_long_it_took(tmp_path: Path, seconds: int, words: str) -> None:
    ticks = Ticks()
    app = exam_app(tmp_path, FixedClock(START), ticks, only_single(small_exam()))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await practise(pilot, "Pacing drill")
        ticks.seconds += seconds
        await answer(pilot, screen, right=True)
        ticks.seconds += 300  # the reasons are read
        screen._paint()
        assert words in text_of(app)
        assert "Rated " in text_of(app)
    app.store.close()


async def test_leaving_a_pacing_drill_shows_what_it_measured_first(tmp_path: Path) -> None:
    ticks = Ticks()
    app = exam_app(tmp_path, FixedClock(START), ticks, small_exam())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await practise(pilot, "Pacing drill")
        if screen.draft.place == "entry":  # type: ignore[union-attr]
            await press(pilot, "tab")
        ticks.seconds += 50
        await press(pilot, *(["e", "enter", "enter"] if screen.draft.place == "entry" else ["0"]))  # type: ignore[union-attr]
        assert "You took 50 s" in text_of(app)
        await press(pilot, "q")
        assert "Stopped after 1 of 6." in text_of(app)
        assert "1 answered, 0 right." in text_of(app)
        assert "50 seconds each; the exam gives about 65." in text_of(app)
        await press(pilot, "q")
        assert isinstance(app.screen, PracticeRoom)
    app.store.close()


async def test_a_pacing_drill_without_an_answer_is_left_at_once(tmp_path: Path) -> None:
    app = exam_app(tmp_path, FixedClock(START), bank=only_single(small_exam()))
    async with app.run_test(size=(80, 24)) as pilot:
        await practise(pilot, "Pacing drill")
        await press(pilot, "q")
        assert isinstance(app.screen, PracticeRoom)
    app.store.close()


@pytest.mark.parametrize(
    ("room", "name", "type_"), [("p", "Practice", PracticeRoom), ("g", "Progress", ProgressScreen)]
)
async def test_the_end_of_a_drill_names_where_enter_goes(tmp_path: Path, room: str, name: str, type_: type) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, room)
        app.push_screen(PracticeScreen(Choice("ids", "one-single", "one")))
        await settle(pilot)
        await press(pilot, "0", "enter")
        assert text_of(app).splitlines()[-1].strip().startswith(f"Enter {name}")
        assert f"Press Enter or q to go back to {name}." in text_of(app)
        await press(pilot, "z")
        assert "taken back" in text_of(app)
        await press(pilot, "0", "enter", "enter")
        assert isinstance(app.screen, type_)
    app.store.close()
