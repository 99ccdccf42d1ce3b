"""How much of each part of the bank is known: from counts of cards by bin (`bins`), never card by card."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from quizapp.progress import bins


@dataclass
class Part:
    """The questions of one objective or topic. `due` is how many of them are due."""

    questions: int = 0
    mature: int = 0
    chance: float = 0.0
    """Mean chance of a blind guess."""
    seen: Counter[int] = field(default_factory=Counter)
    """Cards with a memory, by bin of elapsed days over stability."""
    first: tuple[int, int] = (0, 0)
    """First answers ever, and how many were right."""

    @property
    def known(self) -> int:
        return sum(self.seen.values())

    @property
    def unseen(self) -> int:
        return max(0, self.questions - self.known)

    def recall(self, decay: float, factor: float = 1.0) -> float:
        """Mean probability of recall over the seen cards, 0 for none. `factor` multiplies their stability."""
        if not self.known:
            return 0.0
        return sum(n * bins.recall(bins.middle(b) / factor, decay) for b, n in self.seen.items()) / self.known


def mastery(parts: dict[str, Part], decay: float, titles: dict[str, str]) -> list[dict[str, Any]]:
    """`mastered` is the share of all questions that would be recalled today: an unseen one counts as not known."""
    rows = []
    for key, part in sorted(parts.items()):
        recall = part.recall(decay)
        rows.append(
            {
                "id": key,
                "title": titles.get(key, key),
                "questions": part.questions,
                "seen": part.known,
                "mature": part.mature,
                "recall": recall if part.known else None,
                "mastered": recall * part.known / part.questions if part.questions else 0.0,
            }
        )
    return rows
