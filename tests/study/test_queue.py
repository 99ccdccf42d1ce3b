"""Which card comes next and how many are left: limits, burying, learn-ahead, days; counts equal the session."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quizapp.clock import FixedClock
from quizapp.study import Filter, replay
from study.helpers import START, ahead, bank_of, numeric, open_study, rows, single, small_bank


def drain(study, response="right", confidence="sure", filter=Filter()) -> list[str]:
    """Answers until nothing is left; the ids in order."""
    asked = []
    while (card := study.next_card(filter)) is not None:
        study.answer(card, response if card.question.kind == "single" else "4 GB", confidence)
        asked.append(card.question.id)
        assert len(asked) < 500
    return asked


def test_easy_questions_come_first_and_topics_are_mixed(tmp_path) -> None:
    questions = [single(f"q{n:02}", difficulty=1 + n % 3, tags=[f"t{n // 10}"]) for n in range(30)]
    with open_study(tmp_path, bank_of(questions), new_per_day=30) as study:
        asked = drain(study)
        difficulties = [study.bank.questions[one].difficulty for one in asked]
        assert difficulties == sorted(difficulties)
        topics = [study.bank.topic[one] for one in asked[:10]]
        assert len(set(topics)) == 3
        assert topics != sorted(topics)


def test_daily_limits_hold_and_begin_anew_at_rollover(tmp_path) -> None:
    with open_study(tmp_path, small_bank(20), new_per_day=3, reviews_per_day=2) as study:
        assert study.counts().new == 3
        assert study.counts().new_all == 20
        assert len(drain(study)) == 3
        home = study.home()
        assert (home.new, home.due) == (0, 0)
        assert home.next_due_at == datetime(2026, 6, 11, 4, tzinfo=UTC)
        assert home.headline == "All done. The next card comes tomorrow."
        study.clock.instant = datetime(2026, 6, 11, 3, 59, tzinfo=UTC)
        assert study.next_card() is None
        study.clock.instant = datetime(2026, 6, 11, 4, 0, tzinfo=UTC)
        assert len(drain(study)) == 3
        ahead(study, days=40)
        assert study.counts().due == 2
        assert study.counts().due_all == 6
        assert len([one for one in drain(study)]) == 5  # 2 reviews and 3 new ones


def test_a_failed_review_still_comes_back_when_the_limit_is_reached(tmp_path) -> None:
    with open_study(tmp_path, small_bank(2), new_per_day=2, reviews_per_day=1) as study:
        drain(study)
        ahead(study, days=40)
        card = study.next_card()
        study.answer(card, "wrong")
        assert study.counts().due == 0
        ahead(study, minutes=10)
        assert study.next_card().question.id == card.question.id


def test_limits_of_zero(tmp_path) -> None:
    with open_study(tmp_path, small_bank(2), new_per_day=0, reviews_per_day=0) as study:
        assert study.next_card() is None
        assert study.counts().remaining == 0


def test_siblings_wait_for_the_next_study_day(tmp_path) -> None:
    bank = bank_of([single("a1", family="a"), single("a2", family="a"), single("b", difficulty=2)])
    with open_study(tmp_path, bank) as study:
        assert study.counts().new == 3
        first = study.next_card()
        assert first.question.family == "a"
        study.answer(first, "wrong")
        assert study.counts().buried == 1
        assert study.next_card().question.id == "b"
        assert study.home().buried == 1
        study.undo()  # the bury goes with the answer
        assert study.counts().buried == 0
        study.answer(study.next_card(), "wrong")
        asked = drain(study)
        other = {"a1", "a2"} - {first.question.id}
        assert other.isdisjoint(asked)
        assert first.question.id in asked  # the card itself finishes its learning steps
        assert study.card_info(other.pop()).buried
        study.clock.instant = datetime(2026, 6, 11, 4, tzinfo=UTC)
        assert study.counts().buried == 0
        assert len(drain(study)) == 1


def test_a_due_sibling_is_buried_too(tmp_path) -> None:
    bank = bank_of([single("a1", family="a"), single("a2", family="a")])
    with open_study(tmp_path, bank) as study:
        drain(study)
        ahead(study, days=1)
        drain(study)
        ahead(study, days=60)
        assert study.counts().due == 2
        study.answer(study.next_card(), "right")
        assert (study.counts().due, study.counts().buried) == (0, 1)
        assert study.next_card() is None


def test_buried_and_suspended_by_hand(tmp_path) -> None:
    with open_study(tmp_path, small_bank(3)) as study:
        first = study.next_card().question.id
        study.bury(first)
        second = study.next_card().question.id
        assert second != first
        study.suspend(second, True)
        third = study.next_card().question.id
        assert len({first, second, third}) == 3
        counts = study.counts()
        assert (counts.new, counts.buried, counts.suspended) == (1, 1, 1)
        ahead(study, days=1)
        assert study.counts().new == 2
        study.suspend(second, False)
        assert study.counts().new == 3
        study.bury(first)
        study.bury(first, on=False)
        assert study.counts().new == 3
        assert replay.check(study.database).ok


def test_a_bury_ends_with_a_clock_that_went_back(tmp_path) -> None:
    """A bury holds on its own day only: a clock that was a year ahead does not hide the card for a year."""
    with open_study(tmp_path, small_bank(1)) as study:
        ahead(study, days=365)
        study.bury("q000")
        ahead(study, days=-365)
        assert study.counts().buried == 0
        assert study.next_card() is not None


def test_learn_ahead(tmp_path) -> None:
    with open_study(tmp_path, small_bank(2), learn_ahead_minutes=20) as study:
        first = study.next_card()
        study.answer(first, "wrong")  # due in 1 minute
        assert study.next_card().question.id != first.question.id  # others first
        study.answer(study.next_card(), "right", "sure")
        early = study.next_card()
        assert early.question.id == first.question.id
        assert early.due_at > study.clock.now()
        study.save_settings(learn_ahead_minutes=0)
        assert study.next_card() is None
        assert study.home().next_due_at == early.due_at
        ahead(study, minutes=1)
        assert study.next_card().question.id == first.question.id


def test_learning_comes_before_the_rest_once_it_is_due(tmp_path) -> None:
    with open_study(tmp_path, small_bank(5)) as study:
        first = study.next_card()
        study.answer(first, "wrong")
        study.answer(study.next_card(), "right", "sure")
        ahead(study, minutes=1)
        assert study.next_card().question.id == first.question.id


def test_counts_equal_the_session(tmp_path) -> None:
    """ankitects/anki #1633, Anki-Android #15962, #16421: the list said 45, the session had 1."""
    questions = [single(f"q{n:02}", family=f"f{n % 4}" if n < 8 else None) for n in range(16)]
    with open_study(tmp_path, bank_of([*questions, numeric("n1"), numeric("n2")]), new_per_day=9) as study:
        study.suspend("q09", True)
        study.bury("q10")
        for _day in range(6):
            remaining = study.counts().remaining
            card = study.next_card()
            assert card is None or _three(card.remaining) == _three(study.counts())
            families_first = {q.family for q in questions if q.family}
            asked = drain(study)
            assert len(set(asked)) == len(asked)
            # siblings that were counted fall away when the first of them is answered, and only they
            assert len(asked) <= remaining
            assert remaining - len(asked) <= 8 - len(families_first)
            assert study.counts().remaining == 0
            ahead(study, days=4)


def _three(counts) -> tuple[int, int, int]:
    return counts.due, counts.new, counts.learning


def test_each_answer_lowers_what_remains_by_one(tmp_path) -> None:
    with open_study(tmp_path, small_bank(12), new_per_day=7) as study:
        while (card := study.next_card()) is not None:
            study.answer(card, "right", "sure")
            assert study.counts().remaining == card.remaining.remaining - 1
            following = study.next_card()
            assert following is None or following.position == card.position + 1


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York"])
@pytest.mark.parametrize("start", ["2026-03-28 12:00", "2026-03-07 12:00", "2026-10-24 12:00", "2026-10-31 12:00"])
def test_tomorrow_is_tomorrow_across_daylight_saving(tmp_path, zone: str, start: str) -> None:
    """ankitects/anki #371, #416; Anki-Android #3770, #5912: due by local date, at the rollover hour of that day."""
    days = _zone(zone)
    noon = datetime.fromisoformat(start).replace(tzinfo=days)
    with open_study(tmp_path, small_bank(1), FixedClock(noon), zone=zone) as study:
        outcome = study.answer(study.next_card(), "right", "sure")
        local = outcome.due_at.astimezone(days)
        assert local.hour == 4
        assert local.date() == noon.date() + timedelta(days=outcome.interval_days)
        study.clock.instant = (local - timedelta(minutes=1)).astimezone(UTC)
        assert study.next_card() is None
        study.clock.instant = outcome.due_at
        assert study.next_card() is not None


def _zone(name: str):
    from quizapp.memory.day import zone_named

    return zone_named(name)


@pytest.mark.parametrize(("to", "day_shift"), [("Pacific/Kiritimati", 1), ("Etc/GMT+12", -1), ("Asia/Tokyo", 0)])
def test_moving_to_a_far_zone(tmp_path, to: str, day_shift: int) -> None:
    """A move of up to 14 hours either way: nothing counts twice, no elapsed day is negative, replay agrees."""
    noon = datetime(2026, 6, 10, 15 if day_shift >= 0 else 9, tzinfo=UTC)
    with open_study(tmp_path, small_bank(6), FixedClock(noon), new_per_day=2) as study:
        here = study.moment().today
        assert len(drain(study)) == 2
        study.save_settings(zone=to)
        assert study.moment().today == here + day_shift
        assert len(drain(study)) == (0 if day_shift == 0 else 2)
        for row in study.browse():
            info = study.card_info(row.id)
            assert info.retrievability is None or info.retrievability <= 1
        ahead(study, days=30)
        drain(study)
        assert replay.check(study.database).ok
        assert study.home().streak_days == 1


def test_a_missing_zone_falls_back_to_utc_and_says_so(tmp_path) -> None:
    with open_study(tmp_path, zone="Europe/Berlin"):
        pass
    _store_zone(tmp_path, '"Atlantis/Capital"')
    with open_study(tmp_path, zone=None) as study:
        assert any("Atlantis/Capital" in w and "UTC is used" in w for w in study.warnings)
        assert study.moment().days.zone.key == "UTC"
        assert study.next_card() is not None


def _store_zone(home, value: str) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(home / "quizapp.db")) as connection:
        connection.execute("UPDATE setting SET value = ? WHERE name = 'zone'", (value,))
        connection.commit()


def test_streak(tmp_path) -> None:
    with open_study(tmp_path, small_bank(30)) as study:

        def one() -> None:
            study.answer(study.next_card(), "right", "sure")

        assert study.home().streak_days == 0
        one()
        one()
        assert study.home().streak_days == 1
        ahead(study, days=1)
        assert study.home().streak_days == 1  # today may still come
        one()
        assert study.home().streak_days == 2
        ahead(study, days=2)
        assert study.home().streak_days == 0
        one()
        assert study.home().streak_days == 1


def test_true_retention_counts_reviews_after_a_day(tmp_path) -> None:
    with open_study(tmp_path, small_bank(4)) as study:
        drain(study)
        assert study.stats()["true_retention"] is None
        ahead(study, days=40)
        study.answer(study.next_card(), "wrong")
        for _ in range(3):
            study.answer(study.next_card(), "right")
        assert study.stats()["true_retention"] == 0.75


def test_leeches_are_listed_and_said(tmp_path) -> None:
    with open_study(tmp_path, small_bank(1), leech_threshold=2) as study:
        drain(study)
        said = []
        for _ in range(3):
            ahead(study, days=60)
            said.append(study.answer(study.next_card(), "wrong").leech)
            drain(study, confidence=None)
        assert said == [False, True, True]
        assert [(row.id, row.leech) for row in study.browse()] == [("q000", True)]
        assert study.card_info("q000").lapses == 3
        assert not study.card_info("q000").suspended


def test_headline_and_exam_date(tmp_path) -> None:
    with open_study(tmp_path, small_bank(3), exam_date=date(2026, 7, 1)) as study:
        home = study.home()
        assert home.exam_days == 21
        assert home.headline == "3 new: about 6 minutes."
        drain(study)
        assert study.home().reviews_today == 3
    with open_study(tmp_path / "empty", bank_of([])) as study:
        assert "no questions" in study.home().headline
        assert study.next_card() is None


def test_expired_facts_need_a_check(tmp_path) -> None:
    with open_study(tmp_path, bank_of([single("q", expires="2026-06-10")])) as study:
        assert not study.next_card().needs_check
        ahead(study, days=1)
        assert study.next_card().needs_check


OPERATIONS = st.lists(
    st.sampled_from(["right", "sure", "wrong", "blank", "undo", "override", "day", "hour", "back", "zone", "flag",
                     "suspend", "bury", "retention"]),
    min_size=1,
    max_size=40,
)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(OPERATIONS, st.data())
def test_counts_and_cards_always_equal_the_log(tmp_path_factory, operations, data) -> None:
    """Whatever is done in whatever order: rollups, states and marks equal the log recomputed from nothing."""
    home = tmp_path_factory.mktemp("any")
    bank = bank_of([single(f"q{n}", family="f" if n < 3 else None) for n in range(8)])
    with open_study(home, bank, FixedClock(START), reviews_per_day=5) as study:
        last = None
        for operation in operations:
            card = study.next_card()
            if operation in ("right", "sure", "wrong", "blank") and card is not None:
                response = {"blank": None, "wrong": "wrong"}.get(operation, "right")
                last = study.answer(card, response, "sure" if operation == "sure" else None, 1_000)
            elif operation == "undo":
                study.undo()
                last = None
            elif operation == "override" and last is not None:
                study.override(last.review_id, data.draw(st.sampled_from(["again", "hard", "good", "easy"])))
                last = None
            elif operation in ("day", "hour", "back"):
                ahead(study, days={"day": 3, "hour": 0, "back": -1}[operation], minutes=61)
            elif operation == "zone":
                study.save_settings(zone=data.draw(st.sampled_from(["UTC", "Pacific/Kiritimati", "Etc/GMT+12"])))
            elif operation == "retention":
                study.save_settings(desired_retention=data.draw(st.sampled_from([0.7, 0.9, 0.95])))
            elif operation == "flag":
                study.flag("q1", data.draw(st.booleans()), "why")
            elif operation == "suspend":
                study.suspend("q2", data.draw(st.booleans()))
            elif operation == "bury":
                study.bury("q3")
        report = replay.check(study.database)
        assert report.differences == []
        assert report.reviews == study.stats()["reviews"] >= study.stats()["reviews_today"] >= 0
        counts = study.counts()
        assert min(counts.due, counts.new, counts.learning, counts.buried, counts.suspended) >= 0
        stored = rows(home, "SELECT sum(reviews), sum(correct), sum(duration_ms) FROM daily")[0]
        direct = rows(home, "SELECT count(*), sum(correct), sum(duration_ms) FROM review WHERE rating IS NOT NULL "
                            "AND id NOT IN (SELECT review_id FROM undo)")[0]  # fmt: skip
        assert tuple(x or 0 for x in stored) == tuple(x or 0 for x in direct)
