"""Each lint rule finds what it is for, and lets the honest question pass."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from quizapp.bank.guesser import CUES, chance, score
from quizapp.bank.lint import lint_bank
from quizapp.bank.model import Bank
from quizapp.bank.rules import RULES
from quizapp.bank.schema import Misconception, Objective, Question, Single, Source

from .samples import match, multiple, numeric, option, order, question, short, single

TODAY = date(2026, 11, 29)


def found(rule: str, item: Question) -> list[str]:
    return list(RULES[rule](item, TODAY))


def choices(*texts: str, ask: str = "Which one?", **more: Any) -> Single:
    options = [{**option("abcdefgh"[i], i == 0), "text": text} for i, text in enumerate(texts)]
    item = question("single", ask=ask, options=[{**o, **more} for o in options])
    assert isinstance(item, Single)
    return item


@pytest.mark.parametrize(
    ("rule", "item"),
    [
        ("same-option-text", choices("A batch", "a  batch.", "Other")),
        ("pin-last", choices("This", "That", "None of the above")),
        ("cross-reference", choices("This", "That", "Other", ask="Is option A right?")),
        ("cross-reference", choices("This", "Both A and B", "Other")),
        ("negative-stem", choices("This", "That", "Other", ask="Which of these is not a batching scheme?")),
        ("negative-stem", choices("This", "That", "Other", ask="All help, except one. Which never helps?")),
        ("given-away", choices("dynamic batching", "That one", "Other one", ask="Triton's dynamic batching is what?")),
        ("given-away", question("short", ask="What is PagedAttention called?", accept=["pagedattention"], why="w")),
        ("repeated-why", choices("This", "That", "Other", why="It is so.")),
        ("expired", question("short", accept=["x"], why="w", expires="2026-11-28")),
        ("hostile-characters", question("short", accept=["x"], why="a\x1b[2Jb")),
        (
            "order-words",
            question(
                "order",
                misconception="m",
                items=[{"id": i, "text": t, "why": "w"} for i, t in (("a", "First, x"), ("b", "y"), ("c", "z"))],
            ),
        ),
        (
            "reject-accepted",
            short(reject=[{"text": "IN FLIGHT batching", "why": "w", "misconception": "m"}]),
        ),
        (
            "hidden-parameter",
            numeric(ask="How much?", params={"n": {"min": 1, "max": 9}}),
        ),
        ("variants", numeric(ask="{n}?", params={"n": {"values": [1, 2, 3]}})),
        ("variants", numeric(tolerance_abs=1, traps=[{"value": 11, "why": "w", "misconception": "m"}])),
        (
            "variants",
            question("numeric", answer={"function": "ratio", "args": {"a": 1, "b": 0}}, why="w"),
        ),
    ],
)
def test_the_rule_finds_it(rule: str, item: Question) -> None:
    assert found(rule, item)


@pytest.mark.parametrize(
    "item",
    [
        single(),
        multiple(),
        order(),
        match(),
        numeric(traps=[{"value": 12, "why": "w", "misconception": "m"}]),
        short(),
        choices("This", "That", "Other", ask="Which of these is **not** a batching scheme?"),
        choices("This", "That", "Other", ask="Which queue holds a request that does not fit?"),
        choices("This", "That", "Other", ask="Which of them describes batching, and not caching?"),
        question("short", accept=["x"], why="w", expires="2026-11-29"),
    ],
)
def test_honest_questions_pass(item: Question) -> None:
    if isinstance(item, Single):
        item = item.model_copy(update={"options": [o.model_copy(update={"why": f"why {o.id}"}) for o in item.options]})
    assert {rule: found(rule, item) for rule in RULES if found(rule, item)} == {}


def bank_of(*questions: Question) -> Bank:
    renamed = [q.model_copy(update={"id": f"q{i}"}) for i, q in enumerate(questions)]
    return Bank(
        questions={q.id: q for q in renamed},
        sources={"s": Source(title="S", address="computed", checked=TODAY)},
        misconceptions={"m-b": Misconception(name="n", belief="b", truth="t")},
        objectives={"o": Objective(title="O")},
    )


def rules_of(bank: Bank, *texts: str) -> list[str]:
    return [problem.rule for problem in lint_bank(bank, TODAY, texts).problems]


def test_near_duplicates_are_found_whatever_their_numbers() -> None:
    ask = "A server with {} slots runs the requests of one client in the order of their arrival. How many steps?"
    one = question("short", ask=ask.format(8), accept=["x"], why="w")
    two = question("short", ask=ask.format(16), accept=["y"], why="w")
    other = question("short", ask="What bounds the number of resident sequences on one GPU?", accept=["x"], why="w")
    assert "near-duplicate" in rules_of(bank_of(one, two))
    assert "near-duplicate" not in rules_of(bank_of(one, other))


def test_what_nobody_uses_is_named() -> None:
    bank = bank_of(single())
    bank.sources["unused"] = bank.sources["s"]
    bank.misconceptions["unused"] = bank.misconceptions["m-b"]
    messages = {p.rule: p.message for p in lint_bank(bank, TODAY).problems}
    assert "'unused'" in messages["unused-source"]
    assert "'unused'" in messages["unused-misconception"]


def test_eight_copied_words_are_found_and_seven_are_not() -> None:
    lesson = "The weights are read exactly once for all the sequences of a batch, which is the whole point of it."
    copied = question("short", accept=["x"], why="So the weights are read exactly once for all of them.")
    fewer = question("short", accept=["x"], why="So the weights are read exactly once for every sequence.")
    assert "copied" in rules_of(bank_of(copied), lesson)
    assert "copied" not in rules_of(bank_of(fewer), lesson)
    assert "copied" not in rules_of(bank_of(copied))
    figures = question("short", accept=["x"], why="The outputs are 20, 25, 30, 40, 50, 60, 400 and 600 tokens.")
    assert "copied" not in rules_of(bank_of(figures), "They produce 20, 25, 30, 40, 50, 60, 400 and 600 tokens."), (
        "figures are facts"
    )


def of_lengths(key: int, count: int) -> list[Single]:
    """Four-option questions whose key is stored at `key` and is the longest option."""
    made = []
    for n in range(count):
        options = [option(f"o{i}", i == key) for i in range(4)]
        for i, o in enumerate(options):
            o["text"] = f"w{n}a{i} w{n}b{i}" + (f" w{n}c w{n}d" if i == key else "")
        item = question("single", ask=f"stem {n * 7} words{n} here{n}?", options=options)
        assert isinstance(item, Single)
        made.append(item)
    return made


def test_tells_of_the_whole_bank() -> None:
    report = lint_bank(bank_of(*of_lengths(1, 40)), TODAY)
    assert report.key_position == {"A": 0.0, "B": 1.0, "C": 0.0, "D": 0.0}
    assert report.longest_correct == 1.0
    assert report.chance == 0.25
    assert report.test_wise_score == 1.0
    assert {"key-position", "longest-correct", "test-wise"} <= {p.rule for p in report.problems}


def test_a_bank_without_tells_is_guessed_at_chance() -> None:
    """Every option of a question is the key of one copy of it: no cue can help."""
    questions = []
    for n in range(10):
        for key in range(4):
            texts = [f"always {n}", f"usually the batch {n}", f"never mind the stem {n}", f"words {n}"]
            options = [{**option(f"o{i}", i == key), "text": text} for i, text in enumerate(texts)]
            questions.append(question("single", ask=f"The stem of the batch {n}?", options=options))
    singles = [q for q in questions if isinstance(q, Single)]
    assert chance(singles) == 0.25
    assert score(singles) == 0.25
    assert all(score(singles, cue) == pytest.approx(0.25) for cue in CUES.values())


def test_a_guesser_without_a_cue_picks_blindly() -> None:
    for key in range(4):
        item = question("single", options=[{**option(f"o{i}", i == key), "text": f"abcd {i}"} for i in range(4)])
        assert isinstance(item, Single)
        assert score([item]) == 0.25


def test_the_report_has_the_promised_keys() -> None:
    report = lint_bank(bank_of(single(), multiple()), TODAY).as_dict()
    assert {"questions", "kinds", "styles", "objectives", "key_position", "longest_correct"} <= set(report)
    assert {"test_wise_score", "chance", "problems"} <= set(report)
    assert report["kinds"]["single"] == 1
    assert report["kinds"]["order"] == 0
    assert all(set(problem) == {"id", "rule", "message"} for problem in report["problems"])
