"""The bank that comes with quizapp: sound, free of tells, and covering both lessons whole."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
import yaml

from quizapp.bank.files import builtin_dir
from quizapp.bank.grade import grade
from quizapp.bank.lint import Report, lint_bank
from quizapp.bank.load import load_bank
from quizapp.bank.model import Bank
from quizapp.bank.schema import KINDS, STYLES, Multiple, Numeric, Single
from quizapp.bank.texts import reasons_of, texts_of
from quizapp.bank.variant import make_variant, printed
from quizapp.exam.assemble import pool_of
from quizapp.exam.blueprint import blueprints

ROOT = Path(__file__).resolve().parents[2]
PORTS = {"8000", "8001", "8002", "9400"}
LESSONS = sorted((ROOT.parent / "shared" / "seeds").glob("*.txt"))


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load_bank()


@pytest.fixture(scope="module")
def report(bank: Bank) -> Report:
    # The day is that of the newest question, so that the suite does not begin to fail when a fact expires.
    today = max(question.as_of for question in bank.questions.values())
    return lint_bank(bank, today, [path.read_text("utf-8") for path in LESSONS])


def test_it_loads_without_a_mistake(bank: Bank) -> None:
    assert [str(error) for error in bank.errors] == []


def test_the_linter_has_nothing_to_say(report: Report) -> None:
    assert [f"{p.id}: {p.message} [{p.rule}]" for p in report.problems] == []


def test_it_is_large_and_varied(report: Report) -> None:
    assert report.questions >= 150
    assert {kind: n for kind, n in report.kinds.items() if n < 6} == {}
    assert {style: n for style, n in report.styles.items() if n < 12} == {}
    assert set(report.kinds) == set(KINDS)
    assert set(report.styles) == set(STYLES)


def test_the_key_gives_nothing_away(report: Report) -> None:
    assert all(abs(report.key_position[letter] - 0.25) <= 0.07 for letter in "ABCD")
    assert report.longest_correct <= 0.35
    assert report.test_wise_score <= report.chance + 0.10


def test_every_option_says_why_and_every_wrong_one_its_misconception(bank: Bank) -> None:
    for question in bank.questions.values():
        assert all(why.strip() for _, why in reasons_of(question)), question.id
        assert question.sources, question.id
        assert question.as_of <= date(2100, 1, 1)
        if isinstance(question, Single | Multiple):
            assert all(o.correct or o.misconception in bank.misconceptions for o in question.options), question.id


def test_claims_and_labs_that_questions_name_are_there(bank: Bank) -> None:
    claims = {claim["id"] for claim in yaml.safe_load((ROOT / "labs" / "claims.yaml").read_text("utf-8"))}
    labs = {path.name for path in (ROOT / "labs" / "catalog").iterdir() if path.is_dir()}
    assert {claim for q in bank.questions.values() for claim in q.claims} - claims == set()
    assert {lab for q in bank.questions.values() for lab in q.labs} - labs == set()


def test_every_key_is_graded_right(bank: Bank) -> None:
    """The stored key of each question, answered as a learner would, is correct in several variants."""
    for question in bank.questions.values():
        for seed in (1, 2, 3):
            variant = make_variant(question, seed)
            match question.kind:
                case "single":
                    response: object = next(o.id for o in question.options if o.correct)
                case "multiple":
                    response = [o.id for o in question.options if o.correct]
                case "numeric":
                    assert isinstance(question, Numeric)
                    assert variant.answer is not None
                    response = f"{printed(variant.answer, question.decimals)} {question.unit}"
                case "order":
                    response = [item.id for item in question.items]
                case "match":
                    response = {pair.id: pair.id for pair in question.pairs}
                case _:
                    response = question.accept[-1]
            assert grade(variant, response).correct, (question.id, seed, response)  # type: ignore[arg-type]


def test_thousands_are_written_alike(bank: Bank) -> None:
    """`1,900` in every text and every variant; only code, years and ports are written without a separator."""
    bare = re.compile(r"(?<![\w.,])\d{4,}(?!\w)")
    for question in bank.questions.values():
        texts = [text for _, text in texts_of(question)]
        if isinstance(question, Numeric):
            for seed in range(10):
                variant = make_variant(question, seed)
                texts += [variant.ask, variant.why, variant.explain, *(trap.why for trap in variant.traps)]
        found = {
            number for text in texts for number in bare.findall(re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.S))
        }
        assert found <= PORTS | {str(year) for year in range(1990, 2031)}, question.id


def test_no_question_leans_on_a_lesson_that_its_reader_has_not_seen(bank: Bank) -> None:
    named = re.compile(r"\b(the|a) lessons?\b|\blesson's\b|\blessons'", re.IGNORECASE)
    assert {q.id for q in bank.questions.values() for _, text in texts_of(q) if named.search(text)} == set()


def test_the_exams_own_wording_is_in_no_mock_and_no_plan(bank: Bank) -> None:
    about = [q for q in bank.questions.values() if "about-the-exam" in q.objectives]
    assert len(about) == 4
    real = blueprints(bank.exams)
    assert all("about-the-exam" not in blueprint.objectives for blueprint in real.values())
    assert all(q.objectives == ["about-the-exam"] and not q.exams for q in about)
    assert {q.id for q in about} & {one for blueprint in real.values() for one in pool_of(blueprint, bank).ids} == set()


def test_bracketed_plurals_and_wrong_articles_are_in_no_variant(bank: Bank) -> None:
    wrong = re.compile(r"\w\(s\)|\b[Aa] (8|11|18|80)\b|\b1 (tokens|requests|steps|instances)\b")
    for question in bank.questions.values():
        if isinstance(question, Numeric):
            asks = {make_variant(question, seed).ask for seed in range(20)}
            assert {ask for ask in asks if wrong.search(ask)} == set(), question.id


def test_the_coverage_table_is_true_and_complete() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.coverage", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_the_bank_is_the_one_in_this_checkout() -> None:
    assert builtin_dir() == ROOT / "questions"
