"""Grading: pure, by id, blank is not wrong, ticking everything earns nothing, tolerances are inclusive."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.bank.errors import Unclear
from quizapp.bank.grade import Grade, grade
from quizapp.bank.response import LETTERS, read_plain
from quizapp.bank.schema import Question
from quizapp.bank.variant import Variant, make_variant

from .samples import ALL, match, multiple, numeric, order, question, short, single


def ask(item: Question, response: Any, seed: int = 1) -> Grade:
    return grade(make_variant(item, seed), response)


class TestBlank:
    @pytest.mark.parametrize("item", ALL, ids=lambda q: q.kind)
    @pytest.mark.parametrize("blank", [None, "", "  ", [], {}])
    def test_blank_is_not_wrong(self, item: Question, blank: Any) -> None:
        result = ask(item, blank)
        assert (result.blank, result.correct, result.score, result.misconceptions) == (True, False, 0.0, ())
        assert result.parts
        assert not any(part.chosen for part in result.parts)
        assert all(part.why for part in result.parts)


class TestSingle:
    def test_right_and_wrong(self) -> None:
        assert ask(single(), "a").correct
        wrong = ask(single(), "b")
        assert (wrong.score, wrong.correct, wrong.misconceptions) == (0.0, False, ("m-b",))
        assert [(p.chosen, p.right) for p in wrong.parts if p.id in "ab"].count((True, False)) == 1

    def test_unknown_ids_are_refused(self) -> None:
        with pytest.raises(ValueError, match="no 'q'"):
            ask(single(), "q")

    @given(st.integers(0, 2**32))
    def test_the_shuffle_never_changes_the_verdict(self, seed: int) -> None:
        variant = make_variant(single(), seed)
        place = [choice.id for choice in variant.choices].index("a")
        assert grade(variant, read_plain(variant, LETTERS[place])).correct
        assert variant.choices[-1].id == "z", "the pinned option stays last"
        assert make_variant(single(), seed) == variant


class TestMultiple:
    @pytest.mark.parametrize(
        ("chosen", "score"),
        [
            (["k0", "k1"], 1.0),
            (["k1", "k0"], 1.0),
            (["k0"], 0.5),
            (["k0", "w0"], 0.0),
            (["k0", "k1", "w0"], 0.5),
            (["w0", "w1"], 0.0),
        ],
    )
    def test_hits_less_misses(self, chosen: list[str], score: float) -> None:
        result = ask(multiple(), chosen)
        assert result.score == score
        assert result.correct == (score == 1.0)

    @given(st.integers(2, 4), st.integers(1, 4))
    def test_ticking_everything_is_never_right(self, keys: int, wrong: int) -> None:
        if keys + wrong < 4:
            return
        item = multiple(keys, wrong)
        result = ask(item, [o.id for o in item.options])  # type: ignore[union-attr]
        assert not result.correct
        assert result.score == max(0.0, (keys - wrong) / keys)

    def test_misconceptions_are_those_chosen(self) -> None:
        assert ask(multiple(), ["k0", "w1"]).misconceptions == ("m-w1",)


class TestOrder:
    def test_right_reversed_and_one_swap(self) -> None:
        key = ["i0", "i1", "i2", "i3"]
        assert ask(order(), key).correct
        assert ask(order(), key[::-1]).score == 0.0
        swapped = ask(order(), ["i1", "i0", "i2", "i3"])
        assert swapped.score == pytest.approx(4 / 6)
        assert swapped.misconceptions == ("m",)

    @given(st.integers(0, 2**32), st.integers(3, 8))
    def test_never_shown_in_order_and_untouched_earns_nothing(self, seed: int, size: int) -> None:
        item = order(size)
        variant = make_variant(item, seed)
        shown = [choice.id for choice in variant.choices]
        assert shown != [i.id for i in item.items]  # type: ignore[union-attr]
        assert grade(variant, shown).score == 0.0

    def test_a_random_order_earns_little(self) -> None:
        scores = [
            ask(order(5), [c.id for c in make_variant(order(5), seed + 1000).choices], seed).score
            for seed in range(200)
        ]
        assert sum(scores) / len(scores) < 0.3

    @pytest.mark.parametrize("bad", [["i0"], ["i0", "i0", "i1", "i2"], ["i0", "i1", "i2", "x"]])
    def test_an_incomplete_order_is_refused(self, bad: list[str]) -> None:
        with pytest.raises(ValueError, match="every item once"):
            ask(order(), bad)


class TestMatch:
    def test_per_pair_with_distractors(self) -> None:
        right = {"p0": "p0", "p1": "p1", "p2": "p2"}
        assert ask(match(), right).correct
        result = ask(match(), {**right, "p1": "x"})
        assert result.score == pytest.approx(2 / 3)
        assert result.misconceptions == ("mx", "m1")
        parts = {p.id: p for p in result.parts}
        assert (parts["x"].chosen, parts["x"].right) == (True, False)
        assert (parts["p0"].right, parts["p1"].right) == (True, False)

    def test_one_answer_for_all_does_not_pass(self) -> None:
        result = ask(match(), dict.fromkeys(["p0", "p1", "p2"], "p0"))
        assert result.score == pytest.approx(1 / 3)

    def test_unused_distractors_are_right(self) -> None:
        parts = {p.id: p for p in ask(match(), {"p0": "p0"}).parts}
        assert (parts["x"].chosen, parts["x"].right) == (False, True)
        assert (parts["p1"].chosen, parts["p1"].right) == (False, False)

    @pytest.mark.parametrize("bad", [{"x": "p0"}, {"p0": "q"}, ["p0"], "p0"])
    def test_foreign_ids_and_shapes_are_refused(self, bad: Any) -> None:
        with pytest.raises(ValueError, match=r"no '|mapping"):
            ask(match(), bad)


class TestNumeric:
    @pytest.mark.parametrize(
        ("tolerance", "typed", "right"),
        [
            ({}, "10", True),
            ({}, "10.0 ms", True),
            ({}, "10.0001", False),
            ({}, "0.01 s", True),
            ({"tolerance_abs": 0.3}, "10.3", True),
            ({"tolerance_abs": 0.3}, "9.7", True),
            ({"tolerance_abs": 0.3}, "10.3000001", False),
            ({"tolerance_rel": 0.05}, "10.5", True),
            ({"tolerance_rel": 0.05}, "9.5", True),
            ({"tolerance_rel": 0.05}, "9.4999", False),
            ({"tolerance_rel": 0.01, "tolerance_abs": 0.5}, "10.5", True),
        ],
    )
    def test_tolerance_is_inclusive(self, tolerance: dict[str, float], typed: str, right: bool) -> None:
        assert ask(numeric(**tolerance), typed).correct is right

    @given(st.integers(-(10**6), 10**6), st.integers(0, 10**4))
    def test_exactly_at_the_edge_counts(self, answer: int, edge: int) -> None:
        value, tolerance = answer / 100, edge / 100
        item = numeric(value, tolerance_abs=tolerance)
        assert ask(item, f"{(answer + edge) / 100:.2f}").correct
        assert ask(item, f"{(answer - edge) / 100:.2f}").correct
        assert not ask(item, f"{(answer + edge) / 100:.2f}1").correct or answer + edge < 0

    def test_the_printed_answer_is_always_right(self) -> None:
        item = question(
            "numeric", answer={"function": "ratio", "args": {"a": 2, "b": 3}}, unit="x", why="{answer}", decimals=2
        )
        variant = make_variant(item, 1)
        assert variant.why == "0.67"
        assert grade(variant, "0.67").correct
        assert not grade(variant, "0.66").correct

    def test_binary_noise_does_not_matter(self) -> None:
        item = question("numeric", answer={"function": "product", "args": {"values": [0.1, 3]}}, why="w")
        assert ask(item, "0.3").correct

    def test_a_trap_is_recognised(self) -> None:
        trap = {"value": 10_000, "why": "read as us", "misconception": "unit"}
        result = ask(numeric(traps=[trap]), "10 s")
        assert (result.correct, result.misconceptions) == (False, ("unit",))
        assert result.parts[-1].why == "read as us"
        assert ask(numeric(traps=[trap]), "77").misconceptions == ()

    @pytest.mark.parametrize("typed", ["3,145", "8 GB", "ten"])
    def test_unclear_is_asked_about(self, typed: str) -> None:
        with pytest.raises(Unclear):
            ask(numeric(), typed)

    def test_sixteen_thousand_is_not_sixteen(self) -> None:
        with pytest.raises(Unclear):
            ask(numeric(16), "16,000")

    def test_a_whole_number_may_be_typed_as_it_is_shown(self) -> None:
        item = numeric(16_000, decimals=0)
        shown = ask(item, None).parts[0].text
        assert shown.startswith("16,000")
        assert ask(item, shown).correct
        assert read_plain(make_variant(item, 1), "16,000") == "16,000"


class TestShort:
    @pytest.mark.parametrize(
        "typed",
        ["In-Flight Batching", "inflight batching", " in flight  batching ", "IN_FLIGHT_BATCHING", "in‑flight batching",
         "ｉｎ-flight batching", "in-flight batching.", '"in-flight batching"'],
    )  # fmt: skip
    def test_case_width_and_joints_do_not_matter(self, typed: str) -> None:
        assert ask(short(), typed).correct

    @pytest.mark.parametrize("typed", ["in-flight", "batching in flight", "---", "in-flight batch"])
    def test_other_words_are_wrong(self, typed: str) -> None:
        result = ask(short(), typed)
        assert (result.correct, result.blank) == (False, False)

    def test_combining_marks_count(self) -> None:
        assert ask(question("short", accept=["é"], why="w"), "e\u0301").correct
        assert not ask(question("short", accept=["é"], why="w"), "e").correct

    def test_exact_keeps_case_and_joints(self) -> None:
        item = question("short", accept=["--max-num-seqs"], exact=True, why="w")
        assert ask(item, " --max-num-seqs ").correct
        assert not ask(item, "--max_num_seqs").correct
        assert not ask(item, "--Max-Num-Seqs").correct

    def test_a_known_wrong_text_has_its_reason(self) -> None:
        reject = {"text": "dynamic batching", "why": "that is another", "misconception": "m"}
        result = ask(short(reject=[reject]), "Dynamic-Batching")
        assert result.misconceptions == ("m",)
        assert result.parts[-1].why == "that is another"


class TestPlain:
    @pytest.mark.parametrize(
        ("item", "typed", "words"),
        [
            (single(), "E", "letters go from A to D"),
            (single(), "AB", "one letter"),
            (single(), "1", "letters from A to D"),
            (multiple(), "ABC", "asks for 2"),
            (order(), "A B C", "once"),
            (order(), "A B C C", "once"),
            (match(), "1A 1B", "1 is there twice"),
            (match(), "1A 2A", "A is there twice"),
            (match(), "4A", "no 4 on the left"),
            (match(), "A1", "1B 2A 3C"),
            (numeric(), "3,145", "Did you mean"),
        ],
    )
    def test_what_cannot_be_read_is_asked_about(self, item: Question, typed: str, words: str) -> None:
        with pytest.raises(Unclear) as raised:
            read_plain(make_variant(item, 1), typed)
        assert words in str(raised.value)

    def test_many_spellings_are_read(self) -> None:
        variant = make_variant(multiple(), 1)
        first = [choice.id for choice in variant.choices]
        for typed in ("AC", "a c", "A, C", "C and A", "ＡＣ"):
            assert set(read_plain(variant, typed)) == {first[0], first[2]}  # type: ignore[arg-type]
        paired: Variant = make_variant(match(), 1)
        rights = [choice.id for choice in paired.choices]
        for typed in ("1B 2A", "1-B, 2-A", "1b2a", "2A 1B"):
            assert read_plain(paired, typed) == {"p0": rights[1], "p1": rights[0]}
        assert read_plain(variant, "  ") is None


@given(st.sampled_from(ALL), st.integers(0, 1000), st.data())
def test_grading_is_pure_and_bounded(item: Question, seed: int, data: st.DataObject) -> None:
    variant = make_variant(item, seed)
    ids = [choice.id for choice in variant.choices]
    response: Any = {
        "single": st.sampled_from(ids) if ids else st.none(),
        "multiple": st.lists(st.sampled_from(ids), unique=True) if ids else st.none(),
        "order": st.permutations(ids),
        "match": st.dictionaries(st.sampled_from(["p0", "p1", "p2"]), st.sampled_from(ids)) if ids else st.none(),
        "numeric": st.integers(-20, 20).map(str),
        "short": st.text(),
    }[item.kind]
    given_response = data.draw(response)
    result = grade(variant, given_response)
    assert 0.0 <= result.score <= 1.0
    assert result.correct == (result.score == 1.0)
    assert not (result.blank and result.correct)
    assert grade(variant, given_response) == result
    if result.correct:
        assert result.misconceptions == ()
