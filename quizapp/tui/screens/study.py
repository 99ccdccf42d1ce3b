"""Study: a question, an answer with how sure one was, the verdict with every reason, the next question."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from textual import on
from textual.app import ComposeResult

from quizapp.tui import actions, sheets, sitting
from quizapp.tui.messages import Answered, CardReady, HomeReady, Rerated, StoreFailed, Undone
from quizapp.tui.screens.asking import AskingScreen
from quizapp.tui.screens.marking import Marks
from quizapp.tui.sitting import Given, Plan, Tally
from quizapp.tui.text import GAP, Block, line, plain, styled
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.sheet import QuestionSheet
from quizapp.tui.widgets.top import TopLine

WAITING = {"loading": "Fetching …", "judging": "Saving …"}
SLOW = 0.4
"""Seconds after which waiting is worth a word."""
REMEMBERED = 50
"""How many answered questions one can look back at."""
TICK = 5.0
"""Seconds between two looks at the time that a timed sitting has left."""


class StudyScreen(AskingScreen, inherit_bindings=False):
    """`phase` is loading, changed, ask, judging, verdict or over; `back_steps` counts how far one looks back."""

    BINDINGS = actions.bindings(["study", "box.note"])
    DEFAULT_CSS = """
    StudyScreen #bar { background: $panel; padding: 0 3; height: auto; min-height: 1; max-height: 6; }
    StudyScreen #note { margin: 0 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.plan = Plan()
        self.card: Any = None
        self.given: deque[Given] = deque(maxlen=REMEMBERED)
        self.back_steps = 0
        self.tally = Tally()
        self.ends: float | None = None
        self.shown = 0.0
        self.put_away: set[str] = set()
        """Questions that were suspended or buried instead of answered."""
        self.changing = False
        """Whether the question in sight is about to go, by an undo, a bury or a suspension: no key answers it then."""

    def body(self) -> ComposeResult:
        yield TopLine()
        yield QuestionSheet(id="sheet", classes="scrolls")
        yield Box(id="note")
        yield Flow(id="bar")

    @property
    def places(self) -> Collection[str]:
        if self.note_open:
            return {"box.note"}
        older = len(self.given) > max(self.back_steps, self.phase == "verdict")
        here = self._phase_places
        return here | {"study.history"} if older and here != {"study.box"} else here

    @property
    def _phase_places(self) -> set[str]:
        if self.changing:
            return {"study.wait"}
        if self.back_steps:
            return {"study.verdict.past"}
        if self.phase == "ask" and self.draft is not None:
            if self.draft.place == "entry" and self.sheet.box.typing:
                return {"study.box"}
            here = {f"study.ask.{self.draft.place}"}
            return here if self.draft.missing or not self.asks_confidence else here | {"study.ready"}
        if self.phase == "over":
            return {"study.over.more" if self.card is not None else "study.over.done"}
        if self.phase != "verdict":
            return {"study.changed" if self.phase == "changed" else "study.wait"}
        return {"study.verdict.now", "study.proof"} if self.card.question.labs else {"study.verdict.now"}

    # A sitting

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(TICK, self._paint_time)

    def arrive(self) -> None:
        """Home leaves a plan behind; coming back from help or the palette there is none, and nothing changes."""
        if self.quiz.plan is not None:
            self.plan, self.quiz.plan = self.quiz.plan, None
            self.tally = Tally()
            self.given.clear()
            self.put_away.clear()
            self.ends = self.quiz.monotonic() + self.plan.minutes * 60 if self.plan.minutes else None
            self.fetch()

    def fetch(self) -> None:
        self._wait("loading")
        self.ask_store(CardReady, self.plan.next_card)

    @on(CardReady)
    def _card_ready(self, message: CardReady) -> None:
        self.card = message.value
        if self.card is None:
            self.ask_store(HomeReady, lambda study: study.home())
        elif self.ends is not None and self.quiz.monotonic() >= self.ends:
            self._over(f"Time is up: {self.plan.minutes} min.")
        elif self.card.key_changed:
            self._ask_about_key()
        else:
            self._ask(self.card)

    def _ask_about_key(self) -> None:
        """The author has changed which answer is right: what one has learnt may not hold any more."""
        self.draft = None
        changed = "What counts as right in the next question was changed since you last answered it."
        words = "k keeps what you have learnt of it; n begins again, as if it were new."
        self.sheet.say([Block(styled(changed, "bold")), GAP, Block(styled(words, "$muted"))])
        self._enter("changed")

    def action_settle(self, keep: bool) -> None:
        chosen, plan = self.card.question.id, self.plan

        def settle(study: Any) -> Any:
            study.settle_key(chosen, keep)
            return plan.next_card(study)

        self._wait("loading")
        self.ask_store(CardReady, settle)

    @on(HomeReady)
    def _nothing_left(self, message: HomeReady) -> None:
        self._over(message.value.headline)

    def _ask(self, card: Any) -> None:
        self.card, self.draft = card, sheets.new_draft(card.variant)
        self.blank_asked = False
        self.shown = self.quiz.monotonic()
        self.phase, self.back_steps = "ask", 0
        self.sheet.ask(card.variant, self.draft)
        self._paint()

    def _over(self, words: str) -> None:
        self.draft = None
        more = "Press m to go on, q for Home." if self.card is not None else "Press Enter or q for Home."
        self.sheet.say(
            [Block(line(words, "bold")), Block(styled(self.tally.words)), GAP, Block(styled(more, "$muted"))]
        )
        self._enter("over")

    def _wait(self, phase: str) -> None:
        """The store usually answers before one could read "Saving …": that is painted only when it takes long."""
        self.phase, self.back_steps = phase, 0
        self.set_timer(SLOW, self._paint_waiting)

    def _paint_waiting(self) -> None:
        if self.phase in WAITING:
            self._paint()

    def _enter(self, phase: str) -> None:
        self.phase, self.back_steps = phase, 0
        self._paint()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self.changing = False
        if self.phase == "judging":
            self.phase = "ask"
        elif self.phase == "loading":
            self.card = None
            self._over("The next question could not be read.")
        self._paint()
        self._warn(message.value)

    # Answering

    def _judge(self, response: Any, confidence: str | None) -> None:
        """The verdict shows only when the store's thread has committed the answer."""
        if self.changing:
            return
        spent = int((self.quiz.monotonic() - self.shown) * 1000)
        self._wait("judging")
        self.ask_store(Answered, sitting.give(self.card, response, confidence, spent))

    @on(Answered)
    def _answered(self, message: Answered) -> None:
        self.given.append(message.value)
        self.tally.add(message.value)
        self.phase = "verdict"
        self._present()

    # After the answer

    def action_next(self) -> None:
        if self.back_steps > 1:
            self._look(self.back_steps - 1)
        elif self.back_steps:
            self.back_steps = 0
            self._present()
        else:
            self.fetch()

    def action_previous(self) -> None:
        first = 2 if self.phase == "verdict" else 1
        self._look(self.back_steps + 1 if self.back_steps else first)

    def _look(self, steps: int) -> None:
        """Shows the answer given `steps` ago; the question of now waits. On a verdict, 1 is the one in sight."""
        if steps == 1 and self.phase == "verdict":
            self.back_steps = 0
            self._present()
        elif steps <= len(self.given):
            self.back_steps = steps
            self.sheet.reveal(self.given[-steps].card.variant, self.given[-steps].blocks())
            self._paint()

    def _present(self) -> None:
        """Shows what the phase is about, after an answer or after looking back."""
        if self.phase == "ask" and self.draft is not None:
            self.sheet.ask(self.card.variant, self.draft)
        elif self.phase == "verdict":
            self.sheet.reveal(self.given[-1].card.variant, self.given[-1].blocks())
        else:
            self.fetch()
        self._paint()

    def action_rate(self, number: int) -> None:
        review, word = self.given[-1].outcome.review_id, sitting.RATINGS[number - 1]
        self.ask_store(Rerated, lambda study: study.override(review, word))

    @on(Rerated)
    def _rerated(self, message: Rerated) -> None:
        self.given[-1] = self.given[-1].rerated(message.value)
        self._paint()

    def action_prove(self) -> None:
        """To the lab that measures what the question claims, and back here afterwards."""
        self.quiz.open_lab(self.card.question.labs[0], "study")

    def action_undo(self) -> None:
        self.changing = True
        self.ask_store(Undone, lambda study: study.undo())

    @on(Undone)
    def _undone(self, message: Undone) -> None:
        undone, self.changing = message.value, False
        if undone is None:
            self.say("There is nothing to take back.")
            return
        mine = undone.what == "answer" and bool(self.given) and self.given[-1].outcome.review_id == undone.review_id
        if mine:
            self.tally.add(self.given.pop(), -1)
        if undone.what != "answer" and undone.question_id not in self.put_away:
            self._paint()  # what is on the sheet was not left for it
        elif undone.card is None:
            self.fetch()
        else:
            self._ask(undone.card)
        self.put_away.discard(undone.question_id)
        stood = self._bar_words() if self.phase == "verdict" else []
        self._bar([Block(plain(sitting.undone_words(undone, mine))), *stood])

    def action_more(self) -> None:
        self.ends = None
        self._ask(self.card)

    # Marks

    @property
    def current(self) -> Any:
        """The card on the sheet."""
        return self.given[-self.back_steps].card if self.back_steps else self.card

    def marks(self) -> Marks | None:
        card = self.current
        return Marks(card.question.id, card.note) if card is not None else None

    def copy_text(self) -> str:
        answered = self.back_steps or self.phase == "verdict"
        return sheets.as_text(self.current.variant, self.given[-(self.back_steps or 1)].grade if answered else None)

    def mark(self, job: Any, name: str = "", puts_away: bool = False) -> None:
        self.changing = self.changing or (puts_away and self.phase == "ask" and not self.back_steps)
        super().mark(job, name, puts_away)

    def marked(self, question_id: str, changes: dict[str, Any]) -> None:
        self.changing = False
        kept = {name: value for name, value in changes.items() if name in ("flagged", "note")}
        for given in self.given:
            if given.card.question.id == question_id:
                given.card = replace(given.card, **kept)
        if self.card is not None and self.card.question.id == question_id:
            self.card = replace(self.card, **kept)
            if not kept and self.phase == "ask" and not self.back_steps:
                self.put_away.add(question_id)
                self.fetch()
        self._paint()

    # Painting

    @property
    def _rest(self) -> int:
        """Questions still to come, also while one looks back."""
        return max(0, self.card.remaining.remaining - (self.phase == "verdict")) if self.card is not None else 0

    def _paint(self) -> None:
        self._paint_top()
        self._bar(self._bar_words())
        self.keys_changed()

    def _paint_top(self) -> None:
        left = None if self.ends is None or self.phase == "over" else self.ends - self.quiz.monotonic()
        top = sitting.top(self.current, self.tally, self._rest, left, self.plan.minutes)
        self.query_one(TopLine).show(*top)

    def _paint_time(self) -> None:
        """Time goes on without a key."""
        if self.ends is not None and self.is_current:
            self._paint_top()

    def _bar_words(self) -> list[Block]:
        if self.back_steps:
            return [Block(styled("Looking back.  → goes on.", "$muted"))]
        if self.phase == "ask" and self.draft is not None:
            return [Block(sitting.ask_words(self.draft, self.asks_confidence))]
        if self.phase == "verdict":
            return sitting.rating_words(self.given[-1].outcome)
        return [Block(styled(WAITING.get(self.phase, " "), "$muted"))]
