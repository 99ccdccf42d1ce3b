"""Every page of Progress with 0, 1, 30 and 4,500 reviews at two sizes; 450,000 reviews by `make prove`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tui.progress_support import give_answers, log_in_bulk, reopened
from tui.support import make_app, press, settle, text_of

from quizapp.bank.model import Bank
from quizapp.tui.screens.progress_pages import PAGES, share_words
from snap.test_snapshots import FOLDER, SIZES, colours, compare


async def pages(app: Any, size: str, name: str) -> None:
    """All pages in one file; the colours of the first in another."""
    async with app.run_test(size=SIZES[size], notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "g")
        seen = []
        for number in range(len(PAGES)):
            seen.append(text_of(app) + "\n")
            if number == 0:
                compare(FOLDER / size / f"{name}.dark.txt", colours(app))
            await press(pilot, "right")
        assert f"1 of {len(PAGES)}" in text_of(app)
        compare(FOLDER / size / f"{name}.txt", "\n".join(seen))
    app.store.close()


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [0, 1, 30])
async def test_progress_after_some_answers(tmp_path: Path, size: str, count: int) -> None:
    give_answers(tmp_path, count, "2026-12-20" if count == 30 else None)
    await pages(make_app(tmp_path), size, f"progress-{count}")


@pytest.mark.snapshot
@pytest.mark.parametrize("size", SIZES)
async def test_progress_after_4500_reviews(tmp_path: Path, size: str) -> None:
    bank = log_in_bulk(tmp_path, 1_000)
    await pages(make_app(tmp_path, opener=lambda: reopened(tmp_path, bank)), size, "progress-4500")


@pytest.mark.prove
@pytest.mark.parametrize("size", SIZES)
async def test_progress_after_450_000_reviews(bulk: tuple[Path, Bank], size: str) -> None:
    await pages(make_app(bulk[0], opener=lambda: reopened(*bulk)), size, "progress-450000")


@pytest.mark.parametrize(
    ("right", "of", "words"),
    [(0, 9, "0 %"), (1, 200, "<1 %"), (1, 100, "1 %"), (994, 1000, "99 %"), (995, 1000, ">99 %"), (9, 9, "100 %")],
)
def test_a_share_says_nothing_or_all_only_when_it_is(right: int, of: int, words: str) -> None:
    assert share_words(right / of) == words
