"""The answer box of an exam: what is typed is kept, readable or not, and Escape leads out."""

from __future__ import annotations

import pytest
from exam.helpers import key_of

from quizapp.tui.screens.exam_result import ResultScreen, ReviewScreen
from quizapp.tui.screens.exam_sitting import SittingScreen
from tui.exam_support import Machine, exam_app, send, small_exam
from tui.support import press, settle, text_of
from tui.test_exam_sitting import begin, choice_question, result_of


async def test_the_deadline_hands_in_what_was_answered_and_what_was_typed(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        index = await choice_question(pilot, screen, "numeric")
        text = key_of(screen.desk.variant(index))
        await send(pilot, [*text])
        machine.pass_time(12 * 60 - 1)
        screen.tick()
        assert screen.page == "ask"
        screen.tick()  # two seconds before the end the box is kept
        machine.pass_time(2)
        screen.tick()
        await settle(pilot)
        assert isinstance(app.screen, ResultScreen)
        assert "Time ran out" in text_of(app)
    app.store.close()
    told = result_of(tmp_path, machine)
    assert told["timed_out"]
    assert (told["right"], told["unanswered"]) == (1, 9)


async def test_an_answer_that_cannot_be_read_stays_in_the_box(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        index = await choice_question(pilot, screen, "numeric")
        await press(pilot, *"3,145", "enter")
        assert "Did you mean" in text_of(app)
        assert (screen.sitting.at, screen.sitting.replies[index].response) == (index, None)
        await press(pilot, "7", "enter")  # what was refused is selected: a digit replaces it
        assert screen.sitting.replies[index].response == "7"
    app.store.close()


@pytest.mark.parametrize("typed", ["vh", "3,145", "7 parsecs", "1/0", "1e999", "²", "1,23,456", "9" * 81])
async def test_escape_leaves_the_box_and_what_cannot_be_read_is_kept_and_unanswered(
    tmp_path, monkeypatch, typed: str
) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall, bank=small_exam())
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        index = await choice_question(pilot, screen, "numeric")
        await send(pilot, [*typed, "enter"])
        assert screen.places == {"sitting.box"}  # Enter says what is wrong
        assert screen.sitting.at == index
        await press(pilot, "escape")
        assert screen.places == {"sitting.ask.entry"}
        reply = screen.sitting.replies[index]
        assert (reply.response, reply.unread) == (None, typed)
        assert index in screen.sitting.unanswered
        assert "cannot be read: kept, but unanswered until it can" in " ".join(text_of(app).split())
        await press(pilot, "h")
        assert f"not to be read as an answer: {index + 1}" in " ".join(text_of(app).split())
        await press(pilot, "q")
        screen._go((index + 1) % 6)
        screen._go(index)
        await settle(pilot)
        assert screen.sheet.box.value == typed
        assert "unanswered until it can" in " ".join(text_of(app).split())
        await press(pilot, "e", "7", "enter")
        assert (screen.sitting.replies[index].response, screen.sitting.replies[index].unread) == ("7", "")
    app.store.close()


async def test_every_typed_kind_is_left_by_escape_and_survives_a_restart(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    kinds = {"numeric": "vh", "short": "§ %"}
    for visit in range(2):
        app = exam_app(tmp_path, machine.wall, bank=small_exam())
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            if visit == 0:
                screen = await begin(pilot)
                for kind, typed in kinds.items():
                    await choice_question(pilot, screen, kind)
                    await press(pilot, *typed, "escape")
                    assert screen.places == {"sitting.ask.entry"}
            else:
                await settle(pilot)
                await press(pilot, "e", "enter")
                assert isinstance(app.screen, SittingScreen)
                screen = app.screen
                for kind, typed in kinds.items():
                    await choice_question(pilot, screen, kind)
                    assert screen.sheet.box.value == typed
                await choice_question(pilot, screen, "numeric")
                await press(pilot, "h", "y", "a")
                review = app.screen
                assert isinstance(review, ReviewScreen)
                review.at = [item["unread"] for item in review.looked.finished.summary["items"]].index("vh")
                await press(pilot, "right", "left")
                assert "not answered, counted as wrong" in text_of(app)
                assert "you typed vh, which cannot be read" in " ".join(text_of(app).split())
        app.store.close()


async def test_at_the_deadline_a_half_typed_change_does_not_cost_the_answer_that_stood(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        index = await choice_question(pilot, screen, "numeric")
        await send(pilot, [*key_of(screen.desk.variant(index)), "enter"])
        screen._go(index)
        await settle(pilot)
        await press(pilot, "e", *"7 parse")
        machine.pass_time(12 * 60 - 1)
        screen.tick()
        screen.tick()
        machine.pass_time(2)
        screen.tick()
        await settle(pilot)
    app.store.close()
    assert result_of(tmp_path, machine)["right"] == 1


async def test_back_on_an_answered_number_letters_are_keys(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall, bank=small_exam())
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        index = await choice_question(pilot, screen, "numeric")
        await send(pilot, ["7", "enter"])
        screen._go(index)
        await settle(pilot)
        assert screen.sheet.box.value == "7"
        await press(pilot, "v")
        assert (screen.page, screen.sheet.box.value) == ("grid", "7")
    app.store.close()
