"""What the tests of the app share: real stores on small banks, a clock that stands still, and screens as text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen

from quizapp.bank.load import Bank, load_bank
from quizapp.clock import FixedClock
from quizapp.store.location import locate
from quizapp.store.opening import open_store
from quizapp.study import Filter, Study
from quizapp.tui.app import QuizApp

BANK = Path(__file__).parent / "bank"
NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
DONE: dict[str, Any] = {"first_run_done": True, "zone": "UTC"}


ROUNDS = 4


class Ticks:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def open_study(home: Path, bank: Bank | None = None, kinds: Iterable[str] = (), **settings: Any) -> Study:
    """A real store in `home` over the small bank. With `kinds` only questions of these kinds are asked."""
    location = locate(home)
    opened = open_store(location, NOON)
    study = Study(opened.database, bank or load_bank(dirs=[BANK]), FixedClock(NOON), location, opened.warnings)
    changes = {**DONE, **settings}
    if any(getattr(study.settings(), name) != value for name, value in changes.items()):
        study.save_settings(**changes)
    if kinds:
        ask, chosen = study.next_card, Filter(kinds=tuple(kinds))
        study.next_card = lambda filter=chosen, exclude=(): ask(chosen, exclude)  # type: ignore[method-assign]
    return study


def make_app(home: Path, ticks: Ticks | None = None, opener: Callable[[], Any] | None = None, **how: Any) -> QuizApp:
    """The app over a store in `home`; `how` goes to `open_study`."""
    return QuizApp(opener or (lambda: open_study(home, **how)), clock=FixedClock(NOON), monotonic=ticks or Ticks())


async def settle(pilot: Pilot[None]) -> None:
    """Until the store's thread has nothing to do, every message has been handled and nothing waits for a paint.

    A key takes a few hops (app, focused widget, screen, store, screen): ROUNDS times in a row nothing may be waiting.
    """
    app = pilot.app
    assert isinstance(app, QuizApp)
    while not (app.store.started or app.store.failure):  # the first frame comes before the store
        await pilot._wait_for_screen()
        await asyncio.sleep(0.001)
    still = 0
    for _ in range(200):
        await asyncio.sleep(0.001)
        await pilot._wait_for_screen()
        await app.store.idle()
        still = 0 if _waits(app.screen) else still + 1
        if still == ROUNDS:
            break


def _waits(screen: Screen[Any]) -> bool:
    """Whether the screen is still being put up, or has something to do before or after its next paint."""
    if not screen._mounted_event.is_set() or screen._callbacks:
        return True
    return any(widget._layout_required or widget._repaint_required for widget in screen.walk_children(with_self=True))


async def press(pilot: Pilot[None], *keys: str) -> None:
    """As `pilot.press`, without its waits for an idle processor."""
    for key in keys:
        name = _character_to_key(key) if len(key) == 1 else key
        driver = pilot.app._driver
        assert driver is not None
        driver.send_message(Key(name, key if len(key) == 1 else {"space": " "}.get(key)))
        await settle(pilot)


def text_of(app: QuizApp) -> str:
    """What is on the screen, line by line, without trailing blanks."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)
