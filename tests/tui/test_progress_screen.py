"""Progress at the keyboard: pages, the marked belief, its drill, and what a broken store shows."""

from __future__ import annotations

from pathlib import Path

from quizapp.tui.screens.practice_run import PracticeScreen
from quizapp.tui.screens.progress import BELIEFS, ProgressScreen
from tui.progress_support import give_answers
from tui.support import make_app, open_study, press, settle, text_of


async def test_pages_turn_both_ways_and_by_number(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "g")
        assert "Readiness" in text_of(app)
        await press(pilot, "left")
        assert "9 of 9" in text_of(app)
        await press(pilot, "4")
        assert "True retention" in text_of(app)
        await press(pilot, "2")
        assert "No exam ahead" in text_of(app)
        await press(pilot, "q")
        assert "due" in text_of(app)
    app.store.close()


async def test_a_belief_is_marked_and_drilled(tmp_path: Path) -> None:
    give_answers(tmp_path, 30)
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "g", str(BELIEFS + 1))
        screen = app.screen
        assert isinstance(screen, ProgressScreen)
        assert len(screen._rows) > 1
        await press(pilot, "down")
        assert screen.marked == 1
        name = screen._rows[1]["name"]
        await press(pilot, "d")
        assert isinstance(app.screen, PracticeScreen)
        assert app.screen.choice.value == screen._rows[1]["id"]
        assert app.screen.plan.total > 0
        await press(pilot, "q")
        assert name.split()[0] in text_of(app)
    app.store.close()


async def test_what_was_answered_meanwhile_is_counted_when_one_comes_back(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "g", "3")
        assert "0 answers on 0 days" in text_of(app)
        await press(pilot, "q", "s", "2", "u", "q", "g")
        assert "1 answer on 1 day" in text_of(app)
    app.store.close()


async def test_the_plan_of_the_day_is_started_from_its_page(tmp_path: Path) -> None:
    app = make_app(tmp_path, exam_date="2026-12-20")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "g", "2")
        assert "21 days to the exam on Sun 20 Dec" in text_of(app)
        assert "6 new" in text_of(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, PracticeScreen)
        assert app.screen.plan.total == 6
    app.store.close()


async def test_home_leads_to_the_plan_of_the_day_only_with_an_exam_ahead(tmp_path: Path) -> None:
    app = make_app(tmp_path / "with", exam_date="2026-12-20")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "d today's plan" in text_of(app)
        await press(pilot, "g", "4", "q", "d")
        assert "Progress  Plan" in text_of(app)
        await press(pilot, "q", "g")
        assert "Progress  Plan" in text_of(app)
        await press(pilot, "3", "q", "g")
        assert "3 of" in text_of(app)
    app.store.close()
    for date in (None, "2026-11-29", "2020-01-01"):
        app = make_app(tmp_path / str(date), exam_date=date)
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            assert "today's plan" not in text_of(app)
            await press(pilot, "d")
            assert "s   Study" in text_of(app)
        app.store.close()


def test_words_of_a_bank_are_shown_as_they_are_and_harmless(tmp_path: Path) -> None:
    from quizapp.study.progress import Progress
    from quizapp.tui.screens.progress_pages import PAGES

    give_answers(tmp_path, 30)
    with open_study(tmp_path) as study:
        for name, belief in list(study.bank.misconceptions.items()):
            hostile = f"[bold]x[/] \x1b[31m\u202e{belief.name}"
            study.bank.misconceptions[name] = belief.model_copy(update={"name": hostile})
        for name, objective in list(study.bank.objectives.items()):
            study.bank.objectives[name] = objective.model_copy(update={"title": "[red]\x07\nObjective"})
        found = {**Progress(study).all(), "plan": None}
    told = "\n".join(block.first.plain + block.body.plain for _, page in PAGES for block in page(found, 80, 0))
    assert "[bold]x[/]" in told
    assert "[red]" in told
    assert not {"\x1b", "\u202e", "\x07"} & set(told)
    assert "[red]\n" not in told


async def test_the_exam_is_chosen_in_settings_and_kept(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "t", "down", "down", "down")
        assert "Exam                NCA-GENL, inference serving" in text_of(app)
        await press(pilot, "enter")
        assert "Exam                NCP-GENL, serving domains" in text_of(app)
    app.store.close()
    with open_study(tmp_path) as study:
        assert study.settings().exam == "ncp-genl-serving"
