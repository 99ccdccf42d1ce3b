"""Browse, Settings and the first run, on a real store."""

from __future__ import annotations

import os
import re
import shutil
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from quizapp.bank.load import load_bank
from quizapp.bank.model import Bank
from quizapp.clock import FixedClock
from quizapp.study import BrowseRow, Study
from quizapp.study.progress import Progress
from quizapp.study.queue import reopen
from quizapp.study.values import PastReview
from quizapp.tui.fields import FIELDS, Unreadable
from quizapp.tui.screens.browse import FILTERS, BrowseScreen, Now, _history, _when
from quizapp.tui.screens.welcome import WelcomeScreen, exam_titles
from tui.support import BANK, NOON, make_app, open_study, press, settle, text_of


async def test_browse_hides_the_key_until_asked_and_hides_it_again(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        assert "At the next step" in text_of(app)
        assert "✓" not in text_of(app)
        assert "decided anew" not in text_of(app)
        await press(pilot, "a")
        assert "decided anew" in text_of(app)
        await press(pilot, "down")
        assert "✓" not in text_of(app)
    app.store.close()


async def test_browse_filters_by_state_topic_and_words(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "1", "enter", "f", "q", "b")
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        seen = {}
        for name in [*FILTERS, "all"]:
            assert screen._filter == name
            seen[name] = [row.id for row in screen._rows]
            await press(pilot, "v")
        assert len(seen["all"]) == 6
        assert seen["flagged"] == ["one-single"]
        assert "one-single" not in seen["new"]
        assert len(seen["new"]) == 5
        assert seen["suspended"] == seen["leeches"] == []
        screen._filter = "all"
        await press(pilot, "/", *"attention", "enter")
        assert [row.id for row in screen._rows] == ["two-multiple", "five-match"]
        assert "“attention”" in text_of(app)
        await press(pilot, "t")
        assert "batching" in text_of(app).splitlines()[0]
    app.store.close()


async def test_browse_suspends_and_brings_back(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "s")
        assert "suspended" in text_of(app)
        await press(pilot, "s")
        assert "suspended" not in text_of(app)
    app.store.close()


@pytest.mark.parametrize("kind", ["order", "match", "multiple"])
async def test_browse_marks_no_line_of_a_question_that_is_only_looked_at(tmp_path: Path, kind: str) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        while kind not in str(screen._selected_id):
            await press(pilot, "down")
        assert text_of(app).count("▸") == 1
    app.store.close()


async def test_browse_lists_a_calculation_with_the_numbers_that_its_preview_shows(tmp_path: Path) -> None:
    shutil.copytree(BANK, tmp_path / "bank")
    file = tmp_path / "bank" / "batching" / "six.yaml"
    file.write_text(file.read_text().replace("slots: {values: [8]}", f"slots: {{values: {list(range(1, 200))}}}"))
    app = make_app(tmp_path, bank=load_bank(dirs=[tmp_path / "bank"]))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "/", *"slot-steps", "enter")
        slots = re.findall(r"A batch of (\d+) slots", text_of(app))
        assert len(slots) == 2
        assert slots[0] == slots[1]
    app.store.close()


async def test_settings_are_kept_and_a_wrong_value_says_what_to_type(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "t", "down", "down", "enter", *"soon", "enter")
        assert "'soon' is not a date" in text_of(app)
        box = app.screen.query_one("#value")
        box.value = "2027-03-15"  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert "2027-03-15" in text_of(app)
        await press(pilot, "home", "enter")
        box.value = "Mars/Olympus"  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert "! " in text_of(app)
        assert "Mars/Olympus" in text_of(app)
        await press(pilot, "tab", "end", "up", "enter")
        assert app.theme == "quiz-light"
    app.store.close()
    with open_study(tmp_path) as study:
        kept = study.settings()
        assert (kept.exam_date, kept.theme, kept.zone) == (date(2027, 3, 15), "light", "UTC")


@pytest.mark.parametrize(("room", "rows"), [("home", 8), ("t", len(FIELDS))])
async def test_the_marked_row_is_in_sight_in_the_smallest_terminal(tmp_path: Path, room: str, rows: int) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(40, 12)) as pilot:
        await settle(pilot)
        if room != "home":
            await press(pilot, room)
        await press(pilot, "down")
        for _ in range(rows - 2):
            await press(pilot, "down")
            await pilot.pause()
            assert "▸" in text_of(app)
        last = next(one for one in text_of(app).splitlines() if "▸" in one)
        assert ("Settings" if room == "home" else "Own keys") in last
        await press(pilot, *["up"] * (rows - 1))
        await pilot.pause()
        assert ("0 due" in text_of(app)) or "▸ Time zone" in text_of(app)
        await pilot.resize_terminal(80, 24)
        await press(pilot, *["down"] * (rows - 1))
        await pilot.resize_terminal(40, 12)
        await settle(pilot)
        await pilot.pause()
        assert "▸" in text_of(app)
    app.store.close()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("desired_retention", "85", 0.85),
        ("desired_retention", "0.9", 0.9),
        ("desired_retention", "92,5 %", 0.925),
        ("rollover_hour", "4:00", 4),
        ("minutes_a_day", "", None),
        ("exam_date", " ", None),
        ("keys", "flag=m; undo=ctrl+z,z", {"flag": "m", "undo": "ctrl+z,z"}),
    ],
)
def test_fields_read_what_people_type(name: str, text: str, value: object) -> None:
    field = next(one for one in FIELDS if one.name == name)
    assert field.read(text) == pytest.approx(value)
    if text.strip():
        assert field.read(field.show(value)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rollover_hour", "4:30"),
        ("rollover_hour", "24"),
        ("zone", "Etc/UTC/h-"),
        ("minutes_a_day", "0"),
        ("minutes_a_day", "-5"),
        ("new_per_day", "many"),
        ("keys", "flag"),
        ("desired_retention", "high"),
    ],
)
def test_fields_refuse_with_an_example(name: str, text: str) -> None:
    field = next(one for one in FIELDS if one.name == name)
    with pytest.raises(Unreadable, match=r"Type for example|date"):
        field.read(text)


async def test_the_first_run_can_be_skipped_whole_and_comes_once(tmp_path: Path) -> None:
    app = make_app(tmp_path, first_run_done=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, WelcomeScreen)
        await press(pilot, "enter", "up", "ctrl+t")
        assert app.current_mode == "home"
    app.store.close()
    with open_study(tmp_path) as study:
        assert study.settings().first_run_done


def two_exams() -> Bank:
    """The small bank with two mock exams, one that is covered too little for a mock, and objectives of no exam."""
    bank = load_bank(dirs=[BANK])
    whole = {
        "as_of": "2026-11", "sources": ["s"], "pass_mark": "undisclosed", "questions": {"min": 6, "max": 6},
        "minutes": 6, "covers": "Everything.", "domains": {"all": {"title": "All", "weight": 1}},
        "objectives": {"exam-1": {"title": "An objective", "domain": "all"}},
    }  # fmt: skip
    bank.exams = {
        "one": {"id": "one", "title": "ONE-1, serving (some objectives)", **whole},
        "two": {"id": "two", "title": "TWO-2, [red]more", **whole},
        "none": {"id": "none", "title": "No mock", "mock": False, **whole},
        "about": {"id": "about", "title": "About the exam", "objectives": whole["objectives"]},
    }
    return bank


@pytest.mark.parametrize(
    ("keys", "kept"), [("", "one"), (("space",), "two"), (("right", "space"), "one"), (("down", "up", "space"), "two")]
)
async def test_the_first_run_asks_which_exam_and_keeps_it(tmp_path: Path, keys: tuple[str, ...], kept: str) -> None:
    app = make_app(tmp_path, bank=two_exams(), first_run_done=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "▸ Exam                ONE-1, serving\n" in text_of(app) + "\n"
        assert "Space another" in text_of(app).splitlines()[-1]
        await press(pilot, *keys)
        shown = "ONE-1, serving" if kept == "one" else "TWO-2, [red]more"
        assert f"▸ Exam                {shown}" in text_of(app)
        await press(pilot, "enter")
        assert f"✓ Exam                {shown}" in text_of(app)
        assert "Space another" not in text_of(app)
        await press(pilot, *["enter"] * 4)
        assert app.current_mode == "home"
    app.store.close()
    with open_study(tmp_path) as study:
        assert study.settings().exam == kept


async def test_the_first_run_guesses_the_exam_of_the_settings(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=two_exams(), first_run_done=False, exam="two")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "▸ Exam                TWO-2" in text_of(app)
        await press(pilot, "space", "ctrl+t")
    app.store.close()
    with open_study(tmp_path) as study:
        assert (study.settings().exam, study.settings().first_run_done) == ("two", True)


async def test_the_first_run_refuses_a_wrong_zone_or_hour_where_it_is_typed(tmp_path: Path) -> None:
    app = make_app(tmp_path, first_run_done=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "end", *"/h-", "enter")
        assert "There is no time zone 'UTC/h-' here." in text_of(app)
        assert "✓" not in text_of(app)
        await press(pilot, *"UTC", "enter", "end", "a", "enter")
        assert "✓ Time zone           UTC" in text_of(app)
        assert "'4:00a' is not a full hour from 0:00 to 23:00. Type for example 4:00." in text_of(app)
    app.store.close()


async def test_a_read_only_store_says_so_and_an_answer_that_cannot_be_kept_shows_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_study(tmp_path).close()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        await pilot.pause(0.2)
        assert "read-only" in text_of(app) or "cannot be written" in text_of(app)
        await press(pilot, "s", "1", "enter")
        assert "! " in text_of(app)
        assert "Rated" not in text_of(app)
        assert app.screen.phase == "ask"  # type: ignore[attr-defined]
    app.store.close()


@pytest.mark.parametrize(
    ("state", "due_at", "due_day", "words"),
    [
        ("new", None, None, "new"),
        ("review", None, 999, "due"),
        ("review", None, 1_000, "due"),
        ("review", None, 1_001, "in 1 d"),  # the next study day may begin within hours
        ("review", None, 1_030, "in 30 d"),
        ("learning", 5_000, None, "learning now"),
        ("relearning", 5_001, None, "in learning"),
    ],
)
def test_browse_counts_study_days(state: str, due_at: int | None, due_day: int | None, words: str) -> None:
    row = BrowseRow("q", "t", state, due_at, due_day, 0)
    now = Now(until=5_000, today=1_000)
    assert _when(row, now) == words
    assert FILTERS["due"](row, now) == (words == "due")
    assert FILTERS["in learning"](row, now) == ("learning" in words)
    assert _when(row, now._replace(called=frozenset("q"))) == "due"
    held = now._replace(put_off=frozenset("q"))
    assert _when(row, held) == ("put off" if words == "due" else words)
    assert not FILTERS["due"](row, held)


async def test_browse_lists_as_due_and_in_learning_what_home_counts(tmp_path: Path) -> None:
    """All six cards come again; then one is put off, one suspended, and one forgotten and learnt again."""
    clock = FixedClock(NOON)

    def opened() -> Study:
        study = open_study(tmp_path)
        study.clock = clock
        return study

    with opened() as study:
        for name in list(study.bank.questions):
            card = reopen(study.database, study.moment(), study.bank, name, None)
            assert card is not None
            study.override(study.answer(card, None).review_id, "easy")
        clock.instant += timedelta(days=60)
        names = [row.id for row in study.browse()]
        study.bury(names[0])
        study.suspend(names[1], True)
        card = reopen(study.database, study.moment(), study.bank, names[2], None)
        assert card is not None
        study.answer(card, None)
        counted = study.stats()
    app = make_app(tmp_path, opener=opened)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "v")
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        assert [row.id for row in screen._rows] == names[3:]
        assert len(screen._rows) == counted["due"] == 3
        await press(pilot, "b")
        assert [row.id for row in screen._rows] == names[4:], "put off here and now"
        await press(pilot, "v")
        assert [row.id for row in screen._rows] == [names[2]]
        assert len(screen._rows) == counted["learning"] == 1
        assert "learning now" in text_of(app) or "in learning" in text_of(app).splitlines()[3]
    app.store.close()


def past(score: float, origin: str = "study") -> PastReview:
    return PastReview(1, NOON, "good", score, None, 1, origin)


@pytest.mark.parametrize(
    ("scores", "state", "words"),
    [
        ((), "new", "never answered"),
        ((0, 0, 0), "learning", "answered 3×, right 0×"),
        ((0, 0.5), "review", "answered 2×, right 0×"),
        ((1, 0), "relearning", "answered 2×, right 1×"),
        ((1, 0), "review", "answered 2×, right 1×, recall 87 %"),
    ],
)
def test_browse_counts_answers_and_names_recall_only_of_what_was_recalled(
    scores: tuple[float, ...], state: str, words: str
) -> None:
    info = SimpleNamespace(state=state, retrievability=0.87, reviews=[past(0, "keep"), *map(past, scores)])
    assert _history(info) == words


async def test_home_keeps_the_timed_sitting_in_a_narrow_footer(tmp_path: Path) -> None:
    app = make_app(tmp_path, exam_date=date(2026, 12, 20))
    async with app.run_test(size=(60, 18)) as pilot:
        await settle(pilot)
        foot = text_of(app).splitlines()[-1]
        assert all(hint in foot for hint in ("m timed study", "d today's plan", "? keys", "q quit"))
    app.store.close()


async def test_practice_without_a_question_says_why(tmp_path: Path) -> None:
    with open_study(tmp_path) as study:
        for row in study.browse():
            study.suspend(row.id, True)
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "p", "home", "enter")
        assert "the questions are suspended" in " ".join(text_of(app).split())
    app.store.close()


async def test_the_first_run_offers_the_exams_that_have_a_mock_and_no_others(tmp_path: Path) -> None:
    with open_study(tmp_path, bank=load_bank()) as study:
        titles = exam_titles(study)
        assert set(titles) == set(Progress(study).offered)
        assert "about-the-exam" not in titles
