"""Every lab, the list and the claims as text: the first page, and a run at its end, at 80 × 24 and 120 × 40."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from tui.lab_support import open_lab, predict, read_off, run_all, transfer_answer, until
from tui.support import make_app, press, settle, text_of

from labs.lab import load_catalog
from quizapp.bank.load import load_bank
from quizapp.study import labs as use_cases
from quizapp.tui.app import QuizApp
from quizapp.tui.screens.lab import LabScreen
from snap.test_snapshots import FOLDER, SIZES, colours, compare

LABS = [pytest.param(name, id=name[:2]) for name in load_catalog()]
BANK = load_bank()


@pytest.fixture(autouse=True)
def virtual(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs without torch, everybody with the same numbers."""
    monkeypatch.setattr(use_cases, "EXECUTOR", "virtual")
    monkeypatch.setattr(use_cases.Labs.__init__, "__defaults__", (lambda: 7,))


async def shot(pilot: Pilot[None], app: QuizApp, size: str, name: str) -> None:
    """The screen as it is; a run that is being played is shown at its end."""
    await settle(pilot)
    if isinstance(app.screen, LabScreen):
        app.screen.bench._notes.clear()  # how long this machine took
        app.screen.pane.seek(1_000_000)
        await settle(pilot)
    compare(FOLDER / size / f"{name}.txt", text_of(app) + "\n")


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", LABS)
async def test_lab(tmp_path: Path, name: str, size: str) -> None:
    app = make_app(tmp_path, bank=BANK)
    async with app.run_test(size=SIZES[size]) as pilot:
        screen = await open_lab(pilot, app, name)
        await shot(pilot, app, size, f"lab-{name[:2]}")
        await predict(pilot, screen)
        await press(pilot, "enter")
        await until(pilot, lambda: not screen.bench.running and screen.view.record.receipts, "the end of the run")
        await press(pilot, "ctrl+t") if screen.typing else None
        await press(pilot, "end")
        await shot(pilot, app, size, f"lab-{name[:2]}-run")
    app.store.close()


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
async def test_the_steps_of_a_lab(tmp_path: Path, size: str) -> None:
    app = make_app(tmp_path, bank=BANK)
    async with app.run_test(size=SIZES[size]) as pilot:
        screen = await open_lab(pilot, app, "01-static-waste")
        await press(pilot, *"74", "enter")
        await shot(pilot, app, size, "lab-step-sure")
        await press(pilot, "4")
        await predict(pilot, screen)
        await run_all(pilot, screen)
        await press(pilot, *"12", "enter")
        await shot(pilot, app, size, "lab-step-observe")
        await read_off(pilot, screen)
        await shot(pilot, app, size, "lab-step-explain")
        await press(pilot, "2")
        await shot(pilot, app, size, "lab-step-why")
        await press(pilot, "enter", *"10", "enter", "1")
        await run_all(pilot, screen)
        await shot(pilot, app, size, "lab-step-missed")
        await press(pilot, "enter", *transfer_answer(tmp_path, 7), "enter", "4")
        await run_all(pilot, screen)
        await shot(pilot, app, size, "lab-step-passed")
        for theme in ("dark", "light"):
            app.theme = f"quiz-{theme}"
            await settle(pilot)
            compare(FOLDER / size / f"lab-step-passed.{theme}.txt", colours(app))
    app.store.close()


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "keys"), [("labs", ["l", "down"]), ("claims", ["c", "down", "down", "down"])])
async def test_lists(tmp_path: Path, name: str, keys: list[str], size: str) -> None:
    app = make_app(tmp_path, bank=BANK)
    async with app.run_test(size=SIZES[size]) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        await shot(pilot, app, size, name)
        for theme in ("dark", "light"):
            app.theme = f"quiz-{theme}"
            await settle(pilot)
            compare(FOLDER / size / f"{name}.{theme}.txt", colours(app))
    app.store.close()
