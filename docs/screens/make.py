"""Makes the pictures of the README from the shipped bank: `python docs/screens/make.py`."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[1] / "tests")]

from tui.lab_support import open_lab, predict, until  # noqa: E402
from tui.support import make_app, press, settle  # noqa: E402

from quizapp.bank.load import load_bank  # noqa: E402
from quizapp.tui.app import QuizApp  # noqa: E402

FONTS = 'font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;'


def save(app: QuizApp, name: str) -> None:
    svg = app.export_screenshot(title="quizapp")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # no font is fetched from anywhere
    svg = re.sub(r"font-family: Fira Code[^;]*;", FONTS, svg)
    (HERE / f"{name}.svg").write_text(svg, "utf-8")


async def shoot(theme: str, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = make_app(Path(folder), bank=load_bank(), theme=theme, exam_date="2026-12-20", kinds=["single"])
        async with app.run_test(size=(84, 26)) as pilot:
            await settle(pilot)
            save(app, f"home{suffix}")
            await press(pilot, "s", "2")
            save(app, f"question{suffix}")
            await press(pilot, "u")
            save(app, f"explanation{suffix}")
            await press(pilot, "q", "b", "down")
            save(app, f"browse{suffix}")
        app.store.close()


async def shoot_lab(lab: str, name: str, size: tuple[int, int], at: int) -> None:
    """A lab's first run, on torch, scrubbed to step `at`."""
    with tempfile.TemporaryDirectory() as folder:
        app = make_app(Path(folder), bank=load_bank(), theme="dark")
        async with app.run_test(size=size) as pilot:
            screen = await open_lab(pilot, app, lab)
            await predict(pilot, screen)
            await press(pilot, "enter")
            await until(pilot, lambda: not screen.bench.running and screen.view.record.receipts, "the end of the run")
            screen.pane.seek(at)
            await settle(pilot)
            save(app, name)
        app.store.close()


if __name__ == "__main__":
    for theme, suffix in (("dark", ""), ("light", "-light")):
        asyncio.run(shoot(theme, suffix))
    asyncio.run(shoot_lab("01-static-waste", "lab-static-waste", (100, 30), 1_000_000))
    asyncio.run(shoot_lab("06-reserve-or-risk", "lab-reserve-or-risk", (120, 40), 60))
