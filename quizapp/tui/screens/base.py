"""What every screen shares: the places that decide which keys are alive, the footer, and the "enlarge" notice."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.app import ComposeResult
from textual.events import Resize, ScreenResume, ScreenSuspend
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from quizapp.tui import actions
from quizapp.tui.later import later
from quizapp.tui.messages import Reply
from quizapp.tui.widgets.enlarge import Enlarge
from quizapp.tui.widgets.footer import FooterLine

if TYPE_CHECKING:
    from quizapp.tui.app import QuizApp


class QuizScreen(Screen[None]):
    """Subclasses give `body()` and `places`, and call `keys_changed()` when their places change.

    Bindings come from the action table: set `BINDINGS = actions.bindings(["name"])`.
    """

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny-wide"), (40, "-narrow"), (80, "-normal"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-tiny-high"), (12, "-short"), (22, "-tall")]  # noqa: RUF012
    DEFAULT_CSS = """
    QuizScreen { background: $background; color: $text; layers: base notice; }
    QuizScreen.-tiny-wide > *, QuizScreen.-tiny-high > * { display: none; }
    QuizScreen.-tiny-wide > Enlarge, QuizScreen.-tiny-high > Enlarge { display: block; }
    """

    title_words = "quizapp"
    _in_front = False

    @property
    def quiz(self) -> QuizApp:
        return cast("QuizApp", self.app)

    @property
    def places(self) -> Collection[str]:
        """Where we are, in the words of the action table."""
        raise NotImplementedError

    def body(self) -> ComposeResult:
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        yield from self.body()
        yield FooterLine()
        yield Enlarge()

    def on_mount(self) -> None:
        later(self, self.keys_changed)  # not before: the footer has no room yet
        for target in self.query(".scrolls"):
            for what in ("scroll_y", "virtual_size", "display"):
                self.watch(target, what, self._see_more_later, init=False)

    @on(ScreenResume)
    def _came(self) -> None:
        """Textual says it twice of the first screen of a mode, which then would read everything twice."""
        if not self._in_front:
            self._in_front = True
            self.arrive()

    @on(ScreenSuspend)
    def _went(self) -> None:
        self._in_front = False

    def arrive(self) -> None:
        """The screen has come to the front: for the first time, or from below another."""

    def check_message_enabled(self, message: Message) -> bool:
        """A reply may come when the screen is already being taken down."""
        return bool(self.children or not isinstance(message, Reply)) and super().check_message_enabled(message)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "act":
            return actions.BY_ID[str(parameters[0])].active(self.places)
        return actions.allowed(action, parameters, self.places) is not False

    async def action_act(self, name: str, key: str = "") -> None:
        """What a key of the action table does."""
        await self.run_action(actions.BY_ID[name].call.format(key=key))

    def keys_changed(self) -> None:
        """Tells Textual and the footer that other keys are alive now."""
        if self.is_mounted:
            self.refresh_bindings()
            self.query_one(FooterLine).show(actions.hints(self.places, self.quiz.own_keys))
            self._see_more_later()

    @on(Resize)
    def _see_more_later(self) -> None:
        later(self, self._see_more)

    def _see_more(self) -> None:
        """Tells the footer whether a page goes on below."""
        below = (one.max_scroll_y > one.scroll_y for one in self.query(".scrolls") if one.display and one.is_scrollable)
        for footer in self.query(FooterLine):  # a screen that is just being put up has none yet
            footer.see(any(below))

    def acts(self, action_id: str) -> bool:
        """Whether an action that is active here would change anything: the palette offers no other."""
        return True

    def ask_store(self, reply: Callable[[Any], Message], job: Callable[[Any], Any]) -> None:
        """Runs `job(study)` in the store's thread; the value comes back as `reply(value)`, or a `StoreFailed`."""
        self.quiz.store.ask(self, reply, job)

    def action_back(self) -> None:
        self.quiz.go_home()

    def action_scroll_body(self, lines: int) -> None:
        for target in self.query(".scrolls"):
            self._scroll(target, lines)

    @staticmethod
    def _scroll(target: Widget, lines: int) -> None:
        step = lines if abs(lines) == 1 else (target.size.height - 1) * (1 if lines > 0 else -1)
        target.scroll_relative(y=step, animate=False)
