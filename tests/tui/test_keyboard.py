"""One question of each kind is answered with the keyboard alone, on a real store."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select
from textual.pilot import Pilot

from quizapp.bank.load import load_bank
from quizapp.bank.schema import Single
from quizapp.clock import FixedClock
from quizapp.store.tables import Review
from quizapp.study import Study
from quizapp.tui.app import QuizApp
from quizapp.tui.screens.study import StudyScreen
from tui.support import BANK, NOON, Ticks, make_app, open_study, press, settle, text_of


def later(study: Study) -> Study:
    """The same store a year on."""
    study.clock = FixedClock(NOON + timedelta(days=365))
    return study


def number_of(screen: StudyScreen, option: str) -> str:
    return str(next(n for n, choice in enumerate(screen.card.variant.choices, 1) if choice.id == option))


async def study(pilot: Pilot[None], app: QuizApp) -> StudyScreen:
    await settle(pilot)
    await press(pilot, "s")
    assert isinstance(app.screen, StudyScreen)
    return app.screen


def last_review(home: Path) -> dict:
    with open_study(home) as study, study.database.read() as session:
        return session.exec(select(Review)).all()[-1].model_dump()


@pytest.mark.parametrize(
    ("kind", "keys", "score"),
    [
        ("single", ["{next}", "enter"], 1.0),
        ("single", ["{batch}", "g"], 0.0),
        ("multiple", ["{delay}", "{size}", "u"], 1.0),
        ("numeric", ["8", "0", "0", "enter", "enter"], 1.0),
        ("numeric", ["1", "0", "8", "enter", "g"], 0.0),
        ("match", ["{triton}", "{trtllm}", "{vllm}", "enter"], 1.0),
        ("short", [*"in-flight batching", "enter", "enter"], 1.0),
    ],
)
async def test_each_kind_by_keyboard(tmp_path: Path, kind: str, keys: list[str], score: float) -> None:
    app = make_app(tmp_path, kinds=[kind])
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await study(pilot, app)
        for key in keys:
            await press(pilot, number_of(screen, key[1:-1]) if key.startswith("{") else key)
        assert screen.phase == "verdict"
        assert ("✓ Correct" in text_of(app)) == (score == 1.0)
    app.store.close()
    review = last_review(tmp_path)
    assert review["score"] == score
    said = {"enter": "sure", "u": "unsure", "g": "guess"}[keys[-1]]
    assert review["confidence"] == said


async def test_an_order_is_made_by_moving_items(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["order"])
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await study(pilot, app)
        for place, wanted in enumerate(["queue", "prefill", "decode"]):
            here = [item.id for item in screen.draft.order].index(wanted)  # type: ignore[union-attr]
            await press(pilot, *["up"] * 3, *["down"] * here, "space", *["up"] * (here - place), "space")
        if screen.draft is not None and screen.draft.missing:
            await press(pilot, "1")
        await press(pilot, "enter")
        assert "✓ Correct" in text_of(app)
    app.store.close()


async def test_enter_without_a_choice_asks_for_one_and_stores_nothing(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await study(pilot, app)
        await press(pilot, "u", "g", "enter")
        assert screen.phase == "ask"
        assert "! Press 1–4 to choose" in text_of(app)
    app.store.close()


async def test_zero_is_a_blank_and_not_a_wrong_answer(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(80, 24)) as pilot:
        await study(pilot, app)
        await press(pilot, "0")
        assert "– Not answered." in text_of(app)
    app.store.close()
    assert last_review(tmp_path)["response"] == "null"


async def test_a_number_that_can_be_read_two_ways_is_asked_about(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["numeric"])
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await study(pilot, app)
        await press(pilot, "3", ",", "1", "4", "5", "enter")
        assert "Did you mean 3145 or 3.145?" in text_of(app)
        assert screen.phase == "ask"
        await press(pilot, "tab", "q")
        assert app.current_mode == "home"
    app.store.close()


async def test_what_was_typed_stands_beside_the_answer(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["numeric"])
    async with app.run_test(size=(80, 24)) as pilot:
        await study(pilot, app)
        await press(pilot, *"7.5k", "enter")
        assert "Read as 7500 steps." in text_of(app)
        await press(pilot, "g")
        assert "7.5k   your answer" in text_of(app)
        assert "800 steps   the answer" in text_of(app)
    app.store.close()


async def test_rating_override_undo_and_looking_back(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 30)) as pilot:
        screen = await study(pilot, app)
        first = screen.card.question.id
        await press(pilot, *(["enter", "enter"] if screen.draft.place == "entry" else ["0"]))  # type: ignore[union-attr]
        assert "Rated Again" in text_of(app)
        await press(pilot, "4")
        assert "Rated Easy" in text_of(app)
        await press(pilot, "enter")
        assert screen.card.question.id != first
        if screen.draft.place == "entry":  # type: ignore[union-attr]
            await press(pilot, "tab")
        await press(pilot, "left")
        assert "Looking back" in text_of(app)
        assert "Not answered" in text_of(app)
        await press(pilot, "right")
        assert screen.phase == "ask"
        await press(pilot, "z")
        assert screen.card.question.id == first
        assert "taken back" in text_of(app)
    app.store.close()


async def test_a_timed_sitting_shows_the_minutes_left_also_without_a_key(tmp_path: Path) -> None:
    ticks = Ticks()
    app = make_app(tmp_path, ticks=ticks, kinds=["single", "multiple"], minutes_a_day=20)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "m")
        screen = app.screen
        assert isinstance(screen, StudyScreen)
        assert text_of(app).splitlines()[0].endswith("0 answered · 20 min left")
        for seconds, words in ((61, "19 min left"), (18 * 60, "1 min left"), (60, "time is up")):
            ticks.seconds += seconds
            screen._paint_time()
            await settle(pilot)
            assert text_of(app).splitlines()[0].endswith(f"0 answered · {words}")
        await press(pilot, "0", "enter", "m")
        assert "to go" in text_of(app).splitlines()[0]
    app.store.close()


async def test_a_timed_sitting_ends_between_questions(tmp_path: Path) -> None:
    ticks = Ticks()
    app = make_app(tmp_path, ticks=ticks, kinds=["single", "multiple"], minutes_a_day=1)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "m", "0")
        ticks.seconds += 61
        await press(pilot, "enter")
        assert "Time is up: 1 min." in text_of(app)
        await press(pilot, "enter")
        assert app.screen.phase == "ask"  # type: ignore[attr-defined]
    app.store.close()


@pytest.mark.parametrize(("key", "state"), [("k", "review"), ("n", "new")])
async def test_a_changed_key_is_asked_about(tmp_path: Path, key: str, state: str) -> None:
    with open_study(tmp_path, kinds=["single"]) as store:
        card = store.next_card()
        assert card is not None
        store.answer(card, "next", "sure")
    bank = load_bank(dirs=[BANK])
    old = bank.questions["one-single"]
    assert isinstance(old, Single)
    now_right = {"correct": True, "misconception": None}
    now_wrong = {"correct": False, "misconception": "waits"}
    swapped = [o.model_copy(update=now_right if o.id == "batch" else now_wrong) for o in old.options]
    bank.questions["one-single"] = old.model_copy(update={"options": swapped})
    app = make_app(tmp_path, opener=lambda: later(open_study(tmp_path, bank, ["single"])))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await study(pilot, app)
        assert "was changed since" in text_of(app)
        await press(pilot, key)
        assert screen.phase == "ask"
        assert screen.card.state == state
    app.store.close()


async def test_marks_from_the_study_screen(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await study(pilot, app)
        await press(pilot, "f", "n", "h", "i", "enter")
        assert "! flagged" in text_of(app)
        assert screen.card.note == "hi"
        await press(pilot, "s")
        assert screen.phase == "over"
    app.store.close()
    store = open_study(tmp_path)
    info = store.card_info("one-single")
    assert (info.flagged, info.suspended, info.note) == (True, True, "hi")
    store.close()


async def test_enter_without_an_answer_goes_back_to_the_box(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["numeric"])
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "tab", "enter", *"800", "enter")
        assert "Read as 800 steps." in text_of(app)
    app.store.close()


async def test_undo_takes_back_the_last_thing_done_and_says_what(tmp_path: Path) -> None:
    """Bury, then suspend, then undo: nothing older is lost, and the suspended question comes back to be asked."""
    with open_study(tmp_path) as store:
        older = store.next_card()
        assert older is not None
        store.answer(older, None)
    app = make_app(tmp_path, opener=lambda: later(open_study(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await study(pilot, app)
        asked = []
        for key in "bs":
            if screen.draft.place == "entry":  # type: ignore[union-attr]
                await press(pilot, "tab")
            asked.append(screen.card.question.id)
            await press(pilot, key)
        for words in ("The suspension is taken back.", "It is no longer put off until tomorrow."):
            if screen.draft is not None and screen.draft.place == "entry":
                await press(pilot, "tab")
            await press(pilot, "z")
            assert words in text_of(app)
            assert screen.card.question.id == asked.pop()
        with open_study(tmp_path) as store:
            assert store.stats()["reviews"] == 1
        if screen.draft.place == "entry":  # type: ignore[union-attr]
            await press(pilot, "tab")
        await press(pilot, "z")
        assert "Your answer of 2026-11-29 12:00 to this question is taken back." in text_of(app)
        assert screen.card.question.id == older.question.id
    app.store.close()


@pytest.mark.parametrize("key", ["b", "s"])
async def test_undoing_a_mark_brings_back_what_stood_on_the_verdict(tmp_path: Path, key: str) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(80, 24)) as pilot:
        await study(pilot, app)
        await press(pilot, "0", key)
        assert "Rated Again" not in text_of(app)
        await press(pilot, "z")
        assert "taken back" in text_of(app) or "no longer put off" in text_of(app)
        assert "Rated Again" in text_of(app)
        assert "rate it yourself" in text_of(app)
    app.store.close()


async def test_a_mark_made_on_a_verdict_is_undone_there(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await study(pilot, app)
        await press(pilot, "0", "s", "z")
        assert screen.phase == "verdict"
        assert "The suspension is taken back." in text_of(app)
        await press(pilot, "z")
        assert screen.phase == "ask"
        assert "The last answer is taken back. Answer again." in text_of(app)
    app.store.close()
