"""Bugs that others shipped on screens (docs/known-bugs.md, rows 13, T1 and T2): time, brackets, widths of cells."""

from __future__ import annotations

import unicodedata
from datetime import timedelta
from pathlib import Path

import pytest
from study.helpers import bank_of, rows, single

from quizapp.bank.model import Bank
from quizapp.clock import FixedClock
from quizapp.tui.screens.exam_draft import response_of
from quizapp.tui.screens.exam_sitting import SittingScreen
from quizapp.tui.text import inline, line, plain, styled
from quizapp.tui.widgets.flow import Block, Flow
from quizapp.tui.widgets.rows import Line, compose_line
from tui.exam_support import Machine, exam_app
from tui.support import Ticks, make_app, open_study, press, settle, text_of

BRACKETS = [
    "[IMPORTANT] read this",
    "[b + x",
    "a[/red]",
    "[[/wiki.md]]",
    "kv[0] = [/usr/lib]",
    "\\[x] [/",
    "[@click=quit]no[/]",
]
WIDE = ["漢字かな交じり文", "ﾊﾝｶｸ ｶﾅ", "가나다 라마", "🚀🔥 ship it 🚀", "ＡＢＣ ｗｉｄｅ", "mixed 漢 a 🚀 b ﾊ c"]


def cells(text: str) -> int:
    """Cells by Unicode's own table of widths (UAX #11); the texts here have no joiners."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def hostile(texts: list[str]) -> Bank:
    questions = []
    for n, text in enumerate(texts):
        options = [o.model_dump() for o in single("x").options]
        for number, option in enumerate(options):
            option["text"] = f"{number}{text}"
        questions.append(single(f"q{n}", ask=f"Which? {text}", explain=f"So: {text}", options=options))
    return bank_of(questions)


@pytest.mark.parametrize("text", BRACKETS)
def test_brackets_are_text_through_every_helper(text: str) -> None:
    """Textual#6614, #5768, sqlit#212, tldw_chatbook#2717: text in brackets vanished, or crashed the app."""
    assert plain(text).plain == line(text).plain == inline(text).plain == text
    assert [span.style for span in plain(text).spans] == []


async def test_brackets_show_in_questions_toasts_and_lists(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=hostile(BRACKETS), new_per_day=20)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        for text in BRACKETS:
            app.tell(text)
            await settle(pilot)
            assert text in text_of(app)
        await press(pilot, "b")
        assert all(f"Which? {text}" in text_of(app) for text in BRACKETS)
        await press(pilot, "q", "s")
        for _ in BRACKETS:
            shown = text_of(app)
            asked = [text for text in BRACKETS if f"Which? {text}" in shown]
            assert asked
            assert all(f"{number}{asked[0]}" in shown for number in range(3))
            await press(pilot, "1", "g")
            assert f"So: {asked[0]}" in text_of(app)
            await press(pilot, "enter")
    app.store.close()


@pytest.mark.parametrize("text", WIDE)
@pytest.mark.parametrize("width", [20, 31, 40])
def test_rows_and_paragraphs_keep_their_width(text: str, width: int) -> None:
    """ratatui#75, #2187: emoji and half-width letters were counted wrongly, and the line beside them moved."""
    row = compose_line(Line(line(text * 6), styled("7 min")), width, marked=True)
    assert cells(row.plain) == width
    assert row.plain.endswith("7 min ")
    flow = Flow([Block(plain(" ".join([text] * 6)), plain("1  "), plain("   "), style="bold")])
    laid, _ = flow._lay(width)
    assert len(laid) > 1
    assert {cells(one.plain) for one in laid} == {width}


@pytest.mark.parametrize("size", [(40, 20), (80, 24)])
async def test_every_line_of_the_screen_is_as_wide_as_the_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    app = make_app(tmp_path, bank=hostile(WIDE), new_per_day=20)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        for keys in (["b"], ["down"], ["q", "s"], ["1"], ["g"], ["enter"], ["2", "g"]):
            await press(pilot, *keys)
            for strip in app.screen._compositor.render_strips():
                assert cells("".join(segment.text for segment in strip)) == size[0], keys
    app.store.close()


async def test_time_on_a_question_is_not_the_wall_clocks(tmp_path: Path) -> None:
    """Anki-Android#2351, #4516, #8111: the clock was put back during a question, and its time was negative."""
    ticks, opened = Ticks(), open_study(tmp_path, bank=hostile(["a", "b"]))
    app = make_app(tmp_path, ticks, opener=lambda: opened)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s")
        ticks.seconds += 7
        assert isinstance(opened.clock, FixedClock)
        opened.clock.instant -= timedelta(hours=1)
        await press(pilot, "1", "g")
        assert rows(tmp_path, "SELECT duration_ms FROM review") == [(7_000,)]
    app.store.close()


async def test_an_untouched_order_is_no_answer(tmp_path: Path) -> None:
    """talim-ai#49: an ordering question that nobody touched earned marks."""
    app = make_app(tmp_path, kinds=["order"])
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "enter", "enter")
        assert getattr(app.screen, "phase", "") == "ask"
        assert rows(tmp_path, "SELECT count(*) FROM review") == [(0,)]
    app.store.close()


async def test_nothing_chosen_moves_on_to_a_question_of_the_same_kind(tmp_path: Path, monkeypatch) -> None:
    """azure-cloud-exams#70: the next question opened with the option of the last one chosen."""
    machine = Machine(tmp_path, monkeypatch)
    app = exam_app(tmp_path, machine.wall)
    async with app.run_test(size=(80, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "left", "left", "enter", "y")
        screen = app.screen
        assert isinstance(screen, SittingScreen)
        singles = [n for n in range(10) if screen.desk.variant(n).question.kind == "single"]
        assert len(singles) > 2
        for index in singles[:3]:
            screen._go(index)
            await settle(pilot)
            assert screen.draft is not None
            assert response_of(screen.draft)[0] is None
            nothing = text_of(app)
            await press(pilot, "2", "down")
            assert text_of(app) != nothing
        screen._go(singles[0])
        await settle(pilot)
        answers = [screen.sitting.replies[n].response for n in singles]
        assert answers[:3] == [screen.desk.variant(n).choices[1].id for n in singles[:3]]
        assert set(answers[3:]) <= {None}
    app.store.close()
