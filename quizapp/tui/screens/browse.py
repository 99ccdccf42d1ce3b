"""Browse: search the bank, filter it, look at a question with its answer hidden until asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.widgets import Input

from quizapp.bank.variant import Variant, make_variant
from quizapp.study.counting import DECISIONS
from quizapp.study.queue import held_and_called
from quizapp.text import one_line, percent
from quizapp.tui import actions, sheets, sitting
from quizapp.tui import draft as drafts
from quizapp.tui.messages import InfoReady, Reply, RowsReady, StoreFailed
from quizapp.tui.screens.marking import MarkingScreen, Marks
from quizapp.tui.sheets import Facts
from quizapp.tui.text import GAP, Block, inline, line, plain, styled
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.rows import Line, Lines, Rows
from quizapp.tui.widgets.top import TopLine


class Now(NamedTuple):
    """When the rows were read."""

    until: int
    """UTC milliseconds: a card in learning that is due by then may be asked."""
    today: int
    """The study day."""
    put_off: frozenset[str] = frozenset()
    """Questions that wait for tomorrow, by hand or because a sibling was answered today."""
    called: frozenset[str] = frozenset()
    """Questions that a passed lab called up."""

    def is_due(self, row: Any) -> bool:
        """As Home counts what is due; the day's limit aside."""
        late = row.state == "review" and row.due_day <= self.today
        return (late or row.id in self.called) and not row.suspended and row.id not in self.put_off


LEARNING = ("learning", "relearning")

FILTERS: dict[str, Callable[[Any, Now], bool]] = {
    "all": lambda row, now: True,
    "due": lambda row, now: now.is_due(row),
    "in learning": lambda row, now: row.state in LEARNING and not row.suspended,
    "new": lambda row, now: row.state == "new" and not row.suspended,
    "flagged": lambda row, now: row.flagged,
    "suspended": lambda row, now: row.suspended,
    "leeches": lambda row, now: row.leech,
}


SEED = 0
"""The variant that Browse shows. Its numbers are not the ones that come next in Study, so looking gives none away."""


class FoundReady(Reply):
    """value: (words, ids of the questions that have them, or None for all)."""


@dataclass(frozen=True)
class Preview:
    """One question as Browse shows it. `variant` is None for a question that is in no bank any more."""

    info: Any
    variant: Variant | None
    facts: Facts


class BrowseScreen(MarkingScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["browse", "box.browse", "box.note"])
    DEFAULT_CSS = """
    BrowseScreen #panes { height: 1fr; width: 100%; layout: vertical; }
    BrowseScreen #list { padding: 0 2 0 1; height: 2fr; }
    BrowseScreen #preview { height: 3fr; border-top: solid $line; padding: 0 3; scrollbar-size-vertical: 1; }
    BrowseScreen.-wide #panes { layout: horizontal; }
    BrowseScreen.-wide #list { height: 1fr; width: 2fr; }
    BrowseScreen.-wide #preview { height: 1fr; width: 3fr; border-top: none; border-left: solid $line; padding: 0 2; }
    BrowseScreen #search, BrowseScreen #note { margin: 0 2; }
    BrowseScreen #bar { height: auto; max-height: 3; padding: 0 3; background: $panel; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._all: list[Any] = []
        self._now = Now(0, 0)
        self._questions: Mapping[str, Any] = {}
        self._rows: list[Any] = []
        self._topics: list[str] = []
        self._filter, self._topic, self._words = "all", "", ""
        self._searching = False
        self._found: Collection[str] | None = None
        """Questions that have the words; None without any."""
        self._asked_found = self._asked_preview = False
        self._preview: Preview | None = None
        self._key_shown = False

    @property
    def places(self) -> Collection[str]:
        if self.note_open:
            return {"box.note"}
        return {"box.browse"} if self._searching else {"browse"}

    def body(self) -> ComposeResult:
        yield TopLine()
        yield Box(id="search")
        with Container(id="panes"):
            yield Rows(id="list")
            with VerticalScroll(id="preview", classes="scrolls", can_focus=False):
                yield Flow(id="question")
        yield Box(id="note")
        yield Flow(id="bar")

    def arrive(self) -> None:
        """Reads the rows anew; what was searched for stays."""

        def job(study: Any) -> tuple[Now, Mapping[str, Any], list[Any]]:
            moment = study.moment()
            put_off, called = held_and_called(study.database, moment)
            return Now(moment.ahead, moment.today, put_off, called), study.bank.questions, study.browse()

        self.ask_store(RowsReady, job)

    @on(RowsReady)
    def _rows_ready(self, message: RowsReady) -> None:
        self._now, self._questions, self._all = message.value
        self._topics = sorted({row.topic for row in self._all})
        self._narrow()

    def _search(self) -> None:
        """Asks which questions have the words; quick typing asks only for the last."""
        if not self._asked_found:
            self._asked_found = True
            words = self._words

            def job(study: Any) -> tuple[str, Collection[str] | None]:
                from quizapp.study import Filter

                ids = study.chosen_ids(Filter(text=words))
                return words, None if ids is None else frozenset(ids)

            self.ask_store(FoundReady, job)

    @on(FoundReady)
    def _found_ready(self, message: FoundReady) -> None:
        words, self._found = message.value
        self._asked_found = False
        if words != self._words:
            self._search()
        else:
            self._narrow()

    def _narrow(self, stay: bool = False) -> None:
        """`stay`: where the marked row drops out, its neighbour is marked and not the first row."""
        keep, found = FILTERS[self._filter], self._found
        chosen, cursor = self._selected_id, self.query_one(Rows).cursor
        self._rows = [
            row
            for row in self._all
            if (found is None or row.id in found) and keep(row, self._now) and self._topic in ("", row.topic)
        ]
        other = min(cursor, max(0, len(self._rows) - 1)) if stay else 0
        at = next((n for n, row in enumerate(self._rows) if row.id == chosen), other)
        self.query_one(Rows).show(Lines(self._rows, lambda row: _line(row, self._questions.get(row.id), self._now)), at)
        self._look()
        self._paint()

    @property
    def _selected_id(self) -> str | None:
        at = self.query_one(Rows).cursor
        return self._rows[at].id if at < len(self._rows) else None

    # Keys

    def action_move(self, delta: int) -> None:
        self.query_one(Rows).move(delta)

    @on(Rows.Moved)
    def _look(self) -> None:
        """Fetches the marked question; quick moves fetch only the last."""
        self._key_shown = False
        chosen = self._selected_id
        if chosen is None:
            self._preview = None
            self._show_preview()
        elif not self._asked_preview:
            self._asked_preview = True

            def job(study: Any) -> Preview:
                question = study.bank.questions.get(chosen)
                variant = make_variant(question, SEED) if question else None
                facts = sitting.facts_of(study.bank, question) if question else Facts()
                return Preview(study.card_info(chosen), variant, facts)

            self.ask_store(InfoReady, job)

    @on(InfoReady)
    def _looked(self, message: InfoReady) -> None:
        self._asked_preview = False
        self._preview = message.value
        if self._preview is not None and self._preview.info.id != self._selected_id:
            self._look()
        else:
            self._show_preview()
            if self._preview is not None:
                self.note_read(self._preview.info.id, self._preview.info.note)

    def action_key(self) -> None:
        self._key_shown = not self._key_shown
        self._show_preview()

    def action_filter(self) -> None:
        names = list(FILTERS)
        self._filter = names[(names.index(self._filter) + 1) % len(names)]
        self._narrow()

    def action_topic(self) -> None:
        names = ["", *self._topics]
        self._topic = names[(names.index(self._topic) + 1) % len(names)] if self._topic in names else ""
        self._narrow()

    def action_search(self) -> None:
        self._searching = True
        self.query_one("#search", Box).open(self._words, "words that must all occur")
        self.keys_changed()

    @on(Input.Changed, "#search")
    def _search_typed(self, event: Input.Changed) -> None:
        if event.value != self._words and self._searching:
            self._words = event.value
            self._search()

    @on(Input.Submitted, "#search")
    @on(Box.Left, "#search")
    def action_close_box(self) -> None:
        box = self.query_one("#search", Box)
        self._searching = False
        if self._words:
            box.rest()
        else:
            box.close()
        self.keys_changed()

    @on(StoreFailed)
    def _failed(self, message: StoreFailed) -> None:
        message.stop()
        self._asked_found = self._asked_preview = False
        self.query_one("#bar", Flow).show([Block(styled("! ", "bold $wrong") + plain(message.value))])

    # Marks

    def marks(self) -> Marks | None:
        chosen, info = self._selected_id, self._preview.info if self._preview else None
        if chosen is None:
            return None
        return Marks(chosen, info.note if info is not None and info.id == chosen else None)

    def copy_text(self) -> str:
        if self._preview is None or self._preview.info.id != self._selected_id:
            return self._selected_id or ""
        variant = self._preview.variant
        return sheets.as_text(variant, None) if variant else self._preview.info.id

    def marked(self, question_id: str, changes: dict[str, Any]) -> None:
        row = {name: value for name, value in changes.items() if name in ("flagged", "suspended")}
        self._all = [one.marked(**row) if one.id == question_id else one for one in self._all]
        if "buried" in changes:
            self._now = self._now._replace(put_off=self._now.put_off | {question_id})
        self._narrow(stay=True)

    def say(self, words: str) -> None:
        self.query_one("#bar", Flow).show([Block(plain(words))])

    # Painting

    def _paint(self) -> None:
        left = styled("Browse", "bold $right") + styled(f"  {self._filter}", "$muted")
        left += styled(" · ", "$muted") + line(self._topic or "all topics", "$muted")
        if self._words:
            left += styled(" · ", "$muted") + line(f"“{self._words}”", "$muted")
        shown, all_of_them = len(self._rows), len(self._all if self._found is None else self._found)
        right = styled(f"{shown:,} found" if self._words else f"{shown:,} of {all_of_them:,}", "$muted")
        narrowed = 0 < shown < all_of_them
        self.query_one(TopLine).show(left, right, shown / all_of_them if narrowed else None)
        self.query_one("#bar", Flow).show([])
        self.keys_changed()

    def _show_preview(self) -> None:
        self.query_one("#question", Flow).show(self._preview_blocks())
        self.query_one("#preview").scroll_home(animate=False)

    def _preview_blocks(self) -> list[Block]:
        preview = self._preview
        if preview is None:
            return [Block(styled("No question fits. Press v for another filter, / to search.", "$muted"))]
        info, variant = preview.info, preview.variant
        head = [Block(line(info.id, "$muted") + styled(" · ", "$muted") + styled(_history(info), "$muted")), GAP]
        note = [GAP, Block(styled("Your note: ", "bold") + plain(info.note))] if info.note else []
        if variant is None:
            return [*head, Block(styled("This question is in no bank now; its progress is kept.")), *note]
        out = [*head, *sheets.stem(variant), GAP]
        if self._key_shown:
            return [*out, *sheets.key(variant), *sheets.explanation(variant, preview.facts), *note]
        draft = sheets.new_draft(variant)
        if isinstance(draft, drafts.Order | drafts.Match):
            draft.cursor = None  # nothing is to be answered here, so no line is marked
        shown = sheets.options(draft)
        kind = Block(styled(f"{sheets.kind_words(variant.question)} · press a for the answer", "$muted"))
        return [*out, *(replace(one, click="", style="") for one in shown), GAP, kind, *note]


def _line(row: Any, question: Any, now: Now) -> Line:
    left = inline(_title(question) or row.id, "$muted" if row.suspended else "")
    marks = [
        word
        for word, on_now in (("! flagged", row.flagged), ("suspended", row.suspended), ("leech", row.leech))
        if on_now
    ]
    right = styled(" ".join(marks) + ("  " if marks else ""), "$wrong") + styled(_when(row, now), "$muted")
    return Line(left, right)


def _title(question: Any) -> str:
    """The first line of the question, with the numbers that the preview shows; empty for one that is in no bank."""
    if question is None:
        return ""
    ask = make_variant(question, SEED).ask if question.kind == "numeric" else question.ask
    return one_line(next((one for one in ask.splitlines() if one.strip()), ""))


def _when(row: Any, now: Now) -> str:
    if now.is_due(row):
        return "due"
    if row.state == "new":
        return "new"
    if row.due_day is None:
        return "learning now" if row.due_at is not None and row.due_at <= now.until else "in learning"
    if row.due_day > now.today:
        return f"in {row.due_day - now.today} d"
    return "put off" if row.id in now.put_off else "due"


def _history(info: Any) -> str:
    answers = [one for one in info.reviews if one.origin not in DECISIONS]
    if not answers:
        return "never answered"
    right = sum(one.score == 1 for one in answers)
    remembered = right and info.state == "review" and info.retrievability is not None
    recall = f", recall {percent(info.retrievability)}" if remembered else ""
    return f"answered {len(answers)}×, right {right}×{recall}"
