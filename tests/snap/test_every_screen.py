"""Every screen of the app for four learners, with 0, 1, 30 and 450,000 reviews, at 80 × 24 and 120 × 40.

One walk through the whole app for each learner and size; its screens lie one below the other in
`screens/<size>/every-<reviews>.txt`. The walk fails when the app has a screen, or a mode of one with keys of its own,
that it does not come by. Colours, and each kind of question and step of a lab, are in the other modules of this folder.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from exam.helpers import key_of, wrong_of
from textual.pilot import Pilot
from tui.exam_support import keys_for, send
from tui.support import Ticks, press, settle

from quizapp.bank.model import Bank
from quizapp.study import labs as use_cases
from quizapp.study.exam_clock import UPTIME
from quizapp.tui.screens.exam_sitting import SittingScreen
from quizapp.tui.screens.study import StudyScreen
from snap.every_support import Album, Learner, bulk_learner, screen_classes, small_learner, unseen_places
from snap.test_snapshots import FOLDER, SIZES

LOOKS: tuple[tuple[str, str], ...] = (
    ("Welcome", ""),
    ("Home", "escape"),
    ("Help", "?"),
    ("Settings", "q t"),
    ("Settings, a box", "enter"),
    ("Browse", "escape q b"),
    ("Browse, the key", "down a"),
    ("Browse, what is due", "v"),
    ("Browse, a note", "v*6 n"),
    ("Browse, nothing found", "escape / z*5"),
    ("Labs", "enter q l"),
    ("Lab", "enter"),
    ("Claims", "ctrl+t q q c"),
    ("Progress", "q g"),
    ("Progress, the plan", "2"),
    ("Progress, beliefs", "8"),
    ("Practice", "q p"),
    ("Practice, topics", "enter"),
    ("Practice, objectives", "q down enter"),
    ("Practice, pairs", "q down*2 enter"),
    ("Exam lobby", "q q e"),
    ("Exam, the rules", "enter"),
)
"""Screens that only look: (name, keys that lead to it from the one before; `v*5` is v five times in one go)."""


ELSEWHERE = (
    "lab",  # the steps of a lab know nothing of reviews: test_labs_snap
    "box.lab",
    "study.ask.",  # each kind of question: test_snapshots, test_exam_snapshots
    "study.box",
    "sitting.ask.",
    "home.failed",  # a store that cannot be opened: test_snapshots
    "sitting.stuck",  # a disk that fails or is slow
    "study.wait",
    "study.changed",  # a bank whose key was changed: test_keyboard
    "study.proof",  # a key more on some verdicts
    "drill.over.progress",  # the end of a drill that began elsewhere: test_drills
    "drill.over.result",
    "drill.over",  # the end of a drill, with the room it leads back to: test_exam_snapshots
)
"""Places of the action table that a walk need not come by, and what shows them."""


async def type_keys(pilot: Pilot[None], keys: str) -> None:
    for key in keys.split():
        name, _, times = key.partition("*")
        await send(pilot, [name] * int(times or 1))


def box_open(pilot: Pilot[None]) -> bool:
    """Whether what is typed goes to a box."""
    return any("box" in place for place in pilot.app.screen.places)  # type: ignore[attr-defined]


async def out_of_box(pilot: Pilot[None]) -> None:
    if box_open(pilot):
        await press(pilot, "tab")


async def answer(pilot: Pilot[None], right: bool) -> None:
    """Gives the response to the question on screen, but for how sure."""
    screen = pilot.app.screen
    assert isinstance(screen, StudyScreen)
    variant = screen.card.variant
    await send(pilot, keys_for(variant, key_of(variant) if right else wrong_of(variant), screen))  # type: ignore[arg-type]


async def exam(album: Album) -> None:
    """Three questions are answered, the second wrong and flagged; the rest stays open."""
    pilot = album.pilot
    await press(pilot, "y")
    screen = pilot.app.screen
    assert isinstance(screen, SittingScreen)
    for n in range(3):
        await album.take(f"Exam, question {n + 1}")
        variant = screen.desk.variant(n)
        keys = keys_for(variant, wrong_of(variant) if n == 1 else key_of(variant), screen)
        await send(pilot, keys if keys[-1] == "enter" else [*keys, *["f"] * (n == 1), "right"])
    await out_of_box(pilot)
    await press(pilot, "v")
    await album.take("Exam, overview")
    await press(pilot, "h")
    await album.take("Exam, hand in?")
    await press(pilot, "q")
    await out_of_box(pilot)
    await press(pilot, "q")
    await album.take("Exam, leave?")
    await press(pilot, "y")
    await album.take("Exam lobby, one running")
    await press(pilot, "enter")
    await out_of_box(pilot)
    await press(pilot, "h", "y")
    await album.take("Exam, result")
    await press(pilot, "a")
    await album.take("Exam, review")
    await press(pilot, "q", "q")
    await album.take("Exam lobby, one handed in")
    await press(pilot, "q")


async def practice(album: Album) -> None:
    pilot = album.pilot
    await type_keys(pilot, "p up*10 down*8 enter")
    await album.take("Practice, cramming")
    if isinstance(pilot.app.screen, StudyScreen):  # without answers there is nothing to cram
        await answer(pilot, right=False)
        await press(pilot, "u")
        await album.take("Practice, cramming, the verdict")
        await press(pilot, "q")
    await type_keys(pilot, "down enter")
    await album.take("Practice, pacing")
    await answer(pilot, right=False)
    await press(pilot, "u")
    await album.take("Practice, pacing, the verdict")
    await press(pilot, "q")
    await album.take("Practice, pacing, what it measured")
    await type_keys(pilot, "q down enter enter")
    await album.take("Practice, explained")
    await type_keys(pilot, "q q up*10 down*4 enter")
    await album.take("Practice, what was missed")
    await out_of_box(pilot)
    await press(pilot, "q", "q")


async def study(album: Album, ticks: Ticks) -> None:
    pilot = album.pilot
    await press(pilot, "m")
    await album.take("Study")
    await answer(pilot, right=False)
    await album.take("Study, how sure?")
    await press(pilot, "enter")
    await album.take("Study, the verdict")
    await press(pilot, "enter")
    await out_of_box(pilot)
    await press(pilot, "left")
    await album.take("Study, looking back")
    await press(pilot, "right")
    await album.take("Study, the next question")
    await answer(pilot, right=True)
    ticks.seconds += 1300
    await press(pilot, "g", "enter")
    await album.take("Study, time is up")


async def all_done(album: Album) -> None:
    """What is left is put off until tomorrow."""
    pilot = album.pilot
    await press(pilot, "m")
    while "study.over.done" not in pilot.app.screen.places:  # type: ignore[attr-defined]
        await out_of_box(pilot)
        await press(pilot, "b")
    await album.take("Study, all done")


async def walk(learner: Learner, size: str, monkeypatch: pytest.MonkeyPatch) -> Album:
    monkeypatch.setattr(use_cases.Labs.__init__, "__defaults__", (lambda: 7,))
    monkeypatch.delenv(UPTIME, raising=False)
    app = learner.app()
    async with app.run_test(size=SIZES[size]) as pilot:
        await settle(pilot)
        album = Album(pilot, FOLDER / size / f"every-{learner.reviews}.txt")
        for name, keys in LOOKS:
            await type_keys(pilot, keys)
            await album.take(name)
        await exam(album)
        await practice(album)
        await study(album, learner.ticks)
        if learner.reviews <= 30:
            await all_done(album)
        await press(pilot, "q")
        await album.take("Home, afterwards")
    app.store.close()
    album.compare()
    assert screen_classes() - album.classes == set(), "no walk comes by these screens"
    return album


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("reviews", [0, 1, 30])
async def test_every_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reviews: int, size: str) -> None:
    album = await walk(small_learner(tmp_path, reviews), size, monkeypatch)
    if reviews == 30:
        assert unseen_places(album.places, ELSEWHERE) == set(), "no walk comes by these modes of a screen"


@pytest.mark.prove
@pytest.mark.parametrize("size", SIZES)
async def test_every_screen_with_450_000_reviews(
    monkeypatch: pytest.MonkeyPatch, bulk: tuple[Path, Bank], size: str
) -> None:
    await walk(bulk_learner(*bulk), size, monkeypatch)
