"""Makes the pictures of the README from the shipped bank: `python docs/screens/make.py`."""

from __future__ import annotations

import asyncio
import random
import re
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[1] / "tests")]

from exam.helpers import key_of, open_study, wrong_of  # noqa: E402
from tui.lab_support import open_lab, predict, until  # noqa: E402
from tui.support import make_app, press, settle  # noqa: E402

from quizapp.bank.load import load_bank  # noqa: E402
from quizapp.clock import FixedClock  # noqa: E402
from quizapp.exam import sitting as room  # noqa: E402
from quizapp.study.exams import Exams  # noqa: E402
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
            await press(pilot, "u")
            save(app, f"explanation{suffix}")
        app.store.close()


def study_for_weeks(home: Path) -> datetime:
    """A learner of our own making: three weeks of 30 questions a day, better with each day, and a mock exam at the end.

    Returns the morning after.
    """
    rng = random.Random(4)
    clock = FixedClock(datetime(2026, 11, 8, 9, tzinfo=UTC))
    with open_study(home, clock) as study:
        study.save_settings(exam_date="2026-12-20", learn_ahead_minutes=0, new_per_day=15)
        for day in range(21):
            clock.instant = datetime(2026, 11, 8, 9, tzinfo=UTC) + timedelta(days=day)
            for _ in range(30):
                card = study.next_card()
                if card is None:
                    break
                knows = rng.random() < 0.55 + 0.017 * day
                sure = rng.choices(("sure", "unsure", "guess"), (7, 2, 1) if knows else (3, 4, 3))[0]
                study.answer(card, (key_of if knows else wrong_of)(card.variant), sure, rng.randint(12_000, 70_000))
                clock.instant += timedelta(minutes=1)
        exams = Exams(study)
        clock.instant += timedelta(hours=2)
        desk = exams.start("nca-genl-serving", seed=1)
        sitting = desk.sitting
        for index in range(len(sitting.paper.items)):
            sitting = room.go(sitting, index, exams.now())
            reply = (key_of if rng.random() < 0.78 else wrong_of)(desk.variant(index))
            sitting = room.answer(sitting, index, reply, exams.now())
            clock.instant += timedelta(seconds=rng.randint(20, 75))
            sitting = room.tick(sitting, exams.now())
        exams.submit(desk, sitting)
        return datetime(2026, 11, 29, 9, tzinfo=UTC)


async def shoot_progress() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        clock = FixedClock(study_for_weeks(home))
        app = QuizApp(lambda: open_study(home, clock), clock=clock)
        async with app.run_test(size=(100, 34)) as pilot:
            await settle(pilot)
            await press(pilot, "g")
            save(app, "progress")
            await press(pilot, "q", "e", "up", "enter")
            save(app, "mock-result")
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
    asyncio.run(shoot_progress())
    asyncio.run(shoot_lab("01-static-waste", "lab-static-waste", (100, 30), 1_000_000))
    asyncio.run(shoot_lab("06-reserve-or-risk", "lab-reserve-or-risk", (120, 40), 60))
