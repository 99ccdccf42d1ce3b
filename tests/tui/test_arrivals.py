"""A screen that comes to the front reads what it shows once, and again whenever it comes back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tui.support import make_app, press, settle

ROOMS = {
    "c": "ClaimsReady", "l": "LabsReady", "b": "RowsReady", "p": "WaysReady", "g": "ProgressReady", "e": "LobbyReady",
    "t": "SettingsReady",
}  # fmt: skip


@pytest.mark.parametrize("key", ROOMS)
async def test_a_room_asks_the_store_once_when_it_is_entered(tmp_path: Path, key: str) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        asked: Counter[str] = Counter()
        ask = app.store.ask

        def counted(target: Any, reply: Any, job: Any) -> None:
            asked[reply.__name__] += 1
            ask(target, reply, job)

        app.store.ask = counted
        for visits in (1, 2, 3):
            await press(pilot, key)
            assert app.current_mode != "home"
            assert asked[ROOMS[key]] == visits
            await press(pilot, "q")
        await press(pilot, key, "question_mark", "escape")
        assert asked[ROOMS[key]] == 5, "what help covered may have changed since"
    app.store.close()
