"""Progress at the keyboard: pages, the marked belief, its drill, and what a broken store shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizapp.bank.load import load_bank
from quizapp.tui.screens.practice_run import PracticeScreen
from quizapp.tui.screens.progress import BELIEFS, ProgressScreen
from quizapp.tui.screens.progress_drills import STEPS_SHOWN
from tui.progress_support import answer_to, give_answers
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
        told = " ".join(text_of(app).split())
        assert "Each row: how often you chose it ever, and in the last 30 days" in told
        await press(pilot, "down")
        assert screen.marked == 1
        belief = screen._rows[1]
        await press(pilot, "d")
        assert isinstance(app.screen, PracticeScreen)
        assert app.screen.choice == belief
        assert belief.kind == "pair"
        assert app.screen.plan.total > 0
        await press(pilot, "q")
        assert belief.title.split()[0] in text_of(app)
    app.store.close()


async def test_steps_and_objectives_of_readiness_are_drilled(tmp_path: Path) -> None:
    give_answers(tmp_path, 30)
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "g", "1")
        screen = app.screen
        assert isinstance(screen, ProgressScreen)
        steps = screen._found["readiness"]["raise"][:STEPS_SHOWN] if screen._found else []
        assert steps
        assert [row.kind for row in screen._rows[: len(steps)]] == [
            {"learn": "new", "review": "faded"}[step["what"]] for step in steps
        ]
        assert f"▸ 1  {steps[0]['objective']}" in text_of(app)
        await press(pilot, *["down"] * len(steps))
        assert screen.marked == len(steps)
        assert any(line.lstrip().startswith("▸") for line in text_of(app).splitlines())
        objective = screen._rows[len(steps)]
        await press(pilot, "d")
        assert isinstance(app.screen, PracticeScreen)
        assert (app.screen.choice, objective.kind) == (objective, "objective")
    app.store.close()


async def test_a_page_with_rows_can_be_read_to_its_end_with_the_arrows(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(60, 18)) as pilot:
        await settle(pilot)
        await press(pilot, "g", "1")
        assert "No mock exam of this exam yet." not in text_of(app)
        await press(pilot, *["down"] * 40)
        assert "No mock exam of this exam yet." in text_of(app)
        await press(pilot, *["up"] * 40)
        assert "with 90 % confidence" in " ".join(text_of(app).split())
    app.store.close()


async def test_objectives_and_topics_of_mastery_are_drilled(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "g", "6")
        screen = app.screen
        assert isinstance(screen, ProgressScreen)
        assert {row.kind for row in screen._rows} == {"objective", "topic"}
        last = screen._rows[-1]
        await press(pilot, *["down"] * (len(screen._rows) - 1), "enter")
        assert isinstance(app.screen, PracticeScreen)
        assert app.screen.choice == last
        assert app.screen.plan.total > 0
        await press(pilot, "q", "7", "6")
        assert screen.marked == 0
    app.store.close()


async def test_narrow_pages_cut_neither_the_bar_nor_a_name(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(60, 18)) as pilot:
        await settle(pilot)
        await press(pilot, "g", "1")
        assert "┤  100 %" in text_of(app)
        told = text_of(app)
        for key in ("pagedown", "pagedown", "6", "pagedown"):
            await press(pilot, key)
            told += text_of(app)
        assert "…" not in told
        assert "about-the-exam About the exam itself: its objectives" in told  # above its figures, not beside them
    app.store.close()


@pytest.mark.parametrize(
    ("date", "home", "plan"),
    [
        ("2026-11-29", "The exam is today.", "The exam is today."),
        ("2026-11-20", "The exam was on 20 Nov: set the next date in Settings (t).", "The exam was on 20 Nov 2026."),
    ],
)
async def test_the_day_of_the_exam_and_those_after_have_their_words(
    tmp_path: Path, date: str, home: str, plan: str
) -> None:
    app = make_app(tmp_path, exam_date=date)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert home in text_of(app)
        assert "to exam" not in text_of(app)
        await press(pilot, "g", "1")
        told = text_of(app)
        assert plan in told
        assert "If you stopped" not in told
        assert ("of the marks today" in told) == (date == "2026-11-29")
        await press(pilot, "2")
        assert plan in text_of(app)
        assert "No exam ahead" not in text_of(app)
        assert ("next date" in text_of(app)) == (date != "2026-11-29")
    app.store.close()


async def test_home_tells_what_is_in_learning_and_never_looks_empty_while_it_waits(tmp_path: Path) -> None:
    with open_study(tmp_path, new_per_day=2, learn_ahead_minutes=20) as study:
        for _ in range(2):
            card = study.next_card()
            assert card is not None
            study.answer(card, answer_to(card, right=False))
        view = study.home()
    assert (view.due, view.new, view.learning) == (0, 0, 2)
    app = make_app(tmp_path, new_per_day=2, learn_ahead_minutes=20)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        first = next(line for line in text_of(app).splitlines() if "day streak" in line)
        assert first.split("  ")[0:2] != ["", "0 due"]
        assert first.strip().startswith("learning now")
        assert "2 in learning: about" in text_of(app)
    app.store.close()
    app = make_app(tmp_path, new_per_day=2, learn_ahead_minutes=0)
    async with app.run_test(size=(60, 18)) as pilot:
        await settle(pilot)
        assert "All done for now, 2 in learning. The next card comes" in text_of(app)
        assert "learning now" not in text_of(app)
    app.store.close()


async def test_a_target_is_read_as_a_per_cent_and_shown_on_readiness(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "t", "down", "down", "down", "down", "enter", *"170", "enter")
        assert "A target is 1 to 100 per cent, not 170." in text_of(app)
        await press(pilot, *"70 %", "enter")
        assert "Target              70 %" in text_of(app)
        await press(pilot, "q", "g", "1")
        assert "Your target of 70 %: its chance is told from 100 first answers on." in text_of(app)
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
