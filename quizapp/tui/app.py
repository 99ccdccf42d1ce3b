"""The app: modes, signals, themes, keys, and what happens when something breaks."""

from __future__ import annotations

import asyncio
import signal
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.text import Text
from textual import on
from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.events import Key
from textual.screen import Screen

from quizapp.clock import Clock, SystemClock
from quizapp.text import clean
from quizapp.tui import actions, modes, themes
from quizapp.tui.bridge import StoreThread
from quizapp.tui.environment import guessed_theme, keep_theme, recalled_theme
from quizapp.tui.messages import SettingsReady, StoreFailed, StoreOpened
from quizapp.tui.terminal import WithoutColor, hung_up, leave_with_the_terminal, let_go
from quizapp.tui.widgets.box import Box

SIGNALS = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}


class QuizApp(App[None], inherit_bindings=False):
    """`open_study` makes the store's facade; it is called in the store's thread, after the first frame."""

    TITLE = "quizapp"
    AUTO_FOCUS = ""
    DEFAULT_MODE = "home"
    MODES = modes.builders()
    BINDINGS = [  # noqa: RUF012
        Binding(a.keys, a.call, a.words, show=False, id=a.id)
        for a in actions.ACTIONS
        if a.call.startswith("app.") and a.where == "all"
    ]
    CSS = """
    Toast { background: $panel; color: $text; }
    ToastRack { margin-bottom: 3; }
    CommandPalette { background: $background 60%; }
    CommandPalette OptionList { min-width: 8; }
    """

    def __init__(
        self,
        open_study: Callable[[], Any],
        *,
        clock: Clock | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        theme: str | None = None,
    ) -> None:
        super().__init__()
        self.store = StoreThread(open_study)
        self.clock = clock or SystemClock()
        self.monotonic = monotonic
        self.own_keys: Mapping[str, str] = {}
        self.settings: Any = None
        self.plan: Any = None
        """What Home wants studied; the Study screen takes it."""
        self.lab_wanted: tuple[str, str] | None = None
        """(lab id, mode to go back to): what the Lab screen opens next."""
        self.page_wanted = ""
        """The page that Progress shows next, where it is not the one it showed last."""
        self._crash_folder: Path | None = None
        self.animation_level = "none"
        if self.no_color:
            self._filters[:] = [WithoutColor()]
        for name in themes.PALETTES:
            self.register_theme(themes.theme(name))
        self.theme = f"quiz-{theme or guessed_theme()}"

    # Start and end

    def on_mount(self) -> None:
        if not self.is_headless:
            loop = asyncio.get_running_loop()
            for number, code in SIGNALS.items():
                loop.add_signal_handler(number, self._signalled, code)
            self.set_interval(1.0, self._watch_terminal)
        self.call_after_refresh(self.open_store)

    def open_store(self) -> None:
        if not self.store.started:
            self.store.start(self)

    def _signalled(self, code: int) -> None:
        self.exit(return_code=code)

    def _watch_terminal(self) -> None:
        if hung_up():
            self.exit(return_code=129)

    @on(StoreOpened)
    def _opened(self, message: StoreOpened) -> None:
        settings, read_only, warnings, self._crash_folder = message.value
        self.use_settings(settings)
        for words in warnings:
            self.tell(words, bad=True)
        if settings.first_run_done or read_only:
            self._home().refresh_view()
        else:
            self.switch_mode(modes.WELCOME.id)

    @on(StoreFailed)
    def _not_opened(self, message: StoreFailed) -> None:
        self._home().post_message(StoreFailed(message.value))

    def _home(self) -> Any:
        return self._screen_stacks[modes.HOME.id][0]

    def use_settings(self, settings: Any) -> None:
        """Theme and keys as the settings say; keys that make no sense are named and left out."""
        self.settings = settings
        if f"quiz-{settings.theme}" in themes.PALETTES:
            self.theme = f"quiz-{settings.theme}"
        problems = actions.keymap_problems(settings.keys)
        for words in problems:
            self.tell(words, bad=True)
        self.own_keys = {} if problems else dict(settings.keys)
        self.set_keymap(self.own_keys)
        if hasattr(self.screen, "keys_changed"):
            self.screen.keys_changed()

    # Words to the learner

    def tell(self, words: str, *, bad: bool = False) -> None:
        """The only way to a toast: `words` are shown as they are, without markup."""
        self.notify(clean(words), severity="warning" if bad else "information", markup=False, timeout=6 if bad else 3)

    # Getting about

    def go(self, mode: str) -> None:
        self.switch_mode(mode)

    def open_lab(self, lab: str, came_from: str) -> None:
        self.lab_wanted = (lab, came_from)
        self.switch_mode(modes.LAB.id)

    def open_progress(self, page: str) -> None:
        self.page_wanted = page
        self.switch_mode("progress")

    def go_home(self) -> None:
        self.switch_mode(modes.HOME.id)
        self._home().refresh_view()

    def action_help(self) -> None:
        from quizapp.tui.screens.base import QuizScreen
        from quizapp.tui.screens.help import HelpScreen

        if isinstance(self.screen, QuizScreen) and not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen.places))

    def action_leave(self) -> None:
        self.exit()

    def on_key(self, event: Key) -> None:
        """Keys come here that nobody below wanted. Those that were typed before a box could open are the box's."""
        for box in self.screen.query(Box):
            if box.overlooked(event):
                event.prevent_default()
                again = Key(event.key, event.character)
                again._set_forwarded()
                box.post_message(again)
                return

    def action_command_palette(self) -> None:
        from textual.command import CommandPalette

        from quizapp.tui.palette import Palette

        if not CommandPalette.is_open(self):  # type: ignore[arg-type]
            self.push_screen(Palette(id="--command-palette"))

    def action_interrupt(self) -> None:
        selected = self.screen.get_selected_text()
        if selected:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
        else:
            self.exit(return_code=130)

    def action_switch_theme(self) -> None:
        name = "light" if self.theme == themes.DARK else "dark"
        self.theme = f"quiz-{name}"
        if self.settings is not None:
            self.store.ask(self, SettingsReady, lambda study: study.save_settings(theme=name))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        from quizapp.tui.screens.base import QuizScreen

        places = getattr(screen, "places", ())
        for action in actions.ACTIONS:
            acts = not isinstance(screen, QuizScreen) or screen.acts(action.id)
            if action.palette and acts and action.active(places) and not (action.id == "help" and "help" in places):
                call = action.call if action.call.startswith("app.") else f"screen.{action.call}"
                keys = actions.key_words(action, self.own_keys)
                yield SystemCommand(action.words, keys, lambda call=call: self.run_action(call))

    # When something breaks

    def _handle_exception(self, error: Exception) -> None:
        """While the app is leaving, widgets go before the last keys reach them: that is no error to tell of."""
        if not self._exit:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """The terminal comes back, the learner gets one sentence, the traceback goes to a file."""
        details = traceback.format_exc()
        where = f"\n{details}"
        if self._crash_folder is not None:
            path = self._crash_folder / "crash.txt"
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(details, "utf-8")
                where = f" Details for a bug report: {path}"
            except OSError as error:
                where = f" Details could not be written ({error.strerror}):\n{details}"
        words = f"quizapp met an error it did not expect and stopped: {details.strip().splitlines()[-1]}\n"
        self._exit_renderables.append(Text(clean(f"{words}Every answer given so far is saved.{where}")))
        self._close_messages_no_wait()


def run(db: str | None, banks: Iterable[Path], clock: Clock) -> int:
    """Runs the app in this terminal and returns the exit code."""

    def open_study() -> Any:
        from quizapp.study import Study

        return Study.open(db=db, banks=tuple(banks), clock=clock)

    app = QuizApp(open_study, clock=clock, theme=recalled_theme())
    watch = leave_with_the_terminal(SIGNALS[signal.SIGHUP])
    try:
        app.run()
    finally:
        keep_theme(app.theme.removeprefix("quiz-"))
        app.store.close()
        if hung_up():
            let_go()
        watch.set()
    return app.return_code or 0
