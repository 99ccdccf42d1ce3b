"""After a mock exam: where it went well and where not, and every question again with its reasons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from quizapp.bank.errors import Unclear
from quizapp.bank.grade import Grade, grade
from quizapp.study.exam_summary import FILTERS, let_through, nothing_words
from quizapp.study.exam_values import Finished
from quizapp.tui import actions, sheets, sitting
from quizapp.tui.later import later
from quizapp.tui.screens import exam_words as words
from quizapp.tui.screens.base import QuizScreen
from quizapp.tui.sheets import Facts
from quizapp.tui.text import GAP, line, styled
from quizapp.tui.widgets.flow import Flow
from quizapp.tui.widgets.sheet import QuestionSheet
from quizapp.tui.widgets.top import TopLine


@dataclass(frozen=True)
class Looked:
    """A handed-in exam with what the bank says on each of its questions."""

    finished: Finished
    facts: Sequence[Facts]


def looked_at(study: Any, finished: Finished) -> Looked:
    """In the store's thread."""
    desk = finished.desk
    facts = []
    for index, item in enumerate(desk.sitting.paper.items):
        facts.append(sitting.facts_of(study.bank, desk.questions[item.question_id], verdict(finished, index)))
    return Looked(finished, facts)


def load_result(number: int) -> Callable[[Any], Looked]:
    """The job for the store's thread."""

    def job(study: Any) -> Looked:
        from quizapp.study.exams import Exams

        return looked_at(study, Exams(study).result(number))

    return job


def verdict(finished: Finished, index: int) -> Grade:
    """The grade of one question; an answer that cannot be read is shown like none."""
    response = finished.desk.sitting.replies[index].response
    try:
        return grade(finished.desk.variant(index), response)
    except (Unclear, ValueError):
        return grade(finished.desk.variant(index), None)


class ResultScreen(QuizScreen, inherit_bindings=False):
    BINDINGS = actions.bindings(["result"])
    DEFAULT_CSS = """
    ResultScreen #result { height: 1fr; padding: 1 3 0 3; scrollbar-size-vertical: 1; }
    ResultScreen #result Flow { max-width: 100; }
    ResultScreen.-short #result { padding: 0 2; }
    """

    def __init__(self, looked: Looked) -> None:
        super().__init__()
        self.looked = looked

    @property
    def places(self) -> Collection[str]:
        return {"result"}

    def body(self) -> ComposeResult:
        yield TopLine()
        with VerticalScroll(id="result", classes="scrolls", can_focus=False):
            yield Flow(id="words")

    def on_resize(self) -> None:
        room = min(100, self.size.width - 7)  # without padding and scroll bar
        self.query_one("#words", Flow).show(words.result(self.looked.finished, room))

    def on_mount(self) -> None:
        super().on_mount()
        told = self.looked.finished.summary
        left = styled("Result", "bold $right") + styled("  ") + line(told["title"], "$muted")
        self.query_one(TopLine).show(left, Content(""), told["rate"])

    def action_review(self, which: str) -> None:
        if let_through(self.looked.finished.summary["items"], which):
            self.app.push_screen(ReviewScreen(self.looked, which))
        else:
            self.quiz.tell(nothing_words(which))

    def action_drill(self) -> None:
        """Practise what went wrong here."""
        missed = [item["question_id"] for item in self.looked.finished.summary["items"] if not item["correct"]]
        if not missed:
            self.quiz.tell("Nothing went wrong here.")
            return
        from quizapp.study.practice import Choice
        from quizapp.tui.screens.practice_run import PracticeScreen

        self.app.push_screen(PracticeScreen(Choice("ids", ",".join(missed), "missed in this mock exam")))

    def action_back(self) -> None:
        self.app.pop_screen()


class ReviewScreen(QuizScreen, inherit_bindings=False):
    """Each question as it was shown, with the answer given, the key and the reasons."""

    BINDINGS = actions.bindings(["review"])
    DEFAULT_CSS = """
    ReviewScreen #bar { background: $panel; padding: 0 3; height: auto; min-height: 1; max-height: 3; }
    """

    def __init__(self, looked: Looked, which: str) -> None:
        super().__init__()
        self.looked = looked
        self.which = which
        self.at = 0

    @property
    def places(self) -> Collection[str]:
        return {"review"}

    @property
    def chosen(self) -> list[int]:
        """Indexes of the questions that the filter lets through."""
        return let_through(self.looked.finished.summary["items"], self.which)

    def body(self) -> ComposeResult:
        yield TopLine()
        yield QuestionSheet(id="sheet", classes="scrolls")
        yield Flow(id="bar")

    def on_mount(self) -> None:
        super().on_mount()
        later(self, self._paint)

    def action_turn(self, delta: int) -> None:
        self.at = min(max(self.at + delta, 0), len(self.chosen) - 1)
        self._paint()

    def action_filter(self) -> None:
        """The next filter that lets something through, round to all; the question on screen stays if it can."""
        here = self.chosen[self.at]
        items = self.looked.finished.summary["items"]
        names = [name for name in FILTERS if let_through(items, name)]
        self.which = names[(names.index(self.which) + 1) % len(names)]
        chosen = self.chosen
        self.at = chosen.index(here) if here in chosen else 0
        self._paint()

    def action_back(self) -> None:
        self.app.pop_screen()

    def _paint(self) -> None:
        chosen = self.chosen
        index = chosen[self.at]
        finished = self.looked.finished
        item = finished.summary["items"][index]
        response = finished.desk.sitting.replies[index].response
        variant, given = finished.desk.variant(index), verdict(finished, index)
        left = styled("Review", "bold $right") + styled(f"  question {index + 1}", "$muted")
        right = styled(f"{self.which}: {self.at + 1} of {len(chosen)}", "$muted")
        self.query_one(TopLine).show(left, right, (self.at + 1) / len(chosen))
        blocks = [
            *sheets.verdict(given, None),
            GAP,
            *sheets.parts(variant, given, None if given.blank else response),
            *sheets.explanation(variant, self.looked.facts[index]),
        ]
        self.query_one(QuestionSheet).reveal(variant, blocks)
        changed_since = item["question_id"] in finished.changed_since
        self.query_one("#bar", Flow).show(
            words.review_head(item, variant.question.kind in ("numeric", "short"), changed_since)
        )
        self.keys_changed()
