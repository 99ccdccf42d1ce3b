"""Scheduling equals `fsrs` 6.3.2 given day-aligned instants; our rules on top hold."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from zoneinfo import ZoneInfo

import fsrs
import pytest

from quizapp.memory.day import StudyDays, fsrs_instant
from quizapp.memory.rating import Rating
from quizapp.memory.scheduler import Scheduler, SchedulerConfig, forget
from quizapp.memory.state import CardState

PLAIN = Scheduler(SchedulerConfig(fuzz=False))
UTC_DAYS = StudyDays(ZoneInfo("UTC"), 0)
AGAIN, HARD, GOOD, EASY = Rating


def at(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def review(scheduler: Scheduler, state: CardState, rating: Rating, moment: datetime, card: str = "q") -> CardState:
    return scheduler.review(state, rating, at(moment), UTC_DAYS.day_of(moment), card)


def due(state: CardState) -> datetime:
    if state.due_at is not None:
        return datetime.fromtimestamp(state.due_at / 1000, UTC)
    assert state.due_day is not None
    return UTC_DAYS.start(state.due_day)


def test_the_version_our_vectors_are_of() -> None:
    assert version("fsrs") == "6.3.2"
    assert SchedulerConfig().version == "fsrs 6.3.2"


def test_published_intervals() -> None:
    """py-fsrs, tests/test_basic.py: Good x6, Again x2, Good x5, each at its due date."""
    state, moment, intervals = CardState(), datetime(2022, 11, 29, 12, 30, tzinfo=UTC), []
    for rating in [GOOD] * 6 + [AGAIN] * 2 + [GOOD] * 5:
        state = review(PLAIN, state, rating, moment)
        intervals.append(state.interval)
        moment = due(state)
    assert intervals == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21]


def test_published_memory_state() -> None:
    """py-fsrs, tests/test_basic.py: Again, Good x5 after 0, 0, 1, 3, 8, 21 days."""
    state, moment = CardState(), datetime(2022, 11, 29, 12, 30, tzinfo=UTC)
    for rating, days in zip([AGAIN] + [GOOD] * 5, [0, 0, 1, 3, 8, 21], strict=True):
        moment += timedelta(days=days)
        state = review(PLAIN, state, rating, moment)
    assert state.stability == pytest.approx(53.62691, abs=1e-4)
    assert state.difficulty == pytest.approx(6.3574867, abs=1e-4)


def test_same_day_hard_does_not_lower_stability() -> None:
    """py-fsrs #155, new in 6.3.2: 6.3.1 gave 5.2491."""
    day = UTC_DAYS.day_of(datetime(2026, 6, 10, tzinfo=UTC))
    state = CardState(
        state="review", stability=10.0, difficulty=5.0, due_day=day + 9, last_day=day, last_at=0, interval=9
    )
    assert PLAIN.review(state, HARD, 1, day).stability == 10.0


def test_ten_thousand_random_steps_equal_fsrs() -> None:
    """Our state goes through its JSON at each step; `fsrs` keeps its own card."""
    rng = random.Random(20261129)
    theirs = fsrs.Scheduler(enable_fuzzing=False)
    steps = 0
    while steps < 10_000:
        ours, card, day = CardState(), fsrs.Card(card_id=1), 739_000 + rng.randrange(2_000)
        for _ in range(rng.randrange(1, 40)):
            rating = rng.choice(list(Rating))
            card, _ = theirs.review_card(card, fsrs.Rating(int(rating)), fsrs_instant(day))
            now = day * 86_400_000 + rng.randrange(86_400_000)
            ours = CardState.from_json(PLAIN.review(ours, rating, now, day, "q").to_json())
            assert (ours.stability, ours.difficulty, ours.step) == (card.stability, card.difficulty, card.step)
            assert ours.state == card.state.name.lower()
            waits = card.due - fsrs_instant(day)
            if card.state is fsrs.State.Review:
                assert (ours.due_day, ours.interval, ours.due_at) == (day + waits.days, waits.days, None)
            else:
                assert (ours.due_at, ours.due_day) == (ours.last_at + waits.total_seconds() * 1000, None)
            day += rng.choice([0, 0, 0, 1, 1, 2, max(1, ours.interval), rng.randrange(400)])
            steps += 1


def test_next_day_within_24_hours_is_the_next_day() -> None:
    """srs-benchmark #149, ts-fsrs #144: 23:50, then 20:00 the next day, is one day and not the same day."""
    late = datetime(2026, 6, 9, 23, 50, tzinfo=UTC)
    state = review(PLAIN, CardState(), EASY, late)
    assert state.stability == pytest.approx(8.2956)
    next_day = review(PLAIN, state, GOOD, late + timedelta(hours=20, minutes=10))
    assert next_day.stability == pytest.approx(13.49, abs=0.01)
    same_day = review(PLAIN, review(PLAIN, CardState(), EASY, late - timedelta(hours=20)), GOOD, late)
    assert same_day.stability == pytest.approx(8.2956)


def test_a_card_leaves_learning_for_a_whole_day_at_least() -> None:
    """shaankhosla/repeater #99, py-fsrs #63: new cards take their steps, then at least one day."""
    moment = datetime(2026, 6, 10, 23, 58, tzinfo=UTC)
    first = review(PLAIN, CardState(), HARD, moment)
    assert first.state == "learning"
    assert due(first) - moment == timedelta(minutes=5, seconds=30)
    for rating in (AGAIN, HARD, GOOD):
        assert review(PLAIN, CardState(), rating, moment).state == "learning"
    done = review(PLAIN, review(PLAIN, CardState(), GOOD, moment), GOOD, moment)
    assert done.state == "review"
    assert done.due_day >= UTC_DAYS.day_of(moment) + 1


def test_easy_is_never_sooner_than_hard() -> None:
    """fsrs4anki #343: every learning step is shorter than a day, so order holds in learning too."""
    rng = random.Random(7)
    scheduler = Scheduler()
    for number in range(400):
        state, day = CardState(), 739_000
        for _ in range(rng.randrange(8)):
            state = scheduler.review(state, rng.choice(list(Rating)), day * 86_400_000, day, f"q{number}")
            day += rng.randrange(0, 30)
        waits = []
        for rating in (HARD, GOOD, EASY):
            after = scheduler.review(state, rating, day * 86_400_000, day, f"q{number}")
            waits.append(after.interval if after.due_day else (after.due_at - after.last_at) / 86_400_000)
        assert waits[0] < waits[1] < waits[2]


def test_a_clock_that_went_back_is_held_at_the_last_review() -> None:
    """Anki-Android #2351, #8111; py-fsrs accepts it and moves the due date back five days."""
    moment = datetime(2026, 1, 10, 12, tzinfo=UTC)
    state = review(PLAIN, CardState(), EASY, moment)
    earlier = review(PLAIN, state, GOOD, moment - timedelta(days=5))
    same = review(PLAIN, state, GOOD, moment)
    assert earlier == same
    assert earlier.last_at == at(moment)
    assert earlier.due_day > UTC_DAYS.day_of(moment)


def test_a_zone_that_moved_back_counts_no_negative_days() -> None:
    state = CardState(state="review", stability=10.0, difficulty=5.0, due_day=110, last_day=100, last_at=5, interval=10)
    assert PLAIN.review(state, GOOD, 10, 99).last_day == 100
    assert PLAIN.review(state, GOOD, 10, 99) == PLAIN.review(state, GOOD, 10, 100)


def test_lapses_make_leeches_whatever_the_hour() -> None:
    """Anki-Android #2734: a card failed minutes before rollover is no leech; eight lapses are."""
    scheduler = Scheduler(SchedulerConfig(fuzz=False, leech_threshold=4))
    state = CardState(state="review", stability=5.0, difficulty=5.0, due_day=105, last_day=100, last_at=1, interval=5)
    reminded, day = [], 105
    for _ in range(10):
        lapsed = scheduler.review(state, AGAIN, day * 86_400_000, day)
        assert lapsed.state == "relearning"
        if scheduler.is_leech_now(state, lapsed):
            reminded.append(lapsed.lapses)
        again = scheduler.review(lapsed, AGAIN, day * 86_400_000, day)
        assert again.lapses == lapsed.lapses  # failing the same step again is one lapse
        assert not scheduler.is_leech_now(lapsed, again)
        state = scheduler.review(again, GOOD, day * 86_400_000 + 600_000, day)
        assert state.leech == (state.lapses >= 4)
        day = state.due_day
    assert reminded == [4, 6, 8, 10]


def test_the_same_review_twice_gives_the_same_state() -> None:
    scheduler = Scheduler()
    state = CardState(state="review", stability=90.0, difficulty=5.0, due_day=800, last_day=700, last_at=1, interval=90)
    results = {scheduler.review(state, GOOD, 5, 800, "q").due_day for _ in range(5)}
    assert len(results) == 1
    spread = {scheduler.review(state, GOOD, 5, 800, f"q{n}").due_day for n in range(200)}
    assert len(spread) > 10


def test_retention_asked_for_moves_intervals() -> None:
    state = CardState(state="review", stability=50.0, difficulty=5.0, due_day=750, last_day=700, last_at=1, interval=50)
    lengths = [
        Scheduler(SchedulerConfig(fuzz=False, desired_retention=r)).review(state, GOOD, 5, 750).interval
        for r in (0.7, 0.8, 0.9, 0.99)
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == 4


def test_retrievability_at_the_interval_is_the_retention_asked_for() -> None:
    state = CardState(state="review", stability=50.0, difficulty=5.0, due_day=750, last_day=700, last_at=1, interval=50)
    assert PLAIN.retrievability(state, 750) == pytest.approx(0.9)
    assert PLAIN.retrievability(state, 700) == 1.0
    assert PLAIN.retrievability(state, 690) == 1.0
    assert PLAIN.retrievability(CardState(), 700) is None


def test_beginning_again_keeps_the_history() -> None:
    state = replace(CardState(), state="review", stability=5.0, difficulty=5.0, due_day=5, last_day=1, reps=7, lapses=2)
    again = forget(state)
    assert (again.state, again.stability, again.reps, again.lapses) == ("new", None, 7, 2)


def test_a_config_survives_its_json_form() -> None:
    import json

    config = SchedulerConfig(desired_retention=0.85, leech_threshold=5)
    assert SchedulerConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_memory_states_equal_those_of_fsrs_rs() -> None:
    """The optimiser's engine (Rust, single precision), which takes whole days: no drift over twelve reviews."""
    import fsrs_rs_python

    engine = fsrs_rs_python.FSRS(parameters=list(SchedulerConfig().parameters))
    rng, steps, different = random.Random(3), 0, 0
    for _ in range(400):
        state, day, memory, gap = CardState(), 739_000, None, 0
        for _ in range(12):
            rating = rng.choice(list(Rating))
            state = PLAIN.review(state, rating, day * 86_400_000, day)
            theirs = getattr(engine.next_states(memory, 0.9, gap), rating.word)
            memory = theirs.memory
            assert state.stability == pytest.approx(memory.stability, rel=1e-4)
            assert state.difficulty == pytest.approx(memory.difficulty, abs=1e-4)
            if state.state == "review":
                steps += 1
                different += state.interval != max(1, round(theirs.interval))
            gap = rng.choice([0, 1, rng.randrange(1, 200)])
            day += gap
    assert steps > 1_500
    assert different <= 2
