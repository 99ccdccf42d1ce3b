"""Item statistics for authors: how hard a question is, how well it tells people apart, which options draw answers.

A person is one learner's log, or one mock exam of a learner: discrimination compares people, so it needs several.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ENOUGH_ANSWERS = 10
ENOUGH_PEOPLE = 10
HARD, EASY, WEAK = 0.25, 0.97, 0.10


@dataclass(frozen=True)
class Given:
    """One answer. `parts` are the option ids that were chosen."""

    person: str
    question: str
    right: bool
    parts: tuple[str, ...]


@dataclass
class Item:
    answers: int = 0
    right: int = 0
    chosen: Counter[str] = field(default_factory=Counter)
    by_person: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))


def statistics(given: Iterable[Given], wrong_options: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """One row a question that was answered, in the order of ids. `wrong_options` are the distractors' ids."""
    items: dict[str, Item] = defaultdict(Item)
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in given:
        item = items[one.question]
        item.answers += 1
        item.right += one.right
        item.chosen.update(one.parts)
        for counts in (item.by_person[one.person], totals[one.person]):
            counts[0] += 1
            counts[1] += one.right
    return [_row(name, item, totals, wrong_options.get(name, ())) for name, item in sorted(items.items())]


def _row(name: str, item: Item, totals: dict[str, list[int]], wrong: Sequence[str]) -> dict[str, Any]:
    difficulty = item.right / item.answers
    people = len(item.by_person)
    discrimination = item_rest(item, totals) if people >= ENOUGH_PEOPLE else None
    flags = []
    if item.answers >= ENOUGH_ANSWERS:
        if difficulty < HARD:
            flags.append("too hard, or a wrong key")
        if difficulty > EASY:
            flags.append("too easy")
        dead = [option for option in wrong if not item.chosen[option]]
        if dead and item.answers - item.right >= ENOUGH_ANSWERS:
            flags.append(f"never chosen: {', '.join(dead)}")
    if discrimination is not None and discrimination < WEAK:
        flags.append("does not tell the strong from the weak")
    return {
        "id": name,
        "answers": item.answers,
        "people": people,
        "difficulty": difficulty,
        "discrimination": discrimination,
        "options": {option: count / item.answers for option, count in sorted(item.chosen.items())},
        "flags": flags,
    }


def item_rest(item: Item, totals: dict[str, list[int]]) -> float | None:
    """Corrected item-rest correlation over people: their rate on this question against their rate on all others
    (Henrysson 1963, doi:10.1007/BF02289618). None where either does not vary.
    """
    pairs = []
    for person, (count, right) in item.by_person.items():
        rest, rest_right = totals[person][0] - count, totals[person][1] - right
        if rest:
            pairs.append((right / count, rest_right / rest))
    if len(pairs) < 2:
        return None
    mean_x, mean_y = (sum(pair[i] for pair in pairs) / len(pairs) for i in (0, 1))
    spread_x = sum((x - mean_x) ** 2 for x, _ in pairs)
    spread_y = sum((y - mean_y) ** 2 for _, y in pairs)
    if spread_x <= 1e-12 or spread_y <= 1e-12:
        return None
    together = sum((x - mean_x) * (y - mean_y) for x, y in pairs)
    return float(together / (spread_x * spread_y) ** 0.5)
