"""An answer in the making, one small class a kind of question. No Textual here: keys in, rows and a response out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


class Item(NamedTuple):
    """Something shown with a number: an option, a step, a side of a pair."""

    id: str
    text: str


class Row(NamedTuple):
    """One shown line: `mark` is what stands before the number, `marked` paints the cursor."""

    number: str
    mark: str
    text: str
    marked: bool
    tail: str = ""


class Draft(Protocol):
    place: str
    """The place in the action table: choice, order, match or entry."""

    def digit(self, number: int) -> None: ...
    def move(self, delta: int) -> None: ...
    def toggle(self) -> None: ...
    def shift(self, delta: int) -> None: ...
    def rows(self) -> list[Row]: ...
    @property
    def cursor(self) -> int | None: ...
    @property
    def missing(self) -> str:
        """What is still to do, in one sentence; empty when the answer can be given."""
        ...

    @property
    def response(self) -> Any: ...


@dataclass
class Single:
    """One option: a digit or the arrows choose it."""

    items: Sequence[Item]
    cursor: int | None = None
    place = "choice"

    def digit(self, number: int) -> None:
        if number <= len(self.items):
            self.cursor = number - 1

    def move(self, delta: int) -> None:
        start = self.cursor if self.cursor is not None else (-1 if delta > 0 else len(self.items))
        self.cursor = min(max(start + delta, 0), len(self.items) - 1)

    def toggle(self) -> None:
        if self.cursor is None:
            self.move(1)

    def shift(self, delta: int) -> None:
        return

    def rows(self) -> list[Row]:
        return [
            Row(str(n + 1), "▸" if n == self.cursor else " ", item.text, n == self.cursor)
            for n, item in enumerate(self.items)
        ]

    @property
    def missing(self) -> str:
        return "" if self.cursor is not None else f"Press 1–{len(self.items)} to choose. 0: don't know."

    @property
    def response(self) -> str:
        assert self.cursor is not None
        return self.items[self.cursor].id


@dataclass
class Multiple:
    """Several options: digits tick, and so does space on the marked one."""

    items: Sequence[Item]
    choose: int
    cursor: int | None = None
    place = "choice"

    def __post_init__(self) -> None:
        self.ticked: set[int] = set()

    def digit(self, number: int) -> None:
        if number <= len(self.items):
            self.cursor = number - 1
            self.ticked ^= {self.cursor}

    def move(self, delta: int) -> None:
        start = self.cursor if self.cursor is not None else (-1 if delta > 0 else len(self.items))
        self.cursor = min(max(start + delta, 0), len(self.items) - 1)

    def toggle(self) -> None:
        if self.cursor is None:
            self.move(1)
        else:
            self.ticked ^= {self.cursor}

    def shift(self, delta: int) -> None:
        return

    def rows(self) -> list[Row]:
        return [
            Row(str(n + 1), "[x]" if n in self.ticked else "[ ]", item.text, n == self.cursor)
            for n, item in enumerate(self.items)
        ]

    @property
    def missing(self) -> str:
        have = len(self.ticked)
        if have == self.choose:
            return ""
        if not have:
            return f"Choose {self.choose}: press 1–{len(self.items)} to tick. 0: don't know."
        return f"Choose {self.choose}: {have} ticked so far."

    @property
    def response(self) -> list[str]:
        return [item.id for n, item in enumerate(self.items) if n in self.ticked]


@dataclass
class Order:
    """Steps to bring into order: mark one, pick it up and move it, or send it to a place by its digit."""

    items: Sequence[Item]
    place = "order"

    def __post_init__(self) -> None:
        self.order = list(self.items)
        self.cursor: int | None = 0
        self.lifted = False
        self.touched = False

    def digit(self, number: int) -> None:
        if number <= len(self.order):
            self.shift(number - 1 - (self.cursor or 0))
            self.touched = True

    def move(self, delta: int) -> None:
        if self.lifted:
            self.shift(delta)
        else:
            self.cursor = min(max((self.cursor or 0) + delta, 0), len(self.order) - 1)

    def toggle(self) -> None:
        self.lifted = not self.lifted

    def shift(self, delta: int) -> None:
        here = self.cursor or 0
        there = min(max(here + delta, 0), len(self.order) - 1)
        if there != here:
            self.order.insert(there, self.order.pop(here))
            self.cursor = there
            self.touched = True

    def rows(self) -> list[Row]:
        mark = "↕" if self.lifted else "▸"
        return [
            Row(str(n + 1), mark if n == self.cursor else " ", item.text, n == self.cursor)
            for n, item in enumerate(self.order)
        ]

    @property
    def missing(self) -> str:
        return "" if self.touched else "Space picks up, ↑ ↓ move; or press the number of the place. 0: don't know."

    @property
    def response(self) -> list[str]:
        return [item.id for item in self.order]


@dataclass
class Match:
    """Each left side gets the number of its partner; the mark then goes on to the next one without."""

    lefts: Sequence[Item]
    items: Sequence[Item]
    place = "match"

    def __post_init__(self) -> None:
        self.cursor: int | None = 0
        self.pairs: dict[int, int] = {}

    def digit(self, number: int) -> None:
        here = self.cursor or 0
        if number > len(self.items):
            return
        right = number - 1
        if self.pairs.get(here) == right:
            del self.pairs[here]
            return
        self.pairs = {left: r for left, r in self.pairs.items() if r != right} | {here: right}
        open_ = [(here + step) % len(self.lefts) for step in range(1, len(self.lefts))]
        self.cursor = next((left for left in open_ if left not in self.pairs), here)

    def move(self, delta: int) -> None:
        self.cursor = min(max((self.cursor or 0) + delta, 0), len(self.lefts) - 1)

    def toggle(self) -> None:
        return

    def shift(self, delta: int) -> None:
        return

    def rows(self) -> list[Row]:
        return [
            Row(
                str(self.pairs[n] + 1) if n in self.pairs else "·",
                "▸" if n == self.cursor else " ",
                left.text,
                n == self.cursor,
                self.items[self.pairs[n]].text if n in self.pairs else "",
            )
            for n, left in enumerate(self.lefts)
        ]

    @property
    def missing(self) -> str:
        rest = len(self.lefts) - len(self.pairs)
        if not rest:
            return ""
        return f"Press the number of the marked line's partner, {rest} to go. 0: don't know."

    @property
    def response(self) -> dict[str, str]:
        return {self.lefts[left].id: self.items[right].id for left, right in self.pairs.items()}


@dataclass
class Entry:
    """A number or a word, typed into the box; `value` is what the bank's reader made of it."""

    numeric: bool
    unit: str = ""
    whole: bool = False
    place = "entry"
    cursor: int | None = None
    text: str = ""
    value: Any = None
    words: str = ""

    def digit(self, number: int) -> None:
        return

    def move(self, delta: int) -> None:
        return

    def toggle(self) -> None:
        return

    def shift(self, delta: int) -> None:
        return

    def rows(self) -> list[Row]:
        return []

    @property
    def missing(self) -> str:
        if self.value is not None:
            return ""
        what = f"a number in {self.unit}" if self.unit else ("a number" if self.numeric else "your answer")
        return f"Type {what} and press Enter."

    @property
    def response(self) -> Any:
        return self.value
