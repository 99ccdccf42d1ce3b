"""Texts of a small bank, and questions of every kind."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from quizapp.bank.schema import Question

TABLES = {
    "sources.yaml": 'paper: {title: "A paper", address: "https://example.org/paper", checked: 2026-11-29}\n',
    "misconceptions.yaml": 'slip: {name: "Slip", belief: "It is so.", truth: "It is not."}\n',
    "lessons.yaml": 'a-section: "A section"\n',
    "exams/exam.yaml": 'id: exam\nobjectives:\n  exam-1: {title: "An objective"}\n',
}

COMMON_YAML = """\
  style: mechanism
  explain: Because it is so.
  objectives: [exam-1]
  sources: [paper]
  as_of: 2026-11
  difficulty: 2
"""

GOOD = f"""\
- id: good
  kind: single
  ask: Which one?
{COMMON_YAML}  options:
    - {{id: a, text: This, correct: true, why: It is.}}
    - {{id: b, text: That, why: It is not., misconception: slip}}
    - {{id: c, text: no, why: It is not either., misconception: slip}}
"""


COMMON = {
    "id": "q",
    "style": "mechanism",
    "ask": "Which?",
    "explain": "Because.",
    "objectives": ["o"],
    "sources": ["s"],
    "as_of": "2026-11-29",
    "difficulty": 2,
}


def question(kind: str, **fields: Any) -> Question:
    return TypeAdapter(Question).validate_python({**COMMON, "kind": kind, **fields})


def option(name: str, correct: bool = False, **more: Any) -> dict[str, Any]:
    wrong = {} if correct else {"misconception": f"m-{name}"}
    return {"id": name, "text": f"Text {name}", "correct": correct, "why": f"why {name}", **wrong, **more}


def single() -> Question:
    return question("single", options=[option("a", True), option("b"), option("c"), option("z", pin="last")])


def multiple(keys: int = 2, wrong: int = 3) -> Question:
    keyed = [option(f"k{i}", True) for i in range(keys)]
    return question("multiple", choose=keys, options=keyed + [option(f"w{i}") for i in range(wrong)])


def order(size: int = 4) -> Question:
    items = [{"id": f"i{n}", "text": f"Step {n}", "why": f"w{n}"} for n in range(size)]
    return question("order", items=items, misconception="m")


def match() -> Question:
    pairs = [
        {"id": f"p{n}", "left": f"L{n}", "right": f"R{n}", "why": f"w{n}", "misconception": f"m{n}"} for n in range(3)
    ]
    extra = [{"id": "x", "text": "Nobody", "why": "w", "misconception": "mx"}]
    return question("match", pairs=pairs, extra=extra)


def numeric(value: float = 10, **fields: Any) -> Question:
    return question("numeric", answer={"value": value}, unit="ms", why="w {answer}", **fields)


def short(**fields: Any) -> Question:
    return question("short", accept=["in-flight batching", "Inflight Batching"], why="w", **fields)


ALL = [single(), multiple(), order(), match(), numeric(), short()]
