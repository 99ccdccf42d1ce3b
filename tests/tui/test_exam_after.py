"""After an exam: the time that ran out, results, the review and its filters."""

from __future__ import annotations

from exam.helpers import key_of, wrong_of
from exam.test_papers import blueprint

from quizapp.tui.screens.exam import ExamScreen
from quizapp.tui.screens.exam_result import ResultScreen, ReviewScreen
from quizapp.tui.screens.exam_sitting import SittingScreen
from tui.exam_support import Machine, exam_app, give
from tui.lab_support import until
from tui.support import press, settle, text_of
from tui.test_exam_sitting import begin, choice_question


async def test_review_filters_and_the_history(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        screen = await begin(pilot)
        while screen.page == "ask":
            at = screen.sitting.at
            variant = screen.desk.variant(at)
            machine.pass_time(10)
            await give(pilot, screen, key_of(variant) if at < 4 else wrong_of(variant))
        await press(pilot, "y")
        shown = text_of(app)
        assert "4 of 10 right, 40 %" in shown
        assert "interval" in shown
        assert "no scaled score" in shown
        await press(pilot, "w")
        review = app.screen
        assert isinstance(review, ReviewScreen)
        assert review.chosen == [4, 5, 6, 7, 8, 9]
        await until(pilot, lambda: "question 5 " in text_of(app), "its number on the paper, not among the wrong ones")
        assert "wrong: 1 of 6" in text_of(app)
        assert "Why" in text_of(app)
        assert "0:10 on it" in text_of(app)
        await press(pilot, "right", "right", "v")
        assert "all: 7 of 10" in text_of(app)
        await press(pilot, "q", "f")
        assert "There is nothing flagged" in text_of(app)
        await press(pilot, "q")
        assert isinstance(app.screen, ExamScreen)
        assert "4 of 10" in text_of(app)
        await press(pilot, "down", "down", "enter")
        assert isinstance(app.screen, ResultScreen)
        await press(pilot, "d")
        assert "missed in this mock exam" in text_of(app)
    app.store.close()


async def test_time_runs_out_behind_the_help_screen(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        await choice_question(pilot, screen)
        await press(pilot, "?")
        machine.pass_time(12 * 60)
        screen.tick()
        await settle(pilot)
        assert not isinstance(app.screen, ResultScreen)
        await press(pilot, "q")
        assert isinstance(app.screen, ResultScreen)
        await press(pilot, "q")
        assert isinstance(app.screen, ExamScreen)
    app.store.close()


async def test_an_exam_that_ran_out_is_told_on_home_once_in_its_room_and_in_the_history(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await begin(pilot)
    app.store.close()
    machine.pass_time(2 * 86_400)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        told = "ran out and it was handed in as it was: 0 of 10 right, 10 unanswered"
        assert told in " ".join(text_of(app).split())
        await press(pilot, "e")
        assert told in " ".join(text_of(app).split())
        row = next(line for line in text_of(app).splitlines() if "0 of 10  0 %" in line)
        assert "time ran out" in row
        assert "NCA-GENL" in row
        await press(pilot, "q")
        assert "ran out" not in text_of(app)
        await press(pilot, "e")
        assert "handed in as it was" not in text_of(app)
    app.store.close()


async def test_the_review_filter_comes_round_to_all(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        while screen.page == "ask":  # nothing flagged, nothing changed
            at = screen.sitting.at
            variant = screen.desk.variant(at)
            await give(pilot, screen, key_of(variant) if at < 4 else wrong_of(variant))
        await press(pilot, "y", "a")
        review = app.screen
        assert isinstance(review, ReviewScreen)
        seen = []
        for _ in range(4):
            seen.append(review.which)
            await press(pilot, "v")
        assert seen == ["all", "wrong", "all", "wrong"]
        await press(pilot, "q", "c")
        (told,) = (note.message for note in app._notifications)
        assert "one counts as changed once the question was left" in told
    app.store.close()


async def test_names_in_a_result_are_whole_at_any_width(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(60, 60), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e", "down", *["left"] * 3, "enter", "y")
        screen = app.screen
        assert isinstance(screen, SittingScreen)
        screen.action_hand()
        await press(pilot, "y")
        for width in (60, 40, 100, 50):
            await pilot.resize_terminal(width, 60)
            await settle(pilot)
            shown = text_of(app).split()
            assert {*blueprint("ncp-genl-serving").objectives} <= {*shown}
    app.store.close()
