"""A long sitting: nothing grows, no key sequence breaks it, and the app survives what a window manager does."""

from __future__ import annotations

import gc
import os
import random
from pathlib import Path

import psutil
import pytest
from textual.widget import Widget

from quizapp.bank.load import load_bank
from quizapp.bank.model import Bank
from quizapp.tui import actions
from quizapp.tui.screens.study import StudyScreen
from tui.support import BANK, make_app, press, settle

WARM_UP = 24


def many(count: int) -> Bank:
    """The small bank's questions, again and again under other ids."""
    bank = load_bank(dirs=[BANK])
    originals = list(bank.questions.values())
    for n in range(count):
        original = originals[n % len(originals)]
        copy = original.model_copy(update={"id": f"copy-{n}"})
        bank.questions[copy.id] = copy
        bank.topic[copy.id] = "copies"
    for original in originals:
        del bank.questions[original.id]
    return bank


def live_widgets() -> int:
    gc.collect()
    return sum(isinstance(thing, Widget) for thing in gc.get_objects())


@pytest.mark.parametrize("questions", [48, pytest.param(300, marks=pytest.mark.prove)])
async def test_a_sitting_grows_neither_memory_nor_widgets(tmp_path: Path, questions: int) -> None:
    app = make_app(tmp_path, bank=many(questions + WARM_UP), new_per_day=9999, learn_ahead_minutes=0)
    process = psutil.Process(os.getpid())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s")
        screen = app.screen
        assert isinstance(screen, StudyScreen)

        async def answer() -> None:
            keys = ["enter", "enter"] if screen.phase == "ask" and screen.draft.place == "entry" else ["0"]  # type: ignore[union-attr]
            await press(pilot, *keys, "enter")

        for _ in range(WARM_UP):
            await answer()
        widgets, memory = live_widgets(), process.memory_info().rss
        for _ in range(questions):
            await answer()
        assert screen.tally.answered == questions + WARM_UP
        assert live_widgets() <= widgets + 20
        assert process.memory_info().rss <= memory + 5 * 2**20
    app.store.close()


async def test_visits_to_help_and_the_palette_leave_no_widgets(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "f1", "q", "ctrl+p", "escape")
        before = live_widgets()
        for _ in range(12):
            await press(pilot, "f1", "q", "ctrl+p", "escape")
        assert live_widgets() <= before + 20
    app.store.close()


KEYS = sorted(
    {key for action in actions.ACTIONS for key in action.keys.split(",")} - {"ctrl+q", "ctrl+c"}
    | {"x", "[", "]", "é", "漢", "f5", "delete", "insert", "ctrl+w", "shift+tab"}
)


@pytest.mark.parametrize("seed", [1, 2])
async def test_random_keys_and_sizes_break_nothing(tmp_path: Path, seed: int) -> None:
    """Reproducible by its seed. `q` on Home would quit, so it is not pressed there."""
    rng = random.Random(seed)
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await settle(pilot)
        for _ in range(150):
            key = rng.choice(KEYS)
            if not (key == "q" and app.current_mode == "home"):
                await press(pilot, key)
            if rng.random() < 0.05:
                await pilot.resize_terminal(
                    rng.choice([2, 4, 20, 40, 41, 80, 99, 120]), rng.choice([2, 5, 12, 13, 24, 40])
                )
        assert app._exception is None
        assert app.is_running
    app.store.close()
