"""Sitting a mock exam: one question at a time, free to move between them, nothing revealed before it is handed in."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input

from quizapp.bank.errors import Unclear
from quizapp.exam import sitting as room
from quizapp.exam.sitting import Sitting
from quizapp.exam.timer import Instant
from quizapp.study.exam_values import Desk
from quizapp.tui import actions, sheets
from quizapp.tui.draft import Draft, Entry, Match
from quizapp.tui.screens import exam_draft
from quizapp.tui.screens import exam_words as words
from quizapp.tui.screens.exam_seat import LAST_S, SeatScreen
from quizapp.tui.text import GAP, Block, line, plain, styled
from quizapp.tui.widgets import navigator
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.enlarge import Enlarge
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.sheet import QuestionSheet


class ExamSheet(QuestionSheet):
    """The sheet of Study with struck options."""

    struck: Collection[str] = ()

    def paint(self, draft: Draft) -> None:
        super().paint(draft)
        options = self.query_one("#options", Flow)
        if draft.place == "choice":
            options.show(exam_draft.options(draft, self.struck))


def _answer(sitting: Sitting, at: int, response: Any, lifted: set[str], now: Instant, complete: bool) -> Sitting:
    """Stores the answer; the strike of an option that is chosen now is lifted."""
    for option in lifted & set(sitting.replies[at].struck):
        sitting = room.toggle_strike(sitting, at, option, now)
    return room.answer(sitting, at, response, now, complete)


class SittingScreen(SeatScreen, inherit_bindings=False):
    """The question on screen, the pages behind it, and their keys."""

    BINDINGS = actions.bindings(["sitting"])
    DEFAULT_CSS = """
    SittingScreen #page { display: none; height: 1fr; padding: 1 3 0 3; }
    SittingScreen #page Flow { max-width: 96; }
    SittingScreen.-paged #page { display: block; }
    SittingScreen.-paged ExamSheet { display: none; }
    SittingScreen #bar { background: $panel; padding: 0 3; height: auto; min-height: 1; max-height: 4; }
    SittingScreen.-short #page { padding: 0 2; }
    """

    def __init__(self, exams: Any, desk: Desk) -> None:
        super().__init__(exams, desk)
        self.draft: Draft | None = None
        self.marked = 0

    def body(self) -> ComposeResult:
        yield navigator.Strip()
        yield ExamSheet(id="sheet", classes="scrolls")
        with VerticalScroll(id="page", classes="scrolls", can_focus=False):
            yield Flow(id="words")
        yield Flow(id="bar")

    @property
    def sheet(self) -> ExamSheet:
        return self.query_one(ExamSheet)

    @property
    def places(self) -> Collection[str]:
        if self.page != "ask" or self.draft is None:
            return {f"sitting.{self.page}"}
        if self.draft.place == "entry" and self.sheet.box.typing:
            return {"sitting.box"}
        return {f"sitting.ask.{self.draft.place}"}

    def acts(self, action_id: str) -> bool:
        sitting, draft = self.sitting, self.draft
        match action_id:
            case "toggle" | "strike":
                return draft is not None and draft.cursor is not None
            case "clear":
                return sitting.replies[sitting.at].response is not None or bool(sitting.replies[sitting.at].unread)
            case "exam-previous" | "exam-first":
                return sitting.at > 0
            case "exam-last":
                return sitting.at + 1 < len(sitting.replies)
            case "unanswered":
                return bool({*sitting.unanswered, *sitting.incomplete} - {sitting.at})
        return super().acts(action_id)

    # Answering

    def ask(self) -> None:
        """The question that the sitting is at, with the answer that stands."""
        index = self.sitting.at
        reply = self.sitting.replies[index]
        variant = self.desk.variant(index)
        self.page, self.marked = "ask", index
        self.draft = exam_draft.draft_of(variant, reply.response, reply.unread)
        self.sheet.struck = reply.struck
        self.sheet.ask(variant, self.draft)
        if reply.response is not None or reply.unread:
            self.sheet.box.rest()
        self.paint()

    def _edit(self, change: Callable[[Draft], None]) -> None:
        """A key on the draft: the answer that results is the sitting's at once."""
        if self.page != "ask" or self.draft is None:
            return
        change(self.draft)
        response, complete = exam_draft.response_of(self.draft)
        at = self.sitting.at
        if not isinstance(self.draft, Entry) and response != self.sitting.replies[at].response:
            lifted = exam_draft.newly_chosen(response, self.sitting.replies[at].response)
            self.change(lambda sitting, now: _answer(sitting, at, response, lifted, now, complete))
            self.sheet.struck = self.sitting.replies[at].struck
        if self.page == "ask":
            self.sheet.paint(self.draft)
            self.paint()

    def action_choose(self, number: int) -> None:
        self._edit(lambda draft: draft.digit(number))

    def action_move(self, delta: int) -> None:
        self._edit(lambda draft: draft.move(delta))

    def action_toggle(self) -> None:  # type: ignore[override]
        self._edit(lambda draft: draft.toggle())

    def action_shift(self, delta: int) -> None:
        self._edit(lambda draft: draft.shift(delta))

    def action_mark(self, row: int) -> None:
        """A click on a left side."""
        if isinstance(self.draft, Match):
            self.draft.cursor = row
            self._edit(lambda draft: None)

    def action_clear(self) -> None:
        """Takes the answer back."""
        at = self.sitting.at
        if self.change(lambda sitting, now: room.answer(sitting, at, None, now)):
            self.ask()

    def action_flag_item(self) -> None:
        at = self.sitting.at
        if self.change(lambda sitting, now: room.toggle_flag(sitting, at, now)):
            self.paint()

    def action_strike(self) -> None:
        draft, at = self.draft, self.sitting.at
        if draft is None or draft.cursor is None:
            self._bar("Mark an option with ↑ or ↓ first; x strikes the marked one out.")
            return
        option = draft.items[draft.cursor].id  # type: ignore[attr-defined]
        if self.change(lambda sitting, now: room.toggle_strike(sitting, at, option, now)):
            self.sheet.struck = self.sitting.replies[at].struck
            self.sheet.paint(draft)
            self.paint()

    # The answer box

    def keep_typed(self, whatever: bool = False) -> bool:
        """Stores what the box says. False when it cannot be read; then nothing is stored, and the bar says why.

        `whatever`: it is stored as it stands even so, as a text that answers nothing yet.
        """
        draft = self.draft
        if self.page != "ask" or not isinstance(draft, Entry) or not self.sheet.box.typing:
            return True
        typed = self.sheet.box.value.strip()
        at, unread = self.sitting.at, ""
        try:
            draft.words = exam_draft.read_as(draft, typed) if typed else ""
        except Unclear as unclear:
            if not whatever:
                self._bar(str(unclear))
                self.sheet.box.select_all()
                return False
            if self.sitting.timer.left_s <= LAST_S and self.sitting.replies[at].response is not None:
                return True  # time runs out while it is being typed: the answer that stood stands
            unread = typed
        draft.text, draft.value = typed, None if unread else typed or None
        reply = self.sitting.replies[at]
        if (draft.value, unread) == (reply.response, reply.unread):
            return True
        return self.change(lambda sitting, now: room.answer(sitting, at, draft.value, now, unread=unread))

    @on(Input.Submitted, "#answer")
    def _entered(self) -> None:
        if self.keep_typed() and self.page == "ask":
            self.action_turn(1)

    @on(Box.Turned, "#answer")
    def _turned(self, message: Box.Turned) -> None:
        """From an empty box the arrows go on through the paper, as they do from every other question."""
        if self.page == "ask":
            self.action_turn(message.delta)

    @on(Box.Left, "#answer")
    def action_leave_box(self) -> None:
        """Always leads out of the box, whatever stands in it."""
        if self.keep_typed(whatever=True) and self.page == "ask":
            self.sheet.box.rest()
            self.paint()

    def action_edit(self) -> None:
        if isinstance(self.draft, Entry):
            self.sheet.box.open(self.draft.text, self.sheet.box.placeholder)
            self.paint()

    # Getting about

    def action_turn(self, delta: int) -> None:
        """To another question; beyond the last one lies handing in."""
        if not self.keep_typed():
            return
        there = self.sitting.at + delta
        if delta == 1 and there >= len(self.sitting.replies):
            self.action_hand()
        else:
            self._go(there)

    def _go(self, index: int) -> None:
        if self.change(lambda sitting, now: room.go(sitting, index, now)):
            self.ask()

    def action_to_unanswered(self) -> None:
        """The next one after the question on screen, round the paper; one with a part missing is not answered yet."""
        rest = sorted({*self.sitting.unanswered, *self.sitting.incomplete} - {self.sitting.at})
        if not rest:
            self._bar("No other question is open.")
            return
        self._go(next((n for n in rest if n > self.sitting.at), rest[0]))

    def action_grid(self) -> None:
        self._turn_page("grid")

    def action_hand(self) -> None:
        self._turn_page("hand")

    def action_back(self) -> None:
        if self.page == "ask":
            self._turn_page("leave")
        elif self.page == "stuck":
            self.app.pop_screen()
        else:
            self.ask()

    def action_confirm(self) -> None:
        if self.page == "leave":
            self.save()
            self.app.pop_screen()
        elif self.page == "stuck":
            self.hand_in()
        elif self.page == "hand":
            self.sitting = room.submit(self.sitting, self.exams.now())
            self.hand_in()

    def action_grid_move(self, delta: int) -> None:
        there = self.marked + delta
        if 0 <= there < len(self.sitting.replies):
            self.marked = there
            self.paint()

    def action_grid_row(self, delta: int) -> None:
        self.action_grid_move(delta * self._columns)

    def on_resize(self) -> None:
        if self.page == "grid" and self.is_mounted:
            self.paint()

    @property
    def _columns(self) -> int:
        return navigator.columns(self.query_one("#page").container_viewport.width - 6)

    def action_grid_open(self) -> None:
        self._go(self.marked)
        if self.page == "grid":  # it was the question on screen
            self.ask()

    def action_hide_clock(self) -> None:
        self.change(lambda sitting, now: room.toggle_clock(sitting))
        self.paint()

    def _turn_page(self, page: str) -> None:
        self.page, self.marked = page, self.sitting.at
        self.sheet.box.rest()
        self.paint()

    # Painting

    def paint(self) -> None:
        self.set_class(self.page != "ask", "-paged")
        if self.page != "ask":
            self.query_one("#words", Flow).show(self._page_blocks())
        self._bar(self.problem if self.problem and self.page != "stuck" else self._hint())
        self.paint_top()
        self.keys_changed()

    def _page_blocks(self) -> list[Block]:
        if self.page == "grid":
            rows = navigator.grid(words.cells(self.sitting), self.marked, self._columns)
            return [*rows, GAP, Block(styled(navigator.LEGEND, "$muted"))]
        if self.page == "hand":
            return words.hand_in(self.sitting)
        if self.page == "leave":
            return words.leave(self.sitting)
        if self.page == "stuck":
            return words.stuck(self.problem)
        return [Block(styled("Handing in …", "$muted"))]

    def paint_top(self) -> None:
        sitting, at = self.sitting, self.sitting.at
        total = len(sitting.replies)
        kind = sheets.kind_words(self.desk.questions[sitting.paper.items[at].question_id])
        left = styled(f"Question {at + 1} of {total}", "bold $right") + styled(f"  {kind}", "$muted")
        if sitting.replies[at].flagged:
            left += styled("  ! flagged", "$wrong")
        saving = styled("saving …  ", "$muted") if self.unsaved else styled("")
        clock = words.clock_words(sitting)
        self.query_one(navigator.Strip).show(left, saving + clock, words.cells(sitting), at)
        enlarge = self.query_one(Enlarge)
        if enlarge.note != clock.plain:
            enlarge.note = clock.plain
            enlarge.refresh()

    def _hint(self) -> str:
        if self.page != "ask" or self.draft is None:
            return " "
        told = exam_draft.hint(self.draft)
        return told or f"{words.standing(self.sitting)}. You can change this until you hand in."

    def _bar(self, told: str) -> None:
        mark = styled("! ", "bold $wrong") if self.problem and told == self.problem else styled("")
        self.query_one("#bar", Flow).show([Block(mark + (plain(told) if mark else line(told, "$muted")))])
