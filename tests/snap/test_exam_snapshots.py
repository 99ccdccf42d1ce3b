"""Mock exam and practice as text, at 80 × 24, 120 × 40 and one at 40 × 15: small bank, frozen clocks, fixed seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from exam.helpers import key_of, wrong_of
from tui.exam_support import Machine, exam_app, give, small_exam
from tui.support import press, settle, text_of

from quizapp.tui.screens.exam_sitting import SittingScreen
from snap.test_snapshots import FOLDER, SIZES, colours, compare


class Camera:
    """Keeps what is on the screen under a name."""

    def __init__(self, pilot: Any, size: str) -> None:
        self.pilot = pilot
        self.folder = FOLDER / size

    async def take(self, name: str) -> None:
        await settle(self.pilot)
        compare(self.folder / f"{name}.txt", text_of(self.pilot.app) + "\n")
        compare(self.folder / f"{name}.dark.txt", colours(self.pilot.app))


async def to(pilot: Any, screen: SittingScreen, kind: str) -> None:
    kinds = [screen.desk.variant(n).question.kind for n in range(len(screen.sitting.replies))]
    screen._go(kinds.index(kind))
    await settle(pilot)


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
async def test_an_exam_from_the_lobby_to_the_review(tmp_path: Path, monkeypatch: Any, size: str) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall, bank=small_exam())
    async with app.run_test(size=SIZES[size], notifications=True) as pilot:
        camera = Camera(pilot, size)
        await settle(pilot)
        await press(pilot, "e")
        await camera.take("exam-lobby")
        await press(pilot, "enter")
        await camera.take("exam-rules")
        await press(pilot, "y")
        screen = app.screen
        assert isinstance(screen, SittingScreen)
        for kind, keys in (
            ("single", ["down", "x", "2", "f"]),
            ("multiple", ["1"]),
            ("match", ["2"]),
            ("order", ["space", "down"]),
            ("numeric", [*"3,145", "enter"]),
        ):
            await to(pilot, screen, kind)
            await press(pilot, *keys)
            await camera.take(f"exam-{kind}")
        await press(pilot, "tab", "tab")
        await to(pilot, screen, "single")
        machine.pass_time(65)
        screen.tick()
        await press(pilot, "v", "right")
        await camera.take("exam-grid")
        await press(pilot, "h")
        await camera.take("exam-hand-in")
        await press(pilot, "q", "q")
        await camera.take("exam-leave")
        await press(pilot, "y")
        await camera.take("exam-running")
        await press(pilot, "enter", "h", "y")
        await camera.take("exam-result")
        await press(pilot, "a")
        await camera.take("exam-review")
        await press(pilot, "q", "q", "down")
        await camera.take("exam-lobby-one")
    app.store.close()


@pytest.mark.snapshot
async def test_a_trend_needs_two_exams_and_a_small_terminal_is_enough(tmp_path: Path, monkeypatch: Any) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall, bank=small_exam())
    async with app.run_test(size=(40, 15), notifications=True) as pilot:
        await settle(pilot)
        camera = Camera(pilot, "40x15")
        for right in (1, 3, 6):
            await press(pilot, "e", "enter", "y")
            screen = app.screen
            assert isinstance(screen, SittingScreen)
            await to(pilot, screen, "single")
            if right == 1:
                await camera.take("exam-single")
            screen._go(0)
            await settle(pilot)
            while screen.page == "ask":
                at, variant = screen.sitting.at, screen.desk.variant(screen.sitting.at)
                machine.pass_time(5)
                await give(pilot, screen, key_of(variant) if at < right else wrong_of(variant))
            await press(pilot, "y", "q", "q")
            machine.pass_time(86_400)
        await press(pilot, "e")
        assert "trend" in text_of(app)
        said = " ".join(text_of(app).split())
        assert "17 % → 50 % → 100 %: a" in said
        assert "beyond chance" in said
        await camera.take("exam-lobby-trend")
    app.store.close()


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
async def test_practice(tmp_path: Path, monkeypatch: Any, size: str) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall, bank=small_exam())
    async with app.run_test(size=SIZES[size], notifications=True) as pilot:
        camera = Camera(pilot, size)
        await settle(pilot)
        await press(pilot, "p")
        await camera.take("practice")
        await press(pilot, "down", "down", "down", "enter")
        await camera.take("practice-pairs")
        await press(pilot, "q", *["down"] * 6, "enter")
        await camera.take("practice-pace")
        await press(pilot, "tab", "q", "down", "enter", "enter")
        await camera.take("practice-explain")
        await press(pilot, *["enter"] * 6)
        await camera.take("practice-over")
    app.store.close()
