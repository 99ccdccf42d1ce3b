"""Mock exam: choose a paper or go on with the running one; the history of those handed in."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from quizapp.memory.day import zone_named
from quizapp.study.exam_values import Desk, Offer, Past, short_title
from quizapp.tui import actions
from quizapp.tui.later import later
from quizapp.tui.messages import Reply, StoreFailed
from quizapp.tui.screens import exam_words as words
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.screens.exam_result import ResultScreen, load_result
from quizapp.tui.screens.exam_sitting import SittingScreen
from quizapp.tui.text import GAP, Block, line, plain, styled
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.top import TopLine


@dataclass(frozen=True)
class Lobby:
    """What the store says when the room is entered. `exams` works in the store's thread only."""

    exams: Any
    desk: Desk | None
    offers: Sequence[Offer]
    history: Sequence[Past]
    preferred: str
    """The blueprint to mark first."""
    notice: str
    """That an exam's time ran out while nobody looked; said once here, and until then on Home."""


class LobbyReady(Reply):
    """value: Lobby."""


class Began(Reply):
    """value: Desk."""


class ResultReady(Reply):
    """value: Looked, an exam that was handed in."""


class KindsReady(Reply):
    """value: the offers, with other kinds of question than before."""


def look(study: Any, exams: Any = None, choice_only: bool = False) -> Lobby:
    """`exams` are kept from visit to visit: what they found out about the bank they need not look up again."""
    from quizapp.study.exams import Exams

    exams = exams or Exams(study)
    desk = exams.running()
    notice, study.exam_notice = study.exam_notice, ""
    return Lobby(exams, desk, () if desk else exams.offers(choice_only), exams.history(), exams.preferred(), notice)


class ExamScreen(QuizScreen, inherit_bindings=False):
    """`page` is loading, choose, rules or running; one cursor runs over the offers and the history."""

    BINDINGS = actions.bindings(["exam"])
    DEFAULT_CSS = """
    ExamScreen #lobby { height: 1fr; padding: 1 3 0 3; scrollbar-size-vertical: 1; }
    ExamScreen #lobby Flow { max-width: 100; }
    ExamScreen.-short #lobby { padding: 0 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.page = "loading"
        self.lobby: Lobby | None = None
        self._cursor = 0
        self._wanted = ""
        """The blueprint that was marked last; of a running exam there are no offers."""
        self._choice_only = False
        """What the rules page was told last; it holds for the next paper too."""
        self._length: dict[str, int] = {}
        self._failure = ""
        self._marked = 0
        """Which block of the page the cursor is on."""

    @property
    def places(self) -> Collection[str]:
        offer = self.offer
        return {f"exam.{self.page}.mixed" if self.page == "rules" and offer and offer.mixed else f"exam.{self.page}"}

    def body(self) -> ComposeResult:
        yield TopLine()
        with VerticalScroll(id="lobby", classes="scrolls", can_focus=False):
            yield Flow(id="words")

    def arrive(self) -> None:
        if self.page != "rules":
            self._show("loading")
            exams, choice_only = self.lobby.exams if self.lobby else None, self._choice_only
            self.ask_store(LobbyReady, lambda study: look(study, exams, choice_only))

    @on(LobbyReady)
    def _ready(self, message: LobbyReady) -> None:
        before = self.lobby.preferred if self.lobby else ""
        self.lobby, self._failure = message.value, ""
        ids = [offer.blueprint.id for offer in self._offers]
        first = self._cursor < len(ids)
        if message.value.preferred != before:  # another exam was chosen in Settings, or sat
            self._wanted, first = "", True
        wanted = self._wanted or message.value.preferred
        self._cursor = ids.index(wanted) if first and wanted in ids else min(self._cursor, max(0, self._rows - 1))
        self._show("running" if message.value.desk else "choose")

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self._failure = message.value
        self._show("choose" if self.lobby is not None and self.lobby.desk is None else "loading")

    # The cursor

    @property
    def _offers(self) -> list[Offer]:
        return [offer for offer in self.lobby.offers if offer.lengths] if self.lobby else []

    @property
    def _rows(self) -> int:
        return len(self._offers) + len(self.lobby.history) if self.lobby else 0

    @property
    def offer(self) -> Offer | None:
        """The marked one."""
        offers = self._offers
        return offers[self._cursor] if self._cursor < len(offers) else None

    def count(self, offer: Offer) -> int:
        """Questions of the next paper: what was wanted last, as far as the bank can fill it."""
        wanted = self._length.get(offer.blueprint.id, offer.usual)
        return max((n for n in offer.lengths if n <= wanted), default=offer.lengths[0])

    def action_move(self, delta: int) -> None:
        if self._rows:
            self._cursor = (self._cursor + delta) % self._rows
            self._wanted = self.offer.blueprint.id if self.offer is not None else ""
            self._paint()
            later(self, self._keep_in_sight)

    def action_length(self, delta: int) -> None:
        offer = self.offer
        if offer is not None:
            at = offer.lengths.index(self.count(offer)) + delta
            self._length[offer.blueprint.id] = offer.lengths[min(max(at, 0), len(offer.lengths) - 1)]
            self._paint()

    # Going on

    def action_open(self) -> None:
        if self.lobby is None:
            return
        if self.lobby.desk is not None:
            self.app.push_screen(SittingScreen(self.lobby.exams, self.lobby.desk))
        elif self.offer is not None:
            self._show("rules")
        elif self._rows:
            number = self.lobby.history[self._cursor - len(self._offers)].number
            self.ask_store(ResultReady, load_result(number))

    def action_kinds(self) -> None:
        """Choice questions only, or all kinds. Nothing can be started before the page says which."""
        lobby, offer = self.lobby, self.offer
        assert lobby is not None
        assert offer is not None
        choice_only = self._choice_only = not offer.choice_only
        self._show("loading")
        self.ask_store(KindsReady, lambda _study: lobby.exams.offers(choice_only))

    @on(KindsReady)
    def _kinds(self, message: KindsReady) -> None:
        assert self.lobby is not None
        self.lobby = replace(self.lobby, offers=message.value)
        if self.offer is not None and self._choice_only and not self.offer.choice_only:
            self.quiz.tell("The bank cannot fill a paper of this exam with choice questions only.", bad=True)
        self._show("rules")

    def action_confirm(self) -> None:
        """The clock starts."""
        lobby, offer = self.lobby, self.offer
        assert lobby is not None
        assert offer is not None
        count = self.count(offer)
        self._wanted = offer.blueprint.id
        self._show("loading")
        self.ask_store(Began, lambda _study: lobby.exams.start(offer.blueprint.id, count, None, offer.choice_only))

    @on(Began)
    def _began(self, message: Began) -> None:
        assert self.lobby is not None
        self.app.push_screen(SittingScreen(self.lobby.exams, message.value))

    @on(ResultReady)
    def _result(self, message: ResultReady) -> None:
        self.app.push_screen(ResultScreen(message.value))

    def action_back(self) -> None:
        if self.page == "rules":
            self._show("choose")
        else:
            self.quiz.go_home()

    # Painting

    def _show(self, page: str) -> None:
        self.page = page
        self.query_one("#lobby").scroll_home(animate=False)
        self._paint()

    def _paint(self) -> None:
        count = len(self.lobby.history) if self.lobby else 0
        right = styled(f"{count} handed in" if count else "", "$muted")
        self.query_one(TopLine).show(styled("Mock exam", "bold $right"), right)
        failure = [Block(styled("! ", "bold $wrong") + plain(self._failure)), GAP] if self._failure else []
        self.query_one("#words", Flow).show([*failure, *self._blocks()])
        self.keys_changed()

    def _blocks(self) -> list[Block]:
        lobby = self.lobby
        if lobby is None or self.page == "loading":
            return [Block(styled("Fetching …", "$muted"))] if not self._failure else []
        if lobby.desk is not None:
            return words.running(lobby.desk) + self._history()
        if self.page == "rules" and self.offer is not None:
            return words.rules(self.offer, self.count(self.offer))
        out = [Block(line(lobby.notice, "bold $wrong")), GAP] if lobby.notice else []
        for n, offer in enumerate(self._offers):
            if n == self._cursor:
                self._marked = len(out)
            out += words.offer_rows(offer, n == self._cursor, self.count(offer))
        out += self._history(len(out))
        if self.offer is not None:
            out += [GAP, *words.offer_details(self.offer)]
        return [*out, GAP, *words.not_offered([offer for offer in lobby.offers if not offer.lengths])]

    def _history(self, above: int = 0) -> list[Block]:
        """`above` is the number of blocks before these."""
        assert self.lobby is not None
        history = self.lobby.history
        if not history:
            return [GAP, Block(styled("No mock exam handed in yet.", "$muted"))]
        zone = zone_named(getattr(self.quiz.settings, "zone", "UTC"))
        start = len(self._offers)
        out = [GAP, Block(styled("Handed in", "bold")), *words.trend(history)]
        if self._cursor >= start:
            self._marked = above + len(out) + self._cursor - start
        now = {offer.blueprint.id: offer.blueprint.title for offer in self.lobby.offers}
        rows = [replace(past, title=short_title(now.get(past.blueprint, past.title))) for past in history]
        return out + [words.past_row(past, start + n == self._cursor, zone) for n, past in enumerate(rows)]

    def _keep_in_sight(self) -> None:
        flow, lobby = self.query_one("#words", Flow), self.query_one("#lobby")
        first, rows = flow.row_of(self._marked)
        top = flow.virtual_region.y + first
        if self.page == "choose" and not lobby.scroll_y <= top <= lobby.scroll_y + lobby.size.height - rows - 1:
            lobby.scroll_to(y=max(0, top - lobby.size.height // 2), animate=False)
