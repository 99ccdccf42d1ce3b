"""The live view agrees with the engine: what is drawn is folded from events a second time, and must count the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from labs.engine import EngineConfig, Request, RunResult, run
from quizapp.tui import lab_panels
from quizapp.tui.lab_panels import Look
from quizapp.tui.lab_player import LIVE, Player
from quizapp.tui.lab_recording import IDLE, PADDING, PREFILL, SECOND, USEFUL, Recording
from quizapp.tui.widgets.flow import _lay_block

PANELS = ("slots", "queue", "budget", "counters", "kv", "latency")


def recorded(config: EngineConfig, requests: list[Request]) -> tuple[Recording, RunResult]:
    result = run(config, requests, keep_events=True)
    recording = Recording(config.rows, config.scheme == "static")
    assert result.events is not None
    for event in result.events:
        recording.add(event.to_json())
    return recording, result


requests_of = st.lists(
    st.tuples(st.integers(1, 60), st.integers(1, 40), st.integers(0, 900), st.sampled_from(["a", "b"])),
    min_size=1,
    max_size=14,
).map(
    lambda rows: [
        Request(f"r{n}", prompt, output_len=output, arrival_ns=at * 1_000_000, tenant=tenant)
        for n, (prompt, output, at, tenant) in enumerate(rows)
    ]
)
configs = st.one_of(
    st.builds(
        lambda slots, blocks, chunk: EngineConfig(slots=slots, kv_blocks=blocks, chunk=chunk),
        st.integers(1, 6),
        st.integers(7, 30),
        st.sampled_from([None, 8, 32]),
    ),
    st.builds(
        lambda scheme, slots: EngineConfig(scheme=scheme, slots=slots),
        st.sampled_from(["static", "dynamic"]),
        st.integers(1, 6),
    ),
)


@settings(max_examples=60, deadline=None)
@given(configs, requests_of)
def test_what_is_drawn_counts_what_the_engine_counted(config: EngineConfig, requests: list[Request]) -> None:
    recording, result = recorded(config, requests)
    counters = result.counters
    assert recording.steps == counters["steps"]
    cells = "".join("".join(row) for row in recording.rows)
    assert len(cells) == counters["slot_steps"]
    if recording.steps:
        last = recording.totals[-1]
        assert (last.useful, last.preemptions) == (counters["useful"], counters["preemptions"])
        assert last.padding == cells.count(PADDING)
        assert cells.count(PADDING) >= counters["padding_decode"] > -1
        assert counters["padding_decode"] or counters["padding_prompt"] or PADDING not in cells
    assert sum(life.tokens for life in recording.lives.values()) == counters["tokens"]
    for step in range(1, recording.steps + 1):
        assert len(recording.owners(step)) == recording.allocated[step - 1]
        computing = [row[step - 1] for row in recording.rows]
        assert sum(cell in (USEFUL, PREFILL, SECOND) for cell in computing) <= recording.running[step - 1]


@settings(max_examples=25, deadline=None)
@given(configs, requests_of, st.integers(20, 120), st.booleans(), st.floats(0, 1))
def test_every_panel_fits_its_width_at_every_step(
    config: EngineConfig, requests: list[Request], width: int, close: bool, where: float
) -> None:
    recording, result = recorded(config, requests)
    look = Look(
        round(where * recording.steps), width, close, PANELS, {"kv_blocks": result.config.kv_blocks, "block_size": 16}
    )
    for block in lab_panels.live(recording, look):
        for row in _lay_block(block, width):
            assert row.cell_length <= width


def test_kinds_of_cells_differ_without_colour() -> None:
    assert len({USEFUL, PREFILL, PADDING, IDLE, SECOND, *(mark for mark, _ in lab_panels.LEGEND)}) == 6


def test_names_of_requests_are_foreign_text() -> None:
    recording = Recording(2)
    for n, name in enumerate(("[/b", "\x1b[31mred")):
        before = [["arrive", name, 0, 4, "[x"], ["admit", name, n], ["alloc", name, [n + 1]]]
        recording.add(
            {
                "start_ns": 0,
                "duration_ns": 20,
                "before": before,
                "chunks": [[name, 0, 4]],
                "tokens": [[name, 1]],
                "allocated": n + 1,
            }
        )
    drawn = "\n".join(b.first.plain + b.body.plain for b in lab_panels.live(recording, Look(2, 80, False, PANELS)))
    assert "[/b" in drawn
    assert "\x1b" not in drawn


def test_the_player_catches_up_pauses_and_begins_again_at_the_end() -> None:
    player = Player()
    ticks = 0
    while player.tick(1000):
        ticks += 1
    assert player.at == 1000
    assert 5 < ticks < 60
    player.toggle(1000, done=True)
    assert (player.at, player.playing, player.speed) == (0, True, LIVE - 1)
    player.faster(-9)
    player.tick(1000)
    assert player.at == 1
    player.move(-5, 1000)
    assert (player.at, player.playing) == (1, False)
    player.move(10_000, 1000)
    assert player.at == 1000
    assert not player.tick(2000)


def test_space_pauses_a_run_that_is_still_computed_even_at_its_newest_step() -> None:
    player = Player(at=33)
    player.toggle(33, done=False)
    assert (player.at, player.playing, player.tick(40)) == (33, False, False)
    player.toggle(40, done=False)
    assert (player.playing, player.speed, player.tick(40)) == (True, LIVE, True)


def test_a_finished_run_is_never_replayed_at_the_speed_of_live() -> None:
    player = Player(at=1, playing=False)
    player.toggle(1000, done=True)
    assert (player.at, player.playing, player.speed) == (1, True, LIVE - 1)
