"""A lab: predict, run, observe, explain, transfer. Its runs are in `lab_run`, its words in `quizapp.tui.lab_words`."""

from __future__ import annotations

from collections.abc import Collection

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.widgets import Input

from quizapp.bank.errors import Unclear
from quizapp.tui import actions, lab_form, lab_words
from quizapp.tui.lab_form import CONFIDENCES, Form
from quizapp.tui.later import later
from quizapp.tui.messages import Reply, StoreFailed
from quizapp.tui.screens.lab_run import LabReady, RunScreen
from quizapp.tui.text import Block, line, plain, styled
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.run_pane import RunPane
from quizapp.tui.widgets.top import TopLine


class HintGiven(Reply):
    """value: (words, LabView)."""


class LabScreen(RunScreen, inherit_bindings=False):
    """`quiz.lab_wanted` is the (lab id, mode to go back to) that another screen asks for."""

    BINDINGS = actions.bindings(["lab", "box.lab"])
    DEFAULT_CSS = """
    LabScreen #panes { height: 1fr; layout: horizontal; }
    LabScreen #page { height: 1fr; padding: 1 3 0 3; scrollbar-size-vertical: 1; }
    LabScreen RunPane { display: none; }
    LabScreen.-seeing #page { display: none; }
    LabScreen.-seeing RunPane { display: block; }
    LabScreen.-both #page { display: block; width: 9fr; padding: 1 2 0 3; }
    LabScreen.-both RunPane { display: block; width: 11fr; border-left: solid $line; }
    LabScreen #words { max-width: 96; }
    LabScreen #ask { height: auto; max-height: 8; padding: 0 3; background: $panel; }
    LabScreen #answer { margin: 0 2; }
    LabScreen #bar { height: auto; max-height: 6; padding: 0 3; background: $panel; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.came_from = "labs"
        self.why = False
        self.hints: list[str] = []
        self.form = Form([], False)
        self.total = 0
        self.resetting = False
        self.saving = ""
        """The key of the answer that is on its way to the disk."""
        self.refused = ""
        """Why that could not be done, while the lab is read anew."""

    def body(self) -> ComposeResult:
        yield TopLine()
        with Container(id="panes"):
            with VerticalScroll(id="page", classes="scrolls", can_focus=False):
                yield Flow(id="words")
            yield RunPane(self.bench)
        yield Flow(id="ask")
        yield Box(id="answer")
        yield Flow(id="bar")

    @property
    def places(self) -> Collection[str]:
        if self.typing:
            return {"box.lab.one" if self.wide or self.bench.recording is None else "box.lab.two"}
        here = {"lab"}
        if self.view is None:
            return here
        if self.bench.running:
            here.add("lab.running")
        elif self.why or self.step in ("missed", "passed"):
            here.add("lab.next")
        elif self.step == "run":
            here.add("lab.run")
        elif self.step == "explain" or self.form.phase in ("pick", "sure"):
            here.add("lab.digits")
        elif self.form.phase == "type":
            here.add("lab.type")
        if self.step != "passed":
            here.add("lab.hints")
        if not self.bench.running:
            here.add("lab.still")
        if self.step == "predict" and self.view.stage == "predict" and not self.fast and not self.bench.running:
            here.add("lab.fast")
        if self.bench.recording is not None:
            here |= {"lab.seen"} if not self.wide else set()
            if self.sees_run:
                here.add("lab.play")
        return here

    @property
    def typing(self) -> bool:
        return self.query_one(Box).typing

    @property
    def step(self) -> str:
        return str(self.view.step(self.fast)) if self.view is not None else ""

    # Coming and going

    def arrive(self) -> None:
        wanted = self.quiz.lab_wanted
        if wanted is not None:
            self.quiz.lab_wanted = None
            name, self.came_from = wanted
            if self.view is None or self.view.lab.id != name:
                self.bench.clear()
                self.view, self.hints = None, []
                self.fast = self.why = self.resetting = self.seeing = False
            self.ask_lab(lambda labs: labs.open(name))
        self.paint()

    def action_back(self) -> None:
        if self.fast and not self.bench.running:
            self.fast = False
            self.renew()
        else:
            self.quiz.go(self.came_from)

    @on(LabReady)
    def _ready(self, message: LabReady) -> None:
        self.moving = False
        before, step_before = (self.view.stage, self.step) if self.view is not None else (None, "")
        self.view = message.value
        if before is not None and before != self.view.stage:
            self.hints = []
            self.why = before == "explain"
        if self.view.stage == "passed":
            self.fast = False
        moved = self.step != step_before or self.why
        if moved and self.step not in ("run", "observe"):
            self.seeing = False
        self.renew()
        asked, self.saving = self.saving, ""
        if self.step == "observe" and asked and not self.view.readings.get(asked, ("", True))[1]:
            self.warn(
                f"The run shows another number than {self.view.readings[asked][0]:,g}. Look again; Esc, then h: a hint."
            )
        if self.refused:
            self.warn(self.refused)
            self.refused = ""
        if moved:
            self.query_one("#page").scroll_home(animate=False)

    def renew(self) -> None:
        """A new form for what is open now, the run that it is about in sight, and everything painted."""
        asks = [] if self.why or self.step not in ("predict", "observe") else self.view.asks(self.fast)
        self.form = Form(asks, self.step == "predict")
        part = self.view.part_of(self.fast)
        self.total = len(
            self.view.lab.observe
            if self.step == "observe"
            else self.view.main
            if part == "main"
            else self.view.transfer
        )
        receipts = self.receipts()
        if self.step == "observe":
            receipts = [one for one in receipts if one.run == self.form.ask.run] or receipts
        if receipts and (self.step == "observe" or self.bench.recording is None):
            self.look_at(receipts[-1])
        box = self.query_one(Box)
        if self.form.phase == "type" and self.is_current:
            box.open("", f"a number{f' in {self.form.ask.unit}' if self.form.ask.unit else ''}")
        else:
            box.close()
        self.paint()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        if self.moving:  # another window may have moved the lab on: it is shown as it is now
            name, self.refused = self.view.lab.id, message.value
            self.ask_lab(lambda labs: labs.lab(name))
        elif self.refused:
            self.refused = ""
            self.renew()
        else:
            self.paint()
        self.saving, self.moving = "", False
        self.warn(message.value)

    # Answering

    @on(Input.Submitted, "#answer")
    def action_keep_answer(self, event: Input.Submitted) -> None:
        if self.form.phase != "type" or not event.value.strip():
            return
        try:
            value = lab_form.read(event.value, self.form.ask)
        except Unclear as unclear:
            self.warn(str(unclear))
            self.query_one(Box).select_all()
            return
        self._complete() if self.form.give(value) else self._rest()

    def _rest(self) -> None:
        self.query_one(Box).rest()
        if self.form.phase == "sure":
            self.query_one(Box).close()
        self.paint()

    @on(Box.Left, "#answer")
    def action_leave_box(self) -> None:
        self._rest()

    def action_type(self) -> None:
        if self.form.phase == "type":
            box = self.query_one(Box)
            box.open(box.value, box.placeholder)
            self.paint()

    def action_digit(self, number: int) -> None:
        if self.step == "explain" and not self.why:
            options = self.view.lab.explain.options
            if number <= len(options):
                name, option = self.view.lab.id, options[number - 1].id
                self.move_on(lambda labs: labs.explain(name, option))
        elif self.form.phase in ("pick", "sure"):
            sure = self.form.phase == "sure"
            if self.form.digit(number):
                self._complete(CONFIDENCES[number - 1] if sure else None)
            else:
                self.paint()

    def _complete(self, confidence: int | None = None) -> None:
        """Stores the answer; the next question comes when it is on the disk."""
        name, key, value = self.view.lab.id, self.form.ask.key, self.form.value
        self.saving = key
        if confidence is None:
            self.move_on(lambda labs: labs.observe(name, {key: value}))
            return
        part = self.view.part_of(self.fast)
        self.move_on(lambda labs: labs.predict(name, {key: value}, {key: confidence}, part))

    def action_change_answer(self) -> None:
        """Takes back what was typed before its confidence was said."""
        if self.form.phase == "sure":
            self.renew()

    def action_next(self) -> None:
        if self.why:
            self.why = False
            self.renew()
            self.query_one("#page").scroll_home(animate=False)
        elif self.step == "missed":
            name, self.fast = self.view.lab.id, False
            self.bench.clear("transfer")
            self.move_on(lambda labs: labs.retry_transfer(name))
        elif self.step == "passed":
            self.quiz.go(self.came_from)

    def action_fast(self) -> None:
        self.fast = True
        self.renew()
        self.query_one("#page").scroll_home(animate=False)

    def action_hint(self) -> None:
        name = self.view.lab.id
        self.ask_lab(lambda labs: labs.hint(name), HintGiven)

    @on(HintGiven)
    def _hint_given(self, message: HintGiven) -> None:
        words, self.view = message.value
        if words not in self.hints:
            self.hints.append(words)
        self.seeing = False
        self.paint()
        self.query_one("#page").scroll_end(animate=False)

    def action_reset(self) -> None:
        if self.view.record.untouched:
            self.warn("There is nothing to reset: nothing has been said or run in this lab yet.")
            return
        if not self.resetting:
            self.resetting = True
            self.warn("Press x again to begin this lab anew on new numbers. Your runs stay as evidence.")
            return
        name, self.resetting, self.fast, self.why = self.view.lab.id, False, False, False
        self.bench.clear()
        self.seeing, self.hints = False, []
        self.ask_lab(lambda labs: labs.reset(name))

    # Painting

    def on_resize(self) -> None:
        if self.view is not None:
            self.paint()

    def warn(self, words: str) -> None:
        self.query_one("#bar", Flow).show([Block(styled("! ", "bold $wrong") + plain(words))])

    def paint(self) -> None:
        self.query_one(TopLine).show(*lab_words.top(self.view, self.fast))
        self.set_class(self.sees_run and not self.wide, "-seeing")
        self.set_class(self.sees_run and self.wide, "-both")
        if self.view is None:
            self.query_one("#words", Flow).show([Block(styled("Opening the lab …", "$muted"))])
        else:
            self.query_one("#words", Flow).show(lab_words.page(self.view, self.fast, self.why, self.hints))
        ask = lab_words.asking(self.form, self.total, not self.typing) if self.form.ask is not None else []
        self.query_one("#ask", Flow).show(ask)
        self.query_one("#bar", Flow).show(self._bar_words())
        self.pane.view = self.view
        self.pane.paint()
        later(self, self.pane.paint)  # it may have come into sight, or changed its width
        self.keys_changed()

    def _bar_words(self) -> list[Block]:
        if self.view is None or self.form.ask is not None:
            return []
        if self.bench.running:
            return [
                Block(
                    styled("The engine runs. ", "bold") + styled("c", "bold $right") + styled(" cancels it.", "$muted")
                )
            ]
        if self.step == "run":
            run = self.view.runs_left(self.view.part_of(self.fast))[0]
            return [Block(styled("Enter", "bold $right") + styled(" runs: ", "$muted") + line(run.title))]
        words = {
            "explain": "Press the number of the cause.",
            "missed": "Enter asks again.",
            "passed": "Enter goes back.",
        }
        return [Block(styled("Enter goes on." if self.why else words.get(self.step, ""), "$muted"))]
