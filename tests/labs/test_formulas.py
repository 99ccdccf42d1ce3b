"""Formulas against the audited figures of the lessons and against brute force."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs import formulas as f

LESSON = [20, 25, 30, 40, 50, 60, 400, 600]

FIGURES = [
    (f.static_steps(LESSON, 8), 600),
    (f.static_slot_steps(LESSON, 8), 4800),
    (round(f.slot_waste(LESSON, 8), 4), 0.7448),
    (f.sequential_ms(LESSON, 20, 60), 24_980),
    (f.static_ms(LESSON, 8, 20, 60), 12_060),
    (f.fcfs_steps(LESSON * 2, 8), 660),
    (f.sjf_steps(LESSON * 2, 8), 640),
    (f.lpt_steps(LESSON * 2, 8), 600),
    (f.repeated_fcfs_steps(LESSON, 43, 8), 6905),
    (round(f.repeated_gain(LESSON, 2, 8), 2), 1.82),
    (round(f.backlog_gain_limit(LESSON), 3), 3.918),
    (f.makespan_bound(LESSON * 2, 8), 600),
    (f.kv_bytes_per_token(32, 32, 128), 524_288),
    (f.kv_bytes_per_token(32, 8, 128), 131_072),
    (f.mla_bytes_per_token(61, 512, 64), 70_272),
    (f.kv_cache_bytes(8, 2000, 32, 32, 128), 8_388_608_000),
    (round(f.speculative_tokens(0.8, 4), 4), 3.3616),
    (round(f.mean_resident(41_408, 857.5, 652.5), 1), 35.0),
    (f.resident_by_blocks(1100, 16, 2000), 8),
    (f.shared_prefix_blocks(100, 60, 4, 16), 6 + 4 * 4),
    (f.chunked_ttft_ms(4000, 512, 0.3, 20), 1360),
    (round(f.mm1_percentile(1, 0.9, 99), 2), 46.05),
    (f.sequences_in_budget(72, 16, 8, 4096, 128), 96),
    (f.kv_bytes_per_token_per_gpu(80, 8, 128, 4), 81_920),
    (f.kv_bytes_per_token_per_gpu(80, 8, 128, 16), f.kv_bytes_per_token_per_gpu(80, 8, 128, 8)),
    (f.block_scaled_bytes(70, 4, 16), 39.375),
    (f.attainable_flops(60, 989, 3.35), 201),
    (f.attainable_flops(600, 989, 3.35), 989),
    (f.ring_all_reduce_bytes(64, 8), 112),
    (f.ceil_ratio(37, 4), 10),
    (f.ceil_ratio(36, 4), 9),
]


@pytest.mark.parametrize(("got", "want"), FIGURES)
def test_audited_figures(got, want):
    assert got == pytest.approx(want, rel=1e-9)


lengths = st.lists(st.integers(1, 60), min_size=1, max_size=24)


@given(lengths, st.integers(1, 9))
def test_fcfs_makespan_equals_a_step_by_step_simulation(work, slots):
    queue, running, steps = list(work), [], 0
    while queue or running:
        while queue and len(running) < slots:
            running.append(queue.pop(0))
        steps += 1
        running = [left - 1 for left in running if left > 1]
    assert f.fcfs_steps(work, slots) == steps


@given(lengths, st.integers(1, 9))
def test_no_order_beats_the_bound_and_list_scheduling_is_within_grahams_factor(work, slots):
    bound = f.makespan_bound(work, slots)
    for steps in (f.fcfs_steps(work, slots), f.sjf_steps(work, slots), f.lpt_steps(work, slots)):
        assert bound <= steps < 2 * bound
    assert f.static_steps(work, slots) >= f.fcfs_steps(work, slots)


@given(st.integers(0, 5000), st.integers(1, 256))
def test_blocks_cover_the_tokens_and_waste_less_than_a_block(tokens, size):
    assert f.blocks_for(tokens, size) == math.ceil(tokens / size)
    assert 0 <= f.block_waste(tokens, size) < size


def test_every_registered_function_documents_itself():
    for name, function in f.FUNCTIONS.items():
        assert function.__doc__, name
        assert getattr(f, name) is function
