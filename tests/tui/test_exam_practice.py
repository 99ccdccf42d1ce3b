"""Practice at the keyboard: choices, what an answer does, what may be rated, explaining, pacing."""

from __future__ import annotations

from pathlib import Path

from exam.helpers import START, key_of, open_study, pass_time, wrong_of

from quizapp.clock import FixedClock
from quizapp.study.queue import reopen
from quizapp.tui.screens.practice import PracticeRoom
from quizapp.tui.screens.practice_run import PracticeScreen
from tui.exam_support import exam_app, small_exam
from tui.support import Ticks, press, settle, text_of


def ripened(home: Path, clock: FixedClock, question_id: str) -> None:
    """A card in review that is not due, and the same clock a little later."""
    study = open_study(home, clock, small_exam())
    for _ in range(2):
        card = reopen(study.database, study.moment(), study.bank, question_id, None)
        study.answer(card, key_of(card.variant), "sure")
        pass_time(study, minutes=15)
    assert study.card_info(question_id).state == "review"
    study.close()


async def practise(pilot, way: str) -> PracticeScreen:
    """From Home into the way of this title, the first value where one must be chosen."""
    await settle(pilot)
    await press(pilot, "p")
    room = pilot.app.screen
    assert isinstance(room, PracticeRoom)
    at = [one.title for one, _ in room.ways].index(way)
    await press(pilot, *["down"] * at, "enter")
    if pilot.app.screen is room:
        await press(pilot, "enter")
    assert isinstance(pilot.app.screen, PracticeScreen)
    return pilot.app.screen


async def answer(pilot, screen: PracticeScreen, right: bool) -> None:
    """A single-choice question, answered surely."""
    variant = screen.card.variant
    wanted = key_of(variant) if right else wrong_of(variant)
    await press(pilot, str([choice.id for choice in variant.choices].index(wanted) + 1), "enter")


def only_single(bank):
    bank.questions = {"one-single": bank.questions["one-single"]}
    return bank


async def test_a_card_that_is_not_due_is_only_logged_and_cannot_be_rated(tmp_path: Path) -> None:
    clock = FixedClock(START)
    ripened(tmp_path, clock, "one-single")
    app = exam_app(tmp_path, clock, bank=only_single(small_exam()))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await practise(pilot, "By topic")
        await answer(pilot, screen, right=False)
        assert "now it comes today" in text_of(app)
        assert "rate it yourself" not in text_of(app)
        await press(pilot, "4")
        assert screen.given[-1].outcome.outcome is None
        assert "now it comes today" in text_of(app)
        assert screen.phase == "verdict"
        await press(pilot, "z")
        assert "taken back" in text_of(app)
        await answer(pilot, screen, right=True)
        assert "its schedule stays as it is" in text_of(app)
        await press(pilot, "enter")
        assert "That was all of it." in text_of(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, PracticeRoom)
    app.store.close()
    study = open_study(tmp_path, clock, small_exam())
    info = study.card_info("one-single")
    assert [review.origin for review in info.reviews][:1] == ["practice"]
    assert (info.state, info.lapses) == ("review", 0)
    assert info.due_at > clock.now()
    study.close()


async def test_a_new_card_is_reviewed_rated_and_missed_afterwards(tmp_path: Path) -> None:
    clock = FixedClock(START)
    app = exam_app(tmp_path, clock, bank=only_single(small_exam()))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await practise(pilot, "Unseen")
        await answer(pilot, screen, right=False)
        assert "Rated Again" in text_of(app)
        await press(pilot, "2")
        assert "Rated Hard" in text_of(app)
        await press(pilot, "q")
        room = app.screen
        assert isinstance(room, PracticeRoom)
        counts = {way.title: count for way, count in room.ways}
        assert (counts["Missed"], counts["Surest misses"], counts["Unseen"]) == (1, 1, 0)
        await press(pilot, "enter")
        assert "There is nothing of this kind now." in text_of(app)
    app.store.close()


async def test_explaining_shows_the_key_of_each_question_and_stores_nothing(tmp_path: Path) -> None:
    clock = FixedClock(START)
    app = exam_app(tmp_path, clock, bank=small_exam())
    async with app.run_test(size=(80, 30), notifications=True) as pilot:
        screen = await practise(pilot, "Explain it to me")
        seen = set()
        for _ in range(6):
            assert "Why" in screen.query_one("#verdict").text  # type: ignore[attr-defined]
            seen.add(screen.card.question.id)
            await press(pilot, "right")
        assert len(seen) == 6
        assert screen.phase == "over"
    app.store.close()
    study = open_study(tmp_path, clock, small_exam())
    assert study.stats()["reviews"] == 0
    study.close()


async def test_the_pace_counts_while_asking_and_stops_for_the_reasons(tmp_path: Path) -> None:
    ticks = Ticks()
    app = exam_app(tmp_path, FixedClock(START), ticks, only_single(small_exam()))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await practise(pilot, "Pacing drill")
        ticks.seconds += 40
        screen._paint_pace()
        await settle(pilot)
        assert "40 s  25 s left at 65 s a question" in text_of(app)
        ticks.seconds += 40
        screen._paint_pace()
        await settle(pilot)
        assert "15 s behind" in text_of(app)
        await answer(pilot, screen, right=True)
        ticks.seconds += 300
        await press(pilot, "enter")
        assert "80 seconds each; the exam gives about 65." in text_of(app)
    app.store.close()


async def test_values_of_a_way_are_listed_with_their_counts(tmp_path: Path) -> None:
    app = exam_app(tmp_path, FixedClock(START), bank=small_exam())
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "p", "down", "down", "enter")
        room = app.screen
        assert isinstance(room, PracticeRoom)
        assert [one.value for one in room.values] == sorted(one.value for one in room.values)
        assert sum(one.count for one in room.values) == 6
        await press(pilot, "q")
        assert room.way is None
        await press(pilot, "q")
        assert app.current_mode == "home"
    app.store.close()
