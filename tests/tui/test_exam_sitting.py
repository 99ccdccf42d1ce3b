"""Mock exams at the keyboard: a whole paper, kills, clocks that move, and the bugs that simulators are known for."""

from __future__ import annotations

import random
from pathlib import Path

from exam.helpers import key_of, open_study, wrong_of

from quizapp.store.errors import StoreError
from quizapp.study.exams import Exams
from quizapp.tui.screens import exam_words
from quizapp.tui.screens.exam import ExamScreen
from quizapp.tui.screens.exam_draft import response_of
from quizapp.tui.screens.exam_result import ResultScreen
from quizapp.tui.screens.exam_sitting import SittingScreen
from quizapp.tui.widgets.enlarge import Enlarge
from quizapp.tui.widgets.navigator import Cell, strip
from tui.exam_support import Machine, exam_app, give, send
from tui.lab_support import until
from tui.support import press, settle, text_of


async def begin(pilot, shorter: int = 2) -> SittingScreen:
    """From Home into a fresh paper; `shorter` steps below the usual length (2: ten questions)."""
    await settle(pilot)
    await press(pilot, "e", *["left"] * shorter, "enter", "y")
    assert isinstance(pilot.app.screen, SittingScreen)
    return pilot.app.screen


async def choice_question(pilot, screen: SittingScreen, kind: str = "single") -> int:
    """Goes to the first question of this kind."""
    for index in range(len(screen.sitting.replies)):
        if screen.desk.variant(index).question.kind == kind:
            screen._go(index)
            await settle(pilot)
            return index
    raise AssertionError(f"no {kind} question on this paper")


def result_of(home: Path, machine: Machine) -> dict:
    study = open_study(home, machine.wall)
    try:
        return dict(Exams(study).result().summary)
    finally:
        study.close()


async def test_a_candidate_sits_fifty_questions_with_two_kills_and_a_clock_that_moves(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    expected: dict[int, bool] = {}

    async def answer(pilot, screen, stop: int) -> None:
        while screen.sitting.at < stop and screen.page == "ask":
            at = screen.sitting.at
            variant = screen.desk.variant(at)
            expected[at] = at % 3 != 0
            await give(pilot, screen, key_of(variant) if expected[at] else wrong_of(variant))
            machine.pass_time(30)

    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot, shorter=0)
        assert len(screen.sitting.replies) == 50
        await answer(pilot, screen, 17)
        assert "✓" not in text_of(app)
    app.store.close()

    machine.wall.instant = machine.wall.instant.replace(year=2027)  # the wall clock jumps, five minutes really pass
    machine.up(machine.seconds + 300)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        assert "A mock exam is running" in text_of(app)
        assert "17 of 50 answered" in text_of(app)
        await press(pilot, "enter")
        screen = app.screen
        assert isinstance(screen, SittingScreen)
        assert abs(screen.sitting.timer.left_s - (3600 - 17 * 30 - 300)) < 1
        await answer(pilot, screen, 35)
        await press(pilot, "f")
    app.store.close()

    machine.wall.instant = machine.wall.instant.replace(year=2025)  # and back; again five minutes
    machine.up(machine.seconds + 300)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e", "enter")
        screen = app.screen
        assert isinstance(screen, SittingScreen)
        await answer(pilot, screen, 50)
        assert "All 50 questions are answered" in text_of(app)
        await press(pilot, "y")
        assert isinstance(app.screen, ResultScreen)
    app.store.close()

    told = result_of(tmp_path, machine)
    assert [item["correct"] for item in told["items"]] == [expected[n] for n in range(50)]
    assert (told["right"], told["unanswered"], told["questions"]) == (33, 0, 50)
    assert told["clock_moved"]
    assert told["items"][35]["flagged"]
    assert abs(told["seconds"] - (50 * 30 + 600)) < 1
    assert 600 <= told["away_seconds"] <= 660  # what passed since the last save counts as away


async def test_a_key_after_the_deadline_changes_nothing(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        await choice_question(pilot, screen)
        machine.pass_time(12 * 60)
        await press(pilot, "1")
        assert isinstance(app.screen, ResultScreen)
    app.store.close()
    assert result_of(tmp_path, machine)["unanswered"] == 10


async def test_a_selection_is_not_carried_to_the_next_question_and_comes_back(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot, shorter=1)
        for kind in ("single", "multiple", "match", "order"):
            kinds = [screen.desk.variant(n).question.kind for n in range(25)]
            if kind not in kinds:
                continue
            index = await choice_question(pilot, screen, kind)
            await press(pilot, "2")
            given = screen.sitting.replies[index].response
            assert given is not None
            await press(pilot, "right")
            if screen.page == "ask":
                assert screen.sitting.replies[screen.sitting.at].response is None
                assert screen.draft is not None
                assert response_of(screen.draft)[0] is None
            screen._go(index)
            await settle(pilot)
            assert screen.draft is not None
            assert response_of(screen.draft)[0] == given
            await press(pilot, "0")
            assert screen.sitting.replies[index].response is None
    app.store.close()


async def test_moving_the_mark_is_no_answer_and_strikes_are_kept(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        index = await choice_question(pilot, screen)
        await press(pilot, "x")
        assert "Mark an option" in text_of(app)
        await press(pilot, "down", "down", "x")
        assert screen.sitting.replies[index].response is None
        assert "struck out" in text_of(app)
        await press(pilot, "right", "left")
        if screen.sitting.at == index:
            assert "struck out" in text_of(app)
        await press(pilot, "down", "space")
        assert screen.sitting.replies[index].response is not None
    app.store.close()


async def test_the_navigator_shows_each_state_by_glyph_and_leads_there(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        index = await choice_question(pilot, screen)
        await press(pilot, "1", "f", "v")
        shown = text_of(app)
        assert f"{index + 1:>2}■!" in shown
        assert "a part is missing" in shown
        await press(pilot, "home", "down", "up", *["left"] * 9)
        await press(pilot, *["right"] * 4, "enter")
        assert screen.sitting.at == 4 if index <= 9 else True
        if screen.draft is not None and screen.draft.place == "entry":
            await press(pilot, "tab")
        await press(pilot, "h")
        assert "9 questions are unanswered and count as wrong" in text_of(app)
        assert f"1 flagged: {index + 1}" in text_of(app)
        await press(pilot, "u")
        assert screen.page == "ask"
        assert screen.sitting.at != index
    app.store.close()


async def test_the_grid_fits_a_narrow_terminal(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(40, 15), notifications=True) as pilot:
        screen = await begin(pilot, shorter=0)
        await choice_question(pilot, screen)
        await press(pilot, "home")
        if screen.places == {"sitting.box"}:
            await press(pilot, "tab")
        await press(pilot, "v", "down", "down", "right")
        row = next(line for line in text_of(app).splitlines() if " 1" in line and " 2" in line)
        assert row.rstrip().endswith(("5·", "5·!"))
        assert screen.marked == 11
        await press(pilot, "enter")
        assert screen.sitting.at == 11
    app.store.close()


async def test_the_clock_hides_and_returns_for_the_last_five_minutes(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot, shorter=0)
        await choice_question(pilot, screen)
        await press(pilot, "w")
        assert "clock hidden" in text_of(app)
        assert "60:00" not in text_of(app)
        machine.pass_time(30 * 60)
        screen.tick()
        await settle(pilot)
        assert "30:00 left in this exam" in text_of(app)
        machine.pass_time(25 * 60)
        screen.tick()
        await settle(pilot)
        assert "5:00 left" in text_of(app).splitlines()[0]
    app.store.close()


async def test_leaving_asks_and_a_second_ticker_does_not_count_twice(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        await choice_question(pilot, screen)
        await press(pilot, "q")
        assert "Leave the exam?" in text_of(app)
        await press(pilot, "q")
        assert screen.page == "ask"
        await press(pilot, "q", "y")
        assert isinstance(app.screen, ExamScreen)
        await until(pilot, lambda: not screen.is_attached, "the end of the screen that was left, and of its ticker")
        machine.pass_time(60)
        await press(pilot, "enter")
        again = app.screen
        assert isinstance(again, SittingScreen)
        machine.pass_time(60)
        for _ in range(5):
            screen.tick()
            again.tick()
        assert abs(again.sitting.timer.spent_s - 120) < 1
        assert abs(again.sitting.away_s - 60) < 1
    app.store.close()


async def test_one_key_pages_through_a_paper_boxes_too(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        total = len(screen.sitting.replies)
        assert any(screen.desk.variant(n).question.kind == "numeric" for n in range(total - 1))
        await press(pilot, *["right"] * (total - 1))
        assert screen.sitting.at == total - 1
        await press(pilot, *["left"] * (total - 1))
        assert screen.sitting.at == 0
        index = await choice_question(pilot, screen, "numeric")
        await press(pilot, "7", "right")
        assert (screen.sitting.at, screen.sheet.box.value) == (index, "7")  # there it moves in the text
    app.store.close()


async def test_choosing_a_struck_option_lifts_the_strike(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        index = await choice_question(pilot, screen)
        await press(pilot, "down", "x", "down", "x")
        assert text_of(app).count("struck out") == 2
        await press(pilot, "1")
        assert text_of(app).count("struck out") == 1
        assert len(screen.sitting.replies[index].struck) == 1
    app.store.close()


async def test_an_answer_with_a_part_missing_counts_as_such_everywhere(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        await choice_question(pilot, screen, "multiple")
        await press(pilot, "1", "f")
        total = len(screen.sitting.replies)
        screen.action_turn(1)
        await settle(pilot)
        if screen.draft is not None and screen.draft.place == "entry":
            await press(pilot, "tab")
        told = exam_words.standing(screen.sitting)
        assert told == f"0 of {total} answered, 1 with a part missing"
        await press(pilot, "h")
        assert "1 with a part missing" in text_of(app)
    app.store.close()


def test_a_flagged_question_in_the_strip_shows_whether_it_is_answered() -> None:
    cells = [Cell(answered, complete, True) for answered, complete in ((True, True), (True, False), (False, True))]
    shown = strip(cells, 0, 20).plain
    assert len(set(shown)) == 3
    assert not set(shown) & {cell.glyph for cell in cells}


async def test_a_tiny_terminal_keeps_the_clock(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        await pilot.resize_terminal(38, 10)
        machine.pass_time(61)
        screen.tick()
        await settle(pilot)
        assert screen.query_one(Enlarge).note == "10:59 left"
        assert "10:59 left" in text_of(app)
    app.store.close()


async def test_a_full_disk_is_said_and_handing_in_can_be_tried_again(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        index = await choice_question(pilot, screen)

        def full(*_: object) -> None:
            raise StoreError("The disk is full; free some space and try again.")

        with monkeypatch.context() as broken:
            broken.setattr(screen.exams, "save", full)
            broken.setattr(screen.exams, "submit", full)
            await press(pilot, "1")
            assert "! The disk is full" in text_of(app)
            await press(pilot, "h", "y")
            assert "It could not be handed in" in text_of(app)
        await press(pilot, "y")
        assert isinstance(app.screen, ResultScreen)
    app.store.close()
    assert result_of(tmp_path, machine)["items"][index]["answered"]


async def test_another_window_hands_in(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await begin(pilot)
        await choice_question(pilot, screen)
        other = open_study(tmp_path, machine.wall)
        exams = Exams(other)
        desk = exams.running()
        assert desk is not None
        exams.submit(desk, desk.sitting)
        other.close()
        await press(pilot, "1")
        assert "handed in already" in text_of(app)
        await press(pilot, "h", "y")
        assert isinstance(app.screen, ResultScreen)
        assert "10 unanswered" in text_of(app)
    app.store.close()


async def test_random_keys_never_break_an_exam(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    chance = random.Random(7)
    keys = [*"0123456789 abcefjknpuvwxhy[]/,.", "up", "down", "left", "right", "enter", "tab", "escape", "space",
            "backspace", "home", "end", "pageup", "pagedown"]  # fmt: skip
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await begin(pilot)
        for _ in range(12):
            await send(pilot, [chance.choice(keys) for _ in range(25)])
            await pilot.resize_terminal(chance.randint(2, 120), chance.randint(2, 40))
            machine.pass_time(5)
        await settle(pilot)
        assert app._exception is None
    app.store.close()
    study = open_study(tmp_path, machine.wall)
    exams = Exams(study)
    assert exams.running() is not None or exams.history()
    study.close()


async def test_what_is_marked_shows_without_colours(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 40), notifications=True) as pilot:
        screen = await begin(pilot, shorter=1)
        for kind, box in (("single", "( )"), ("multiple", "[ ]")):
            await choice_question(pilot, screen, kind)
            assert "▸" not in text_of(app)
            await press(pilot, "down", "x")
            (row,) = (one for one in text_of(app).splitlines() if "▸" in one)
            assert f"▸{box} 1" in row
    app.store.close()
