"""A whole number may be typed as the app shows it, in Study and in a mock exam."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizapp.bank.errors import Unclear
from quizapp.bank.load import load_bank
from quizapp.bank.model import Bank
from quizapp.bank.schema import Numeric
from quizapp.bank.variant import make_variant
from quizapp.tui import sheets
from quizapp.tui.draft import Entry
from quizapp.tui.screens.exam_draft import read_as
from tui.support import BANK, make_app, press, settle, text_of


def whole_bank() -> Bank:
    """The one calculation of the small bank, with a whole answer of five digits."""
    bank = load_bank(dirs=[BANK])
    one = next(q for q in bank.questions.values() if isinstance(q, Numeric))
    answer = one.answer.model_copy(update={"value": 16_000})
    return Bank(**{**vars(bank), "questions": {one.id: one.model_copy(update={"answer": answer, "decimals": 0})}})


async def test_in_study(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=whole_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s", *"16,000", "enter", "u")
        assert "16,000 steps" in text_of(app)
        assert "Correct" in text_of(app)
    app.store.close()


def test_in_a_mock_exam() -> None:
    (question,) = whole_bank().questions.values()
    draft = sheets.new_draft(make_variant(question, 1))
    assert isinstance(draft, Entry)
    assert read_as(draft, "16,000") == ""
    with pytest.raises(Unclear):
        read_as(Entry(True, "steps"), "16,000")
