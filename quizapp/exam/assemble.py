"""Putting a mock exam together: blueprint weights, fresh variants, no near-duplicates, unseen and due items first."""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from quizapp.bank.model import Bank
from quizapp.exam.blueprint import Blueprint, quotas


class PaperItem(BaseModel):
    """One question of a paper, frozen: which variant, and which text and key it had when the paper was made."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    question_id: str
    seed: int
    objective: str
    content_hash: str
    key_hash: str


class Paper(BaseModel):
    """A frozen exam. Scoring uses this, never the bank as it is later."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    blueprint: str
    seed: int
    minutes: int
    items: tuple[PaperItem, ...]
    weights: dict[str, float]


CHOICE = frozenset({"single", "multiple"})
"""The kinds of question that the real exams are said to have."""


class Familiarity(NamedTuple):
    """What the learner's log says of a question: answered ever, due now, in the last paper."""

    seen: bool = False
    due: bool = False
    in_last_paper: bool = False


class PaperError(ValueError):
    """The bank cannot fill the blueprint; the message says what is missing."""


@dataclass(frozen=True)
class Pool:
    """The questions that a paper may have, all of them and by objective, each list in order; and their kinds."""

    ids: Sequence[str]
    by_objective: Mapping[str, Sequence[str]]
    kinds: Set[str]

    def of_kinds(self, kinds: Set[str], bank: Bank) -> Pool:
        """The part of this pool whose questions are of these kinds."""
        if self.kinds <= kinds:
            return self

        def part(ids: Sequence[str]) -> list[str]:
            return [one for one in ids if bank.questions[one].kind in kinds]

        by_objective = {objective: part(ids) for objective, ids in self.by_objective.items()}
        return Pool(part(self.ids), by_objective, self.kinds & kinds)


def pool_of(blueprint: Blueprint, bank: Bank) -> Pool:
    by_objective: dict[str, list[str]] = {objective: [] for objective in blueprint.objectives}
    lists: dict[tuple[str, ...], list[list[str]]] = {}  # where questions of these objectives belong
    ids: list[str] = []
    kinds: set[str] = set()
    for name in sorted(bank.questions):
        question = bank.questions[name]
        if question.exams:
            mine = tuple(question.objectives)
            if mine not in lists:
                there = [by_objective[objective] for objective in dict.fromkeys(mine) if objective in by_objective]
                lists[mine] = [ids, *there] if there else []
            if lists[mine]:
                kinds.add(question.kind)
            for one in lists[mine]:
                one.append(name)
    return Pool(ids, by_objective, kinds)


def assemble(
    blueprint: Blueprint,
    bank: Bank,
    seed: int,
    count: int,
    known: Mapping[str, Familiarity] | None = None,
    near_duplicates: Container[frozenset[str]] = (),
    minutes: int | None = None,
    pool: Pool | None = None,
) -> Paper:
    """A paper of `count` questions. The same arguments give the same paper.

    `pool` is that of this blueprint and bank, where it was made before, or the part of it that may come.

    Preference: not in the last paper, then unseen, then due, then the rest; chance decides within a rank. One question
    of a family, none of a near-duplicate pair. Raises PaperError when an objective's quota cannot be filled.
    """
    rng = random.Random(f"paper:{blueprint.id}:{seed}")
    pool = pool or pool_of(blueprint, bank)
    rank = {qid: rng.random() for qid in pool.ids}
    for qid, about in (known or {}).items():
        if qid in rank:
            rank[qid] += _rank(about)
    need = quotas(blueprint.weights(), count)
    by_objective = {objective: sorted(pool.by_objective[objective], key=rank.__getitem__) for objective in need}
    places = [objective for objective, n in need.items() for _ in range(n)]
    places.sort(key=lambda o: (len(by_objective[o]) / need[o], o))
    owner = _match(places, by_objective, lambda one, other: _alike(bank, near_duplicates, one, other))
    chosen = sorted(owner.items(), key=lambda pair: rng.random())
    return Paper(
        blueprint=blueprint.id,
        seed=seed,
        minutes=minutes or blueprint.minutes,
        weights=blueprint.weights(),
        items=tuple(
            PaperItem(
                question_id=qid,
                seed=rng.randrange(1, 2**31),
                objective=places[place],
                content_hash=bank.content_hash(qid),
                key_hash=bank.key_hash(qid),
            )
            for qid, place in chosen
        ),
    )


def _rank(about: Familiarity) -> int:
    return 3 * about.in_last_paper + (0 if not about.seen else 1 if about.due else 2)


def _alike(bank: Bank, near_duplicates: Container[frozenset[str]], one: str, other: str) -> bool:
    """Whether two questions must not stand in the same paper."""
    family = bank.questions[one].family
    if family and family == bank.questions[other].family:
        return True
    return frozenset({one, other}) in near_duplicates


def _match(
    places: Sequence[str], by_objective: Mapping[str, Sequence[str]], alike: Callable[[str, str], bool]
) -> dict[str, int]:
    """Question -> place, best-ranked first; a taken question moves to another place of its own when it can."""
    owner: dict[str, int] = {}

    def place(index: int, tried: set[str]) -> bool:
        for qid in by_objective[places[index]]:
            if qid in tried or (qid not in owner and any(alike(qid, one) for one in owner)):
                continue
            tried.add(qid)
            if qid not in owner or place(owner[qid], tried):
                owner[qid] = index
                return True
        return False

    for index, objective in enumerate(places):
        if not place(index, set()):
            filled = sum(places[i] == objective for i in owner.values())
            raise PaperError(
                f"objective '{objective}' needs {places.count(objective)} questions but only {filled} could be placed; "
                "ask for a shorter mock exam"
            )
    return owner
