"""The exam room: quotas, papers, the clock and the sitting, as properties."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.bank.model import Bank
from quizapp.bank.schema import Single
from quizapp.exam import sitting as sit_room
from quizapp.exam.assemble import CHOICE, Familiarity, PaperError, assemble, pool_of
from quizapp.exam.blueprint import Blueprint, quotas
from quizapp.exam.score import differ, score, wilson
from quizapp.exam.timer import Instant, advance, start_timer

START = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)


def instant(seconds: float, boot: str = "a", wall: float | None = None) -> Instant:
    return Instant(wall=START + timedelta(seconds=seconds if wall is None else wall), boot_s=seconds, boot_id=boot)


def question(number: int, objective: str, family: str | None = None) -> Single:
    options = [{"id": "key", "text": "yes", "correct": True, "why": "w"}]
    options += [{"id": f"no-{i}", "text": f"no {i}", "why": "w", "misconception": "m"} for i in range(3)]
    return Single.model_validate(
        {
            "id": f"q{number}", "kind": "single", "style": "mechanism", "ask": f"Ask {number}?", "explain": "e",
            "objectives": [objective], "sources": ["s"], "as_of": "2026-11", "difficulty": 1, "options": options,
            "family": family,
        }
    )  # fmt: skip


def bank(per_objective: int = 20, families: bool = False) -> Bank:
    qs = [
        question(100 * j + i, f"o{j}", f"f{j}-{i // 2}" if families else None)
        for j in range(3)
        for i in range(per_objective)
    ]
    return Bank(questions={q.id: q for q in qs})


def blueprint(**weights: float) -> Blueprint:
    weights = weights or {"o0": 50, "o1": 30, "o2": 20}
    return Blueprint.model_validate(
        {
            "id": "b", "title": "B", "as_of": "2026-11", "sources": ["s"], "questions": {"min": 10, "max": 50},
            "minutes": 60, "pass_mark": "undisclosed", "domains": {"d": {"title": "D", "weight": 1}},
            "objectives": {k: {"title": k, "domain": "d", "weight": w} for k, w in weights.items()},
        }
    )  # fmt: skip


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.01, 100), min_size=1), st.integers(0, 120))
def test_quotas_sum_up_and_stay_within_one_of_the_exact_share(raw, count):
    weights = {k: v / sum(raw.values()) for k, v in raw.items()}
    shares = quotas(weights, count)
    assert sum(shares.values()) == count
    assert all(abs(shares[k] - weights[k] * count) < 1 for k in weights)


@given(st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_a_paper_keeps_the_weights_and_never_holds_two_of_a_family(seed):
    paper = assemble(blueprint(), bank(families=True), seed, 20)
    ids = [item.question_id for item in paper.items]
    assert len(set(ids)) == 20
    by = [item.objective for item in paper.items]
    assert {o: by.count(o) for o in set(by)} == {"o0": 10, "o1": 6, "o2": 4}
    families = [f"{int(i[1:]) // 100}-{int(i[1:]) % 100 // 2}" for i in ids]
    assert len(set(families)) == 20
    assert paper == assemble(blueprint(), bank(families=True), seed, 20)


def test_unseen_questions_come_before_due_and_due_before_known_ones():
    known = {f"q{i}": Familiarity(seen=True, due=i < 15) for i in range(10, 20)}
    paper = assemble(blueprint(o0=1), bank(), 1, 15, known)
    ids = {item.question_id for item in paper.items}
    assert {f"q{i}" for i in range(10)} <= ids
    assert ids == {f"q{i}" for i in range(15)}


def test_near_duplicates_never_meet():
    pairs = [frozenset({f"q{i}", f"q{i + 1}"}) for i in range(0, 20, 2)]
    paper = assemble(blueprint(o0=1), bank(), 7, 10, near_duplicates=pairs)
    ids = {item.question_id for item in paper.items}
    assert not any(pair <= ids for pair in pairs)
    with pytest.raises(PaperError, match="needs 11 questions but only 10"):
        assemble(blueprint(o0=1), bank(), 7, 11, near_duplicates=pairs)


def test_the_clock_counts_sleep_and_ignores_a_moved_wall_clock():
    timer = start_timer(60, instant(0))
    timer = advance(timer, instant(600))
    assert timer.left_s == 3000
    assert not timer.clock_moved
    back = advance(timer, instant(660, wall=-7200))
    assert back.left_s == 2940
    assert back.clock_moved
    forward = advance(back, instant(720, wall=90_000))
    assert forward.left_s == 2880


def test_after_a_restart_the_wall_clock_decides_and_never_backwards():
    timer = advance(start_timer(60, instant(0)), instant(600))
    restarted = advance(timer, Instant(wall=START + timedelta(seconds=900), boot_s=3, boot_id="b"))
    assert restarted.left_s == 2700
    cheated = advance(timer, Instant(wall=START - timedelta(days=1), boot_s=3, boot_id="b"))
    assert cheated.left_s == 3000
    assert cheated.clock_moved


def test_at_the_deadline_the_sitting_hands_itself_in_and_nothing_may_change():
    sitting = sit_room.sit(assemble(blueprint(), bank(), 3, 10), instant(0))
    sitting = sit_room.answer(sitting, 0, "key", instant(10))
    late = sit_room.tick(sitting, instant(3600))
    assert late.submitted
    assert late.timed_out
    with pytest.raises(sit_room.SittingOver):
        sit_room.answer(sitting, 1, "key", instant(3600.5))
    assert sum(r.seconds for r in late.replies) == pytest.approx(3600)


actions = st.lists(
    st.tuples(st.sampled_from(["answer", "go", "flag", "strike"]), st.integers(0, 9), st.integers(0, 3)), max_size=40
)


@given(actions)
@settings(max_examples=60, deadline=None)
def test_whatever_is_done_a_sitting_survives_json_and_is_scored_by_its_last_answers(done):
    the_bank = bank()
    sitting = sit_room.sit(assemble(blueprint(), the_bank, 5, 10), instant(0))
    last: dict[int, str] = {}
    for second, (what, index, option) in enumerate(done):
        now = instant(second)
        choice = ["key", "no-0", "no-1", "no-2"][option]
        if what == "answer":
            sitting = sit_room.answer(sitting, index, choice, now)
            last[index] = choice
        elif what == "go":
            sitting = sit_room.go(sitting, index, now)
        elif what == "flag":
            sitting = sit_room.toggle_flag(sitting, index, now)
        else:
            sitting = sit_room.toggle_strike(sitting, index, choice, now)
        sitting = sit_room.Sitting.model_validate_json(sitting.model_dump_json())
    result = score(sit_room.submit(sitting, instant(100)), the_bank.questions, lambda o: "d")
    assert result.total.total == 10
    assert result.total.right == sum(choice == "key" for choice in last.values())
    assert result.unanswered == 10 - len(last)


def test_the_denominator_is_the_paper_and_an_unreadable_answer_is_wrong():
    the_bank = bank()
    sitting = sit_room.sit(assemble(blueprint(), the_bank, 5, 10), instant(0))
    sitting = sit_room.answer(sitting, 0, "no such option", instant(1))
    result = score(sit_room.submit(sitting, instant(2)), the_bank.questions, lambda o: "d")
    assert (result.total.right, result.total.total, result.unanswered) == (0, 10, 9)
    assert result.items[0].answered
    assert not result.items[0].correct
    assert result.misconceptions == {}


def test_a_change_counts_when_the_question_is_left_and_is_judged():
    the_bank = bank()
    sitting = sit_room.sit(assemble(blueprint(), the_bank, 5, 10), instant(0))
    for moved in ("no-0", "no-1", "key"):
        sitting = sit_room.answer(sitting, 0, moved, instant(1))
    sitting = sit_room.go(sitting, 1, instant(2))
    assert (sitting.replies[0].first, sitting.replies[0].changes) == ("key", 0)
    sitting = sit_room.go(sitting, 0, instant(3))
    sitting = sit_room.answer(sitting, 0, "no-2", instant(4))
    sitting = sit_room.submit(sitting, instant(5))
    assert sitting.replies[0].changes == 1
    assert score(sitting, the_bank.questions, lambda o: "d").items[0].changed == "to wrong"


def test_an_answer_with_parts_missing_stands_but_is_no_first_answer():
    sitting = sit_room.sit(assemble(blueprint(), bank(), 5, 10), instant(0))
    sitting = sit_room.answer(sitting, 0, ["key"], instant(1), complete=False)
    sitting = sit_room.go(sitting, 1, instant(2))
    assert sitting.incomplete == (0,)
    assert sitting.replies[0].first is None
    sitting = sit_room.answer(sitting, 0, None, instant(3))
    assert sitting.incomplete == ()
    assert 0 in sitting.unanswered


def test_time_away_counts_but_on_no_question():
    sitting = sit_room.sit(assemble(blueprint(), bank(), 5, 10), instant(0))
    sitting = sit_room.tick(sitting, instant(60))
    sitting = sit_room.resume(sitting, instant(660))
    sitting = sit_room.tick(sitting, instant(690))
    assert sitting.replies[0].seconds == 90
    assert sitting.away_s == 600
    assert sitting.timer.left_s == 3600 - 690
    late = sit_room.resume(sitting, instant(9000))
    assert late.submitted
    assert late.timed_out
    assert sum(r.seconds for r in late.replies) + late.away_s == pytest.approx(3600)


def test_a_shorter_mock_gets_its_share_of_the_time():
    assert [blueprint().minutes_for(n) for n in (1, 5, 10, 50)] == [6, 30, 60, 60]


@given(st.integers(0, 200), st.integers(1, 200))
def test_the_interval_holds_the_rate(right, total):
    share = wilson(min(right, total), total)
    assert 0 <= share.low <= share.rate <= share.high <= 1


def test_two_results_differ_only_beyond_chance():
    assert not differ((22, 50), (28, 50))
    assert differ((22, 50), (31, 50))
    assert not differ((50, 50), (50, 50))
    assert not differ((0, 0), (5, 10))


@given(st.floats(0.2, 0.8), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_equal_candidates_seldom_seem_to_differ(ability, seed):
    rng = random.Random(seed)
    papers = [[sum(rng.random() < ability for _ in range(40)) for _ in range(2)] for _ in range(200)]
    assert sum(differ((a, 40), (b, 40)) for a, b in papers) / 200 < 0.25


@given(st.integers(0, 10_000), st.integers(1, 18), st.dictionaries(st.sampled_from(["o0", "o1", "o2"]),
                                                                   st.floats(0.05, 1), min_size=1))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_a_paper_of_choice_questions_keeps_the_weights_and_holds_nothing_else(seed, count, weights):
    plan, mixed = blueprint(**weights), bank(40)
    for n, (name, one) in enumerate(mixed.questions.items()):
        kind = ("single", "multiple", "numeric", "order")[n % 4]
        mixed.questions[name] = one.model_copy(update={"kind": kind})
    whole = pool_of(plan, mixed)
    pool = whole.of_kinds(CHOICE, mixed)
    assert pool.kinds == CHOICE
    assert {*pool.ids} == {name for name in whole.ids if mixed.questions[name].kind in CHOICE}
    paper = assemble(plan, mixed, seed, count, pool=pool)
    assert {mixed.questions[item.question_id].kind for item in paper.items} <= CHOICE
    for objective, weight in plan.weights().items():
        assert abs(sum(item.objective == objective for item in paper.items) - weight * count) < 1
    assert pool.of_kinds(CHOICE, mixed) is pool
