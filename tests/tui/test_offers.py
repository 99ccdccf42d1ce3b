"""Footer, help and palette offer what acts at the place, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from quizapp.bank.load import load_bank
from quizapp.study.practice import Choice
from quizapp.tui.messages import SettingsReady
from quizapp.tui.screens.exam import ExamScreen, short_title
from quizapp.tui.screens.practice_run import PracticeScreen
from tui.exam_support import Machine, exam_app, small_exam
from tui.support import make_app, open_study, press, settle, text_of
from tui.test_exam_sitting import begin, choice_question


async def test_more_is_offered_only_where_there_is_more(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["numeric"])
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "s", *"800", "enter")
        assert "How sure?" in text_of(app)
        assert "↓ more" not in text_of(app)
        await pilot.resize_terminal(60, 14)
        await press(pilot, "g")
        assert "↓ more" in text_of(app)
        await press(pilot, "?", "down")
        assert app.screen.query_one("#help").max_scroll_y > 0
        assert "↓ more" in text_of(app)
        await press(pilot, *["pagedown"] * 9)
        assert "↓ more" not in text_of(app)
    app.store.close()


async def test_help_lists_what_is_active_where_it_was_asked(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(100, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "?")
        shown = text_of(app)
        assert "the option with this number" in shown
        for other in ("Give the marked left side", "Pick the marked item up", "Leave the answer box", "Rate it Again"):
            assert other not in shown
        first = next(line for line in shown.splitlines()[2:] if line.strip())
        assert first.strip() == "Answer"
    app.store.close()


async def test_the_exams_palette_offers_no_action_without_effect(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    idle = {"Choose or tick the marked option", "Take the answer back", "Strike the marked option out, or take the "
            "strike back"}  # fmt: skip
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await begin(pilot)
        offered = {command.title for command in app.get_system_commands(screen)}
        assert not offered & {"Question before", "First question"}
        await choice_question(pilot, screen)
        assert not {command.title for command in app.get_system_commands(screen)} & idle
        await press(pilot, "1")
        assert {command.title for command in app.get_system_commands(screen)} >= idle
    app.store.close()


async def test_the_paper_sat_last_is_marked_again(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    for _ in range(2):
        app = exam_app(tmp_path, machine.wall)
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            await press(pilot, "e")
            screen = app.screen
            assert isinstance(screen, ExamScreen)
            if screen.lobby is not None and not screen.lobby.history:
                await press(pilot, "down", *["left"] * 3, "enter", "y")
                if app.screen.draft.place == "entry":  # type: ignore[attr-defined]
                    await press(pilot, "escape")
                await press(pilot, "h", "y", "q")
                assert app.screen is screen
            assert screen.offer is not None
            assert screen.offer.blueprint.id == "ncp-genl-serving"
            assert "NCP-GENL" in next(line for line in text_of(app).splitlines() if " of 10" in line)
        app.store.close()


def test_short_titles_tell_the_papers_apart() -> None:
    titles = [one["title"] for one in load_bank().exams.values() if one.get("mock", True) and "title" in one]
    short = [short_title(title) for title in titles]
    assert len(set(short)) == len(titles)
    assert max(map(len, short)) <= 40


async def test_the_end_of_a_drill_says_what_comes_back(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        with open_study(tmp_path) as store:
            single = [name for name, one in store.bank.questions.items() if one.kind == "single"]
        app.push_screen(PracticeScreen(Choice("ids", ",".join(single), "all of them")))
        await settle(pilot)
        await press(pilot, *["0", "enter"] * len(single))
        assert "That was all of it." in text_of(app)
        back = "1 comes back" if len(single) == 1 else f"{len(single)} come back"
        assert f"{back} within minutes" in text_of(app)
    app.store.close()


async def test_a_toast_leaves_the_bar_and_the_footer_in_sight(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "s")
        below = text_of(app).splitlines()[-2:]
        app.tell("Some words to the learner.")
        await pilot.pause(0.2)
        assert "Some words to the learner." in text_of(app)
        assert text_of(app).splitlines()[-2:] == below
    app.store.close()


async def test_every_rating_is_in_sight_in_the_narrowest_terminal(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(40, 12)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "0")
        shown = " ".join(text_of(app).split())
        assert "1 again 2 hard 3 good 4 easy" in shown
        given = app.screen.given  # type: ignore[attr-defined]
        given[-1] = replace(given[-1], outcome=replace(given[-1].outcome, leech=True))
        app.screen._paint()  # type: ignore[attr-defined]
        await settle(pilot)
        assert "1 again 2 hard 3 good 4 easy" in " ".join(text_of(app).split())
    app.store.close()


async def test_the_exam_of_settings_is_marked_first_and_again_when_it_changes(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for chosen in ("nca-genl-serving", "ncp-genl-serving", "nca-genl-serving"):
            app.store.ask(app, SettingsReady, lambda study, chosen=chosen: study.save_settings(exam=chosen))
            await press(pilot, "e")
            screen = app.screen
            assert isinstance(screen, ExamScreen)
            assert screen.offer is not None
            assert screen.offer.blueprint.id == chosen
            await press(pilot, "down", "up", "q")  # the mark was moved: that counts until another exam is chosen
        await press(pilot, "e", "down", "q", "e")
        assert screen.offer.blueprint.id == "ncp-genl-serving"
    app.store.close()


async def test_choice_questions_only_is_shown_and_kept_for_the_next_paper(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "enter")
        assert "k for choice questions only" in text_of(app)
        await press(pilot, "k")
        assert "Choice questions only, with one or several right options." in text_of(app)
        assert "k for all kinds of question" in text_of(app)
        await press(pilot, "k")
        assert "Choice questions only, with" not in text_of(app)
        for _ in range(2):
            if app.screen.offer.choice_only is False:  # type: ignore[attr-defined]
                await press(pilot, "k")
            await press(pilot, "y")
            assert {question.kind for question in app.screen.desk.questions.values()} <= {"single", "multiple"}  # type: ignore[attr-defined]
            await press(pilot, "h", "y", "q")
            assert "choice questions only" in next(one for one in text_of(app).splitlines() if "← 50 q" in one)
            await press(pilot, "enter")
            assert "k for all kinds of question" in text_of(app)
    app.store.close()


async def test_no_choice_of_kinds_where_the_bank_has_but_one(tmp_path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    bank = small_exam()
    bank.questions = {name: one for name, one in bank.questions.items() if one.kind == "single"}
    app = exam_app(tmp_path, machine.wall, bank=bank)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "enter")
        assert app.screen.places == {"exam.rules"}  # type: ignore[attr-defined]
        assert " k for" not in text_of(app)
    app.store.close()
