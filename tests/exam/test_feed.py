"""The rule by which exam and practice answers reach the memory: it can never damage an interval."""

from hypothesis import given
from hypothesis import strategies as st

from quizapp.exam import feed
from quizapp.memory.rating import Rating, rate
from quizapp.memory.scheduler import Scheduler, SchedulerConfig
from quizapp.memory.state import CardState

TODAY = 739_000
SCHEDULER = Scheduler(SchedulerConfig(fuzz=False))


@st.composite
def states(draw: st.DrawFn) -> CardState:
    """States that real reviews lead to."""
    state, day = CardState(), TODAY - 400
    for rating in draw(st.lists(st.sampled_from(list(Rating)), max_size=8)):
        state = SCHEDULER.review(state, rating, day * 86_400_000, day, "card")
        day = min(TODAY, day + draw(st.integers(0, 60)))
    return state


def exam(before: CardState, answered: bool, correct: bool, seconds: float) -> CardState:
    what = feed.of_exam(before, TODAY, answered, seconds)
    if what == "nothing":
        return before
    if what == "log":
        return feed.logged(before, TODAY, correct)
    return SCHEDULER.review(before, rate(float(correct), correct, False, None, False)[0], TODAY * 86_400_000, TODAY)


def next_day(state: CardState) -> float:
    return float("inf") if state.due_day is None else state.due_day


@given(states(), st.booleans(), st.booleans(), st.floats(0, 600))
def test_an_exam_never_lengthens_beyond_fsrs_and_an_unanswered_item_changes_nothing(before, answered, correct, seconds):
    after = exam(before, answered, correct, seconds)
    good = SCHEDULER.review(before, Rating.GOOD, TODAY * 86_400_000, TODAY)
    if not answered:
        assert after == before
    elif after.reps == before.reps:  # logged only
        assert (after.stability, after.difficulty, after.lapses, after.state) == (
            before.stability, before.difficulty, before.lapses, before.state,
        )  # fmt: skip
        assert next_day(after) <= next_day(before)
        assert correct <= (after == before)
    else:
        assert before.state == "review"
        assert before.due_day <= TODAY
        assert seconds >= feed.RUSHED_S
        assert after.due_day is None or after.due_day <= good.due_day
        assert after.stability <= good.stability


@given(states())
def test_a_new_card_stays_new_in_an_exam_and_may_be_met_in_practice(before):
    if before.state == "new":
        assert feed.of_exam(before, TODAY, True, 60) == "log"
        assert feed.of_practice(before, TODAY, 0) == "review"
        assert feed.logged(before, TODAY, False) == before


@given(states(), st.booleans())
def test_practice_ahead_of_the_day_only_logs(before, correct):
    what = feed.of_practice(before, TODAY, TODAY * 86_400_000)
    ahead = (before.due_day or 0) > TODAY or (before.due_at or 0) > TODAY * 86_400_000
    assert (what == "log") == ahead
    if ahead:
        after = feed.logged(before, TODAY, correct)
        assert after.stability == before.stability
        assert after.interval == before.interval
        if before.state == "review":
            assert after.due_day == (before.due_day if correct else TODAY)


def test_a_wrong_answer_brings_a_resting_card_forward_to_today():
    resting = CardState("review", None, 30.0, 5.0, None, TODAY + 20, 1, TODAY - 10, 30, 4)
    assert exam(resting, True, False, 60).due_day == TODAY
    assert exam(resting, True, True, 60) == resting
    due = CardState("review", None, 30.0, 5.0, None, TODAY, 1, TODAY - 30, 30, 4)
    assert exam(due, True, False, 60).lapses == 1
    assert exam(due, True, False, 4.9) == due
