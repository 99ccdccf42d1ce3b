"""An answer in the making during an exam: like in Study, but the mark moves without choosing and answers come back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from quizapp.bank.errors import Unclear
from quizapp.bank.number import parse_quantity
from quizapp.bank.variant import Variant
from quizapp.text import one_line
from quizapp.tui import draft as drafts
from quizapp.tui import sheets
from quizapp.tui.draft import Draft, Entry, Item, Match, Multiple, Order, Row
from quizapp.tui.text import GAP, Block, hanging, inline, styled


@dataclass
class ChooseOne:
    """One option: a digit chooses, the arrows only move the mark, space chooses what is marked."""

    items: Sequence[Item]
    cursor: int | None = None
    chosen: int | None = None
    place = "choice"

    def digit(self, number: int) -> None:
        if number <= len(self.items):
            self.cursor = self.chosen = number - 1

    def move(self, delta: int) -> None:
        start = self.cursor if self.cursor is not None else (-1 if delta > 0 else len(self.items))
        self.cursor = min(max(start + delta, 0), len(self.items) - 1)

    def toggle(self) -> None:
        if self.cursor is None:
            self.move(1)
        else:
            self.chosen = self.cursor

    def shift(self, delta: int) -> None:
        return

    def rows(self) -> list[Row]:
        return [
            Row(str(n + 1), "(●)" if n == self.chosen else "( )", item.text, n == self.cursor)
            for n, item in enumerate(self.items)
        ]

    @property
    def missing(self) -> str:
        return "" if self.chosen is not None else "not answered"

    @property
    def response(self) -> str | None:
        return None if self.chosen is None else self.items[self.chosen].id


def draft_of(variant: Variant, response: Any, unread: str = "") -> Draft:
    """A fresh draft in the state that `response` left behind; None: untouched, but for what was typed `unread`."""
    if variant.question.kind == "single":
        items = [Item(c.id, c.text) for c in variant.choices]
        at = next((n for n, item in enumerate(items) if item.id == response), None)
        return ChooseOne(items, at, at)
    draft = sheets.new_draft(variant)
    if isinstance(draft, Entry):
        draft.text = unread
    if response is None:
        return draft
    match draft:
        case Multiple():
            draft.ticked = {n for n, item in enumerate(draft.items) if item.id in response}
        case Order():
            by_id = {item.id: item for item in draft.items}
            draft.order, draft.touched = [by_id[one] for one in response if one in by_id], True
        case Match():
            right = {item.id: n for n, item in enumerate(draft.items)}
            draft.pairs = {n: right[response[left.id]] for n, left in enumerate(draft.lefts) if left.id in response}
        case Entry():
            draft.text = draft.value = response
            draft.words = read_as(draft, response)
    return draft


def response_of(draft: Draft) -> tuple[Any, bool]:
    """(the response, whether nothing is missing from it); None while nothing was given."""
    match draft:
        case Multiple():
            return draft.response or None, not draft.missing
        case Order():
            return (draft.response, True) if draft.touched else (None, False)
        case Match():
            return draft.response or None, not draft.missing
        case _:
            return draft.response, not draft.missing


def newly_chosen(response: Any, before: Any) -> set[str]:
    """The options of a choice that `response` names and `before` did not."""
    chosen, were = ({one} if isinstance(one, str) else set(one or ()) for one in (response, before))
    return chosen - were


def read_as(draft: Entry, text: str) -> str:
    """How a typed number is understood, in words; empty for a plain one. Raises Unclear for one that cannot be read."""
    return parse_quantity(text, draft.unit, draft.whole).note.removeprefix("read as ") if draft.numeric else ""


def options(draft: Draft, struck: Collection[str]) -> list[Block]:
    """The rows of a draft; struck options are crossed out and say so."""
    if not isinstance(draft, ChooseOne | Multiple):
        return sheets.options(draft)
    rows = draft.rows()
    loose = len(rows) <= 5 and all(len(row.text) < 140 for row in rows)
    out: list[Block] = []
    for n, (row, item) in enumerate(zip(rows, draft.items, strict=True)):
        gone = item.id in struck
        look = "$muted strike" if gone else "bold" if row.marked else ""
        body = inline(row.text, look) + styled("  struck out" if gone else "", "$muted")
        here = styled("▸" if row.marked else " ", "bold $right")  # x acts on it: it must be seen without colours too
        gutter = here + styled(f"{row.mark} {row.number}  ", "$muted" if gone else "bold $right")
        out.append(hanging(body, gutter, style="on $panel" if row.marked else "", click=f"screen.choose({n + 1})"))
        if loose:
            out.append(GAP)
    return out


def hint(draft: Draft) -> str:
    """What can be done now, in a few words."""
    response, complete = response_of(draft)
    match draft:
        case ChooseOne():
            return "" if complete else f"1–{len(draft.items)} chooses."
        case Multiple():
            have = len(draft.ticked)
            return f"Choose {draft.choose}: {have} ticked." if not complete else ""
        case Order():
            return "" if complete else "Space picks up, ↑ ↓ move; or press the number of the place."
        case Match():
            rest = len(draft.lefts) - len(draft.pairs)
            return f"Press the number of the marked line's partner, {rest} to go." if not complete else ""
        case Entry():
            if response is None and draft.text:
                return f"'{one_line(draft.text, 30)}' cannot be read: kept, but unanswered until it can. e changes it."

            if response is None:
                what = f"a number in {draft.unit}" if draft.unit else "a number" if draft.numeric else "your answer"
                return f"Type {what}; Enter keeps it and goes on."
            return f"Kept: {draft.words or draft.text}. e changes it."
    return ""


__all__ = ["ChooseOne", "Draft", "Entry", "Unclear", "draft_of", "drafts", "hint", "options", "read_as", "response_of"]
