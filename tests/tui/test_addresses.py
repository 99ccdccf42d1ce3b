"""Addresses of sources: broken where one may, links to a terminal that knows them, and never a way in for a bank."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.bank.load import load_bank
from quizapp.tui.text import address, break_address
from tui.support import BANK, make_app, press, settle, text_of

LONG = (
    "https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/batcher.html?page=1&all=2"
)


@given(st.text("ab/?&=#-.", min_size=1, max_size=80), st.integers(2, 30))
def test_rows_fit_keep_every_character_and_break_within_no_word_that_has_room(text: str, room: int) -> None:
    rows = [row.plain for row in break_address(address(text), room)]
    assert "".join(rows) == address(text).plain
    assert all(0 < len(row) <= room for row in rows)
    assert all(row[-1] in "/?&=#-" or len(row) == room for row in rows[:-1])


@pytest.mark.parametrize("width", [80, 60, 40])
async def test_a_long_address_is_one_link_and_breaks_at_its_joints(tmp_path: Path, width: int) -> None:
    bank = load_bank(dirs=[BANK])
    key = bank.questions["one-single"].sources[0]
    bank.sources[key] = bank.sources[key].model_copy(update={"address": LONG})
    app = make_app(tmp_path, bank=bank, kinds=["single"])
    async with app.run_test(size=(width, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "0")
        strips = app.screen._compositor.render_strips()
        rows = ["".join(s.text for s in strip if s.style and s.style.link == LONG) for strip in strips]
        rows = [row for row in rows if row]
        assert "".join(rows) == LONG
        assert len(rows) > 1
        assert all(row[-1] in "/?&=#-" for row in rows[:-1]), rows
        assert "docs.nvidia.com" in text_of(app)
    app.store.close()


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "NVIDIA documentation, chapter 3",
        "https://example.org/a b",
        "https://example.org/\u0430",
        "xhttps://example.org",
        "computed",
    ],
)
def test_only_a_whole_web_address_is_a_link(text: str) -> None:
    assert all(not getattr(span.style, "link", None) for span in address(text).spans)


def test_what_a_terminal_would_obey_is_in_no_link() -> None:
    found = address("https://example.org/\x1b]8;;http://evil.example\x07x\x1b\\y\x9c")
    links = [span.style.link for span in found.spans if not isinstance(span.style, str)]
    assert links == [found.plain]
    assert found.plain.isprintable()
