"""Walking through a lab with the keyboard, on the real engine's child (virtual executor, so that it is quick)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from textual.pilot import Pilot

from labs import session as rules
from labs.lab import find_lab
from labs.runner import perform
from labs.setting import make_setting
from quizapp.tui.app import QuizApp
from quizapp.tui.screens.lab import LabScreen
from tui.support import press, settle

PATIENCE = 300.0
"""Seconds to wait for something before a test fails. Nothing is asserted about speed."""


async def until(pilot: Pilot[None], what: Callable[[], bool], words: str) -> None:
    end = time.monotonic() + PATIENCE
    while not what():
        await settle(pilot)
        await asyncio.sleep(0.01)
        assert time.monotonic() < end, f"waited in vain for {words}"
    await settle(pilot)


async def open_lab(pilot: Pilot[None], app: QuizApp, lab: str) -> LabScreen:
    await settle(pilot)
    app.open_lab(lab, "labs")
    await settle(pilot)
    assert isinstance(app.screen, LabScreen)
    return app.screen


def keys_for(value: float | str, ask: Any) -> list[str]:
    return [{"-": "minus"}.get(char, char) for char in f"{value:.{ask.decimals}f}"]


async def predict(pilot: Pilot[None], screen: LabScreen, value: str = "5", sure: str = "3") -> None:
    """Answers every open prediction alike, with a confidence."""
    while screen.step == "predict":
        first = ["1"] if screen.form.phase == "pick" else [*value, "enter"]
        await press(pilot, *first, sure)


async def run_all(pilot: Pilot[None], screen: LabScreen) -> None:
    while screen.step == "run":
        left = len(screen.view.runs_left(screen.view.part_of(screen.fast)))
        await press(pilot, "enter")
        await until(
            pilot,
            lambda left=left: (
                not screen.bench.running  # type: ignore[misc]
                and (screen.step != "run" or len(screen.view.runs_left(screen.view.part_of(screen.fast))) < left)
            ),
            "the end of the run",
        )


async def read_off(pilot: Pilot[None], screen: LabScreen) -> None:
    """Types what the runs really say."""
    while screen.step == "observe":
        ask, open_asks = screen.form.ask, len(screen.form.asks)
        value = rules.truth(ask, screen.view.record.ran("main"))
        pick = ask.kind == "choice"
        await press(pilot, *([str(ask.choices.index(value) + 1)] if pick else [*keys_for(value, ask), "enter"]))
        assert screen.step != "observe" or len(screen.form.asks) < open_asks, f"{ask.key}: {value} was not accepted"


async def explain(pilot: Pilot[None], screen: LabScreen) -> None:
    right = next(n for n, option in enumerate(screen.view.lab.explain.options, 1) if option.correct)
    await press(pilot, str(right))


def engine_children() -> list[psutil.Process]:
    """Children of this process that are engines and not ended."""
    out = []
    for child in psutil.Process().children():
        try:
            if "labs.child" in child.cmdline() and child.status() != psutil.STATUS_ZOMBIE:
                out.append(child)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return out


def transfer_answer(folder: Path, seed: int) -> str:
    """The right answer to lab 1's transfer on a learner's numbers."""
    lab = find_lab("01-static-waste")
    setting = make_setting(lab, "transfer", "own", seed, executor="virtual")
    value = rules.truth(lab.transfer.predict[0], {"own": perform(lab, setting, folder / "own.jsonl", "").receipt})
    return f"{value:.1f}"
