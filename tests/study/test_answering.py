"""Answer, override, undo: what is stored, and that undo gives back every byte."""

import json
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quizapp.bank.response import Unclear
from quizapp.clock import FixedClock
from quizapp.store.errors import Conflict, StoreError
from quizapp.study import Filter, practice, replay
from study.helpers import START, ahead, bank_of, dump, numeric, open_study, rows, single, small_bank


def test_an_answer_is_stored_whole(tmp_path) -> None:
    with open_study(tmp_path) as study:
        card = study.next_card()
        assert (card.state, card.position, card.remaining.new, card.opened_version) == ("new", 1, 5, None)
        outcome = study.answer(card, "wrong", "sure", 2_500)
        assert (outcome.rating, outcome.rating_reason) == ("again", "wrong, though sure")
        assert (outcome.grade.correct, outcome.interval_days, outcome.next_due_text) == (False, 0, "in 1 minute")
        assert outcome.state_before.state == "new"
        assert outcome.state_after.state == "learning"
    (row,) = rows(tmp_path, "SELECT question_id, seed, duration_ms, response, score, correct, confidence, rating, "
                            "misconceptions, origin, before, reviewed_at FROM review")  # fmt: skip
    assert row[:10] == (card.question.id, card.seed, 2_500, '"wrong"', 0.0, 0, "sure", 1, '["mix-up"]', "study")
    assert row[10] == "{}"
    assert row[11] == START.timestamp() * 1000


def test_learning_then_review(tmp_path) -> None:
    with open_study(tmp_path, small_bank(1)) as study:
        outcome = study.answer(study.next_card(), "right", "unsure")
        assert (outcome.state_after.state, outcome.next_due_text) == ("learning", "in 10 minutes")
        ahead(study, minutes=10)
        outcome = study.answer(study.next_card(), "right")
        assert outcome.state_after.state == "review"
        assert outcome.due_at == (START + timedelta(days=outcome.interval_days)).replace(hour=4)
        assert study.next_card() is None
        assert study.home().next_due_at == outcome.due_at
        ahead(study, days=outcome.interval_days)
        assert study.next_card().state == "review"


def test_a_first_sure_answer_is_easy_and_can_be_overridden(tmp_path) -> None:
    with open_study(tmp_path) as study:
        card = study.next_card()
        outcome = study.answer(card, "right", "sure")
        assert outcome.rating == "easy"
        again = study.override(outcome.review_id, "again")
        assert (again.rating, again.rating_reason, again.state_after.state) == ("again", "chosen by you", "learning")
        assert again.state_before == outcome.state_before
        assert study.stats()["reviews"] == 1
        direct = replay.check(study.database)
        assert (direct.ok, direct.reviews) == (True, 1)
        with pytest.raises(Conflict, match="no longer the last one"):
            study.override(outcome.review_id, "good")
        with pytest.raises(StoreError, match="no answer number 99"):
            study.override(99, "good")
        with pytest.raises(ValueError, match="not one of again"):
            study.override(again.review_id, "super")
        study.undo()
        assert study.stats()["reviews"] == 0
        assert study.undo() is None


def test_an_override_equals_the_answer_rated_so_at_once(tmp_path) -> None:
    states = []
    for name, response in (("a", "right"), ("b", "wrong")):
        with open_study(tmp_path / name, small_bank(1)) as study:
            outcome = study.answer(study.next_card(), response)
            if name == "a":
                ahead(study, minutes=3)
                outcome = study.override(outcome.review_id, "again")
            (row,) = rows(
                tmp_path / name, "SELECT state, stability, difficulty, due_at, due_day, reps, lapses FROM card"
            )
            states.append(row)
    assert states[0] == states[1]


def test_undo_gives_back_every_byte_across_restarts(tmp_path) -> None:
    """A hundred and ten answers over days, each restart taking some back, until the first byte is there again."""
    bank = bank_of([single(f"q{n:02}", family="f" if n < 3 else None) for n in range(12)] + [numeric("calc")])
    clock, dumps = FixedClock(START), []
    with open_study(tmp_path, bank, clock, learn_ahead_minutes=0) as study:
        while len(dumps) < 110:
            card = study.next_card()
            if card is None:
                ahead(study, hours=5)
                continue
            dumps.append(dump(tmp_path))
            wrong = len(dumps) % 4 == 0
            response = "3 GB" if card.question.kind == "numeric" else "wrong" if wrong else "right"
            outcome = study.answer(card, response, [None, "guess", "sure"][len(dumps) % 3], 700)
            if len(dumps) % 10 == 0:
                study.override(outcome.review_id, "hard")
            ahead(study, minutes=7)
    while dumps:
        with open_study(tmp_path, bank, clock, zone=None) as study:
            for _ in range(min(25, len(dumps))):
                undone = study.undo()
                assert dump(tmp_path) == dumps.pop()
                assert undone.card.question.id == undone.question_id
                assert undone.card.opened_version is None or undone.card.opened_version < undone.review_id
    with open_study(tmp_path, bank, clock, zone=None) as study:
        assert study.undo() is None
        report = replay.check(study.database)
        assert (report.ok, report.reviews, report.differences) == (True, 0, [])


def test_undo_brings_back_the_very_variant(tmp_path) -> None:
    with open_study(tmp_path, bank_of([numeric("calc")])) as study:
        card = study.next_card()
        study.answer(card, "1 GB")
        undone = study.undo()
        assert (undone.card.seed, undone.card.variant) == (card.seed, card.variant)
        assert undone.response == "1 GB"
        assert study.next_card().seed == card.seed
        study.answer(card, "1 GB")
        assert study.next_card().seed != card.seed


def test_undo_takes_back_the_last_thing_done_and_keeps_edits(tmp_path) -> None:
    """Anki-Android #14482, #16119: bury, suspension and answer go one by one; flags and notes stay."""
    with open_study(tmp_path) as study:
        card = study.next_card()
        study.answer(card, "wrong")
        study.flag(card.question.id, True, "odd wording")
        study.note("q001", "remember this")
        study.suspend("q002", True)
        study.bury("q003")
        took = [(one.what, one.question_id) for one in (study.undo(), study.undo(), study.undo()) if one]
        assert took == [("bury", "q003"), ("suspend", "q002"), ("answer", card.question.id)]
        info = study.card_info(card.question.id)
        assert (info.state, info.flagged, info.flag_reason, info.reviews) == ("new", True, "odd wording", [])
        assert study.card_info("q001").note == "remember this"
        assert (study.card_info("q002").suspended, study.card_info("q003").buried) == (False, False)
        assert study.undo() is None


def test_another_window_takes_back_the_newest_answer_and_no_mark(tmp_path) -> None:
    """Marks are undone in their own window only: after a restart they are set right in Browse."""
    with open_study(tmp_path) as study:
        answered = study.answer(study.next_card(), "wrong")
        study.suspend("q002", True)
        study.bury("q003")
    with open_study(tmp_path, zone=None) as study:
        undone = study.undo()
        assert (undone.what, undone.review_id, undone.at) == ("answer", answered.review_id, START)
        assert (study.card_info("q002").suspended, study.card_info("q003").buried) == (True, True)


def test_undo_takes_back_what_this_window_did(tmp_path) -> None:
    """An answer given in another window meanwhile stays; one whose card moved on there is not lost either."""
    with open_study(tmp_path, small_bank(2)) as here, open_study(tmp_path, small_bank(2), zone=None) as there:
        mine = here.answer(here.next_card(), "right", "sure")
        other = there.answer(there.next_card(), "wrong")
        assert here.undo().review_id == mine.review_id
        assert here.stats()["reviews"] == 1
        again = here.answer(here.next_card(exclude=[other.question_id]), "wrong")
        ahead(here, minutes=2)
        ahead(there, minutes=2)
        there.answer(there.next_card(exclude=[other.question_id]), "right")
        with pytest.raises(Conflict, match="was answered again since"):
            here.undo()
        assert here.stats()["reviews"] == 3
        assert replay.check(here.database).ok
        there.undo()
        assert again.question_id != other.question_id


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["right", "sure", "wrong", "rated", "suspend", "lift", "bury", "unbury", "practise"]),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_as_many_undos_as_steps_give_back_every_byte(tmp_path_factory, steps) -> None:
    """Answers (also rated anew), suspensions and buries in any order: an undo gives back what was before its step."""
    home = tmp_path_factory.mktemp("undo")
    with open_study(home, small_bank(5), FixedClock(START)) as study:
        study.answer(study.next_card(), "right", "sure")  # an older answer, which outlives them all
        dumps = []
        for what, number in steps:
            before, name = dump(home), f"q00{number}"
            if what in ("suspend", "lift"):
                study.suspend(name, what == "suspend")
            elif what in ("bury", "unbury"):
                study.bury(name, what == "bury")
            elif what == "practise":
                practice.answer(study, practice.card(study, name), "right")
            elif (card := study.next_card()) is not None:
                given = study.answer(card, "wrong" if what == "wrong" else "right", "sure" if what == "sure" else None)
                if what == "rated":  # a part of its answer
                    study.override(given.review_id, "hard")
            if dump(home) != before:
                dumps.append(before)
            ahead(study, minutes=11)
        while dumps:
            assert study.undo() is not None
            assert dump(home) == dumps.pop()
        assert study.stats()["reviews"] == 1
        assert replay.check(study.database).ok


def test_counts_never_go_negative_after_undo(tmp_path) -> None:
    """Anki-Android #6587."""
    with open_study(tmp_path) as study:
        for _ in range(3):
            study.answer(study.next_card(), "wrong")
        for _ in range(5):
            study.undo()
        stats = study.stats()
        assert (stats["reviews"], stats["reviews_today"], stats["new"], stats["learning"]) == (0, 0, 5, 0)
        assert rows(tmp_path, "SELECT count(*) FROM daily") == [(0,)]


def test_a_card_answered_elsewhere_is_refused(tmp_path) -> None:
    with open_study(tmp_path) as here, open_study(tmp_path, zone=None) as there:
        card = here.next_card()
        there.answer(there.next_card(), "right")
        with pytest.raises(Conflict, match="answered in another window"):
            here.answer(card, "right")
        assert here.stats()["reviews"] == 1
        with pytest.raises(Conflict):
            there.answer(card, "right")  # a second key press
        there.undo()
        here.answer(card, "right")  # the card is as it was opened
        assert here.stats()["reviews"] == 1


def test_undo_and_another_answer_elsewhere_is_seen(tmp_path) -> None:
    """The version is the review's id, so undo and answer again does not look like nothing happened."""
    with open_study(tmp_path, small_bank(1)) as here, open_study(tmp_path, small_bank(1), zone=None) as there:
        there.answer(there.next_card(), "wrong")
        ahead(here, minutes=2)
        card = here.next_card()
        there.undo()
        there.answer(there.next_card(), "right")
        with pytest.raises(Conflict):
            here.answer(card, "right")


def test_an_unclear_answer_stores_nothing(tmp_path) -> None:
    with open_study(tmp_path, bank_of([numeric("calc")])) as study:
        card = study.next_card()
        with pytest.raises(Unclear):
            study.answer(card, "3,145")
        with pytest.raises(ValueError, match="confidence"):
            study.answer(card, "4 GB", "certain")
        assert study.stats()["reviews"] == 0
        assert study.answer(card, "4 GB").grade.correct


def test_blank_is_not_wrong_but_again(tmp_path) -> None:
    with open_study(tmp_path) as study:
        outcome = study.answer(study.next_card(), None)
        assert (outcome.grade.blank, outcome.rating, outcome.rating_reason) == (True, "again", "no answer was given")
    assert rows(tmp_path, "SELECT response, blank FROM review") == [("null", 1)]


@pytest.mark.parametrize(("given", "stored"), [(-5, 0), (1_234, 1_234), (10**9, 600_000)])
def test_time_is_held_between_nothing_and_ten_minutes(tmp_path, given: int, stored: int) -> None:
    """Anki-Android #2351, #4516, #8111: no negative study time."""
    with open_study(tmp_path) as study:
        study.answer(study.next_card(), "right", duration_ms=given)
        assert study.home().minutes_today == round(stored / 60_000, 1)
    assert rows(tmp_path, "SELECT duration_ms FROM review") == [(stored,)]


def test_a_clock_that_went_back(tmp_path) -> None:
    clock = FixedClock(START)
    with open_study(tmp_path, small_bank(2), clock) as study:
        study.answer(study.next_card(), "right", "sure")
        ahead(study, minutes=1)
        outcome = study.answer(study.next_card(), "wrong")
    clock.instant = START - timedelta(days=30)
    with open_study(tmp_path, small_bank(2), clock, zone=None) as study:
        assert any("before the last answer" in warning for warning in study.warnings)
        assert study.next_card() is None
        card = study.undo().card
        again = study.answer(card, "wrong")
        assert again.state_after.due_at < outcome.state_after.due_at
        held = study.answer(_later_card(study), "right")
        assert held.state_after.last_at >= again.state_after.last_at
        assert replay.check(study.database).ok


def _later_card(study):
    ahead(study, minutes=2)
    card = study.next_card()
    ahead(study, days=-3)
    return card


def test_now_is_read_afresh(tmp_path) -> None:
    """ankitects/anki #4089: "now" frozen at opening."""
    with open_study(tmp_path) as study:
        first = study.answer(study.next_card(), "wrong")
        ahead(study, hours=3)
        second = study.answer(study.next_card(), "wrong")
        assert second.state_after.last_at - first.state_after.last_at == 3 * 3_600_000


def test_a_changed_key_asks_and_keeps_progress(tmp_path) -> None:
    """hashcards #87: an edit keeps the progress; a changed key shows until it is settled or answered."""
    with open_study(tmp_path, bank_of([single("q")])) as study:
        study.answer(study.next_card(), "right", "sure")
        before = dump(tmp_path, ["card"])
    reworded = single("q", ask="Reworded?")
    with open_study(tmp_path, bank_of([reworded]), zone=None) as study:
        assert not study.card_info("q").key_changed
        assert dump(tmp_path, ["card"]) == before
    options = [o.model_dump() for o in single("q").options]
    options[0].update(correct=False, misconception="mix-up")
    options[1].update(correct=True, misconception=None)
    rekeyed = bank_of([single("q", options=options)])
    with open_study(tmp_path, rekeyed, zone=None) as study:
        assert study.card_info("q").key_changed
        assert dump(tmp_path, ["card"]) == before
        study.settle_key("q", keep=True)
        info = study.card_info("q")
        assert (info.key_changed, info.state, info.reps) == (False, "review", 1)
        study.undo()
        assert study.card_info("q").key_changed
        assert dump(tmp_path, ["card"]) == before
        study.settle_key("q", keep=False)
        info = study.card_info("q")
        assert (info.key_changed, info.state, info.reps) == (False, "new", 1)
        assert study.stats()["reviews"] == 1
        assert replay.check(study.database).ok
        study.undo()
        ahead(study, days=30)
        card = study.next_card()
        assert card.key_changed
        study.answer(card, "wrong")
        assert not study.card_info("q").key_changed
        assert replay.check(study.database).ok


def test_a_question_that_vanished_keeps_its_progress(tmp_path) -> None:
    with open_study(tmp_path, small_bank(3)) as study:
        study.answer(study.next_card(), "right", "sure")
        answered = rows(tmp_path, "SELECT question_id FROM review")[0][0]
        study.note(answered, "mine")
        before = dump(tmp_path, ["card"])
    rest = bank_of([single(f"q{n:03}") for n in range(3) if f"q{n:03}" != answered])
    with open_study(tmp_path, rest, zone=None) as study:
        assert study.card_info(answered).orphan
        assert study.stats()["cards"] == 2
        assert study.stats()["orphans"] == 1
        assert answered not in [row.id for row in study.browse()]
        ahead(study, days=60)
        assert study.counts().due == 0
        assert study.undo().card is None  # undo works without its question
        assert study.stats()["reviews"] == 0
        assert replay.check(study.database).ok
    with open_study(tmp_path, small_bank(3), zone=None) as study:
        assert not study.card_info(answered).orphan
        assert study.card_info(answered).note == "mine"
    assert before != dump(tmp_path, ["card"])


def test_responses_of_every_shape_come_back(tmp_path) -> None:
    for response in ("right", None, ["a", "b"], {"a": "b"}, "δ \x1b[31m \u202e"):
        assert json.loads(json.dumps(response, sort_keys=True)) == response
    with open_study(tmp_path, bank_of([numeric("calc")])) as study:
        study.answer(study.next_card(), "4 GB")
        assert study.undo().response == "4 GB"


def test_filter_for_one_topic(tmp_path) -> None:
    bank = bank_of([single("a", tags=["x"]), single("b", tags=["y"]), numeric("c", tags=["y"])])
    with open_study(tmp_path, bank) as study:
        assert study.next_card(Filter(topics=("y",), kinds=("single",))).question.id == "b"
        assert study.next_card(Filter(topics=("z",))) is None
        assert study.counts(Filter(topics=("y",))).new == 2
        assert study.next_card(Filter(objectives=("o2",))).question.id == "c"
        assert study.next_card(Filter(text="half GB")).question.id == "c"
        assert study.next_card(Filter(flagged=True)) is None
        study.flag("a", True)
        assert study.next_card(Filter(flagged=True)).question.id == "a"
        assert study.next_card(Filter(flagged=True), exclude=["a"]) is None
        assert {study.next_card(exclude=["a", "b"]).question.id} == {"c"}


def test_two_windows_with_different_banks(tmp_path) -> None:
    """Each window sees its own questions, whatever the other one opened last."""
    more = bank_of([single("q000"), single("extra")])
    with open_study(tmp_path, small_bank(2)) as here, open_study(tmp_path, more, zone=None) as there:
        assert here.counts().total == 2
        assert there.counts().total == 2
        assert {row.id for row in there.browse()} == {"q000", "extra"}
        card = here.next_card()
        assert card.question.id in here.bank.questions
        assert there.next_card().question.id in there.bank.questions
        assert here.answer(card, "right").grade.correct
        here.home()
        assert here.card_info("extra").orphan


def test_notes_lose_what_a_terminal_would_obey(tmp_path) -> None:
    with open_study(tmp_path) as study:
        study.note("q000", "see \x1b[31mthis\x1b[0m \ud800")
        study.flag("q000", True, "bad \u202ekey")
        info = study.card_info("q000")
        assert (info.note, info.flag_reason) == ("see this ", "bad key")
        with pytest.raises(StoreError, match="10,000 characters"):
            study.note("q000", "x" * 10_001)
        with pytest.raises(StoreError, match="no question 'gone'"):
            study.note("gone", "x")
