"""The rooms that Home leads to. One line adds one: its screen is imported when it is first opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from textual.screen import Screen


@dataclass(frozen=True, slots=True)
class Mode:
    """`key` opens it from Home; `screen` is "module:Class", imported on first use."""

    id: str
    key: str
    title: str
    words: str
    screen: str

    def build(self) -> Screen[None]:
        module, name = self.screen.split(":")
        made: Screen[None] = getattr(import_module(module), name)()
        return made


MODES = (
    Mode("study", "s", "Study", "answer what is due, then meet something new", "quizapp.tui.screens.study:StudyScreen"),
    Mode("exam", "e", "Mock exam", "sit a timed paper, see where you stand", "quizapp.tui.screens.exam:ExamScreen"),
    Mode("practice", "p", "Practice", "drill what you choose", "quizapp.tui.screens.practice:PracticeRoom"),
    Mode("labs", "l", "Labs", "predict, run a real engine, see what is true", "quizapp.tui.screens.labs:LabsScreen"),
    Mode("claims", "c", "Claims", "what the lessons state, and what holds", "quizapp.tui.screens.claims:ClaimsScreen"),
    Mode("browse", "b", "Browse", "search the bank, look a question up", "quizapp.tui.screens.browse:BrowseScreen"),
    Mode("progress", "g", "Progress", "what you know, if you are ready", "quizapp.tui.screens.progress:ProgressScreen"),
    Mode("settings", "t", "Settings", "day, limits, exam date, theme", "quizapp.tui.screens.settings:SettingsScreen"),
)

HOME = Mode("home", "h", "Home", "what is due today", "quizapp.tui.screens.home:HomeScreen")
WELCOME = Mode("welcome", "", "Welcome", "the first run", "quizapp.tui.screens.welcome:WelcomeScreen")
LAB = Mode("lab", "", "Lab", "one lab", "quizapp.tui.screens.lab:LabScreen")


def builders() -> dict[str, str | Callable[[], Screen[Any]]]:
    """What Textual's `MODES` wants: id → a callable that makes the screen."""
    return {mode.id: mode.build for mode in (HOME, WELCOME, LAB, *MODES)}
