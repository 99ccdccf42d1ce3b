"""What each scheme does at its edges: dynamic batching's sizes and delays, static padding and flushing, clocks,
chunking, prefill limits, the learner's own policy."""

from __future__ import annotations

import pytest

from labs.engine import EngineConfig, EngineError, Request, Slo, run
from labs.engine.clocks import make_clock
from labs.engine.distribution import MAX_DISTINCT, Distribution
from labs.engine.hardware import MODEL_SHAPES
from labs.engine.types import Chunk, Plan, Sequence

from .helpers import checked, lesson, sizes

MS = 1_000_000


def batches(result) -> list[tuple[float, int]]:
    """(start in ms, members) of every batch."""
    starts = [(event.start_ns / MS, len(event.actions("admit"))) for event in result.events]
    return [(start, members) for start, members in starts if members]


def arriving(*times_ms: int, output: int = 10) -> list[Request]:
    return [Request(f"r{i}", 5, output_len=output, arrival_ns=t * MS) for i, t in enumerate(times_ms)]


# ---- dynamic -------------------------------------------------------------------------------------------------------


def test_dynamic_leaves_when_the_oldest_has_waited() -> None:
    result = checked(arriving(0, 10, 500), scheme="dynamic", max_queue_delay_ms=50)
    assert batches(result) == [(50, 2), (550, 1)]


def test_dynamic_leaves_at_once_when_the_largest_size_is_there() -> None:
    result = checked(arriving(0, 10, 20, 30), scheme="dynamic", slots=3, max_queue_delay_ms=1000)
    assert batches(result)[0] == (20, 3)


def test_dynamic_dispatches_the_largest_preferred_size_at_once() -> None:
    result = checked(arriving(0, 0, 0, 0, 0), scheme="dynamic", preferred=(2, 4), max_queue_delay_ms=300)
    assert [members for _, members in batches(result)] == [4, 1]
    # the fifth has waited 300 ms long before the first batch ends at 260 ms + ... : it leaves when both are true
    assert batches(result)[1][0] == 300


def test_dynamic_without_a_delay_takes_whoever_waits() -> None:
    result = checked(arriving(0, 10, 20), scheme="dynamic")
    assert [members for _, members in batches(result)] == [1, 2]


def test_dynamic_rows_are_those_of_its_members() -> None:
    result = checked(sizes((5, 3), (9, 10)), scheme="dynamic", slots=8)
    assert result.counters["padding_prompt"] == 4
    assert result.counters["padding_decode"] == 7  # one dead row for seven steps; empty slots are not computed


# ---- static --------------------------------------------------------------------------------------------------------


def test_static_waits_for_exactly_n() -> None:
    result = checked(arriving(0, 700, 900), scheme="static", slots=2)
    assert batches(result) == [(700, 2), (960, 1)]  # the last one is flushed: no more will come


def test_static_pads_prompts_rows_and_missing_requests() -> None:
    result = checked(sizes((5, 2), (9, 4), (7, 1)), scheme="static", slots=4)
    counters = result.counters
    assert counters["padding_prompt"] == 4 + 2 + 9  # two shorter prompts and one missing row
    assert counters["padding_decode"] == 2 + 3 + 3  # r1 and r3 are done, one row is missing
    first = result.events[0]
    assert (first.prefill_tokens, first.pad_prompt) == (21, 15)


@pytest.mark.parametrize(("respond", "ttft"), [("batch", 12_060), ("own", 80)])
def test_static_answers_leave_with_the_batch_unless_streamed(respond: str, ttft: float) -> None:
    counters = checked(lesson(), scheme="static", respond=respond).counters
    assert counters["ttft_ms"]["max"] == ttft
    assert counters["e2e_ms"]["p50"] == (12_060 if respond == "batch" else 860)
    assert counters["e2e_ms"]["max"] == 12_060


def test_lesson_latencies_of_sequential_service() -> None:
    counters = checked(lesson(), scheme="sequential").counters
    assert counters["queue_ms"]["max"] == 12_920
    assert counters["ttft_ms"]["max"] == 13_000  # at the end of its first step


# ---- continuous ----------------------------------------------------------------------------------------------------


def test_token_budget_is_never_exceeded_and_decodes_come_first() -> None:
    result = checked(sizes(*[(50, 12)] * 8), slots=4, token_budget=20)
    for event in result.events:
        assert sum(stop - start for _, start, stop in event.chunks) <= 20
    assert result.counters["itl_ms"]["max"] == 80, "no decode ever waits a step"


def test_max_prefills_bounds_the_prompts_of_a_step() -> None:
    result = checked(sizes(*[(10, 12)] * 8), max_prefills=2)
    assert [event.prefill_tokens for event in result.events[:5]] == [20, 20, 20, 20, 0]


def test_a_half_done_prefill_pauses_for_a_shorter_newcomer() -> None:
    long = Request("long", 100, output_len=50)
    short = Request("short", 30, output_len=5, arrival_ns=100 * MS)
    result = checked([long, short], policy="sjf", chunk=20, max_prefills=1)
    order = [event.chunks[-1][0] for event in result.events if event.prefill_tokens]
    assert order == ["long", "long", "short", "short", "long", "long", "long"]
    fcfs = checked([long, short], policy="fcfs", chunk=20, max_prefills=1)
    order = [event.chunks[-1][0] for event in fcfs.events if event.prefill_tokens]
    assert order == ["long", "long", "long", "long", "long", "short", "short"]


def test_prefill_first_computes_no_decode_beside_a_prompt() -> None:
    requests = [Request(f"r{i}", 10, output_len=20, arrival_ns=i * 100 * MS) for i in range(10)]
    for event in checked(requests, prefill="first").events:
        assert not event.prefill_tokens or event.prefill_tokens == sum(stop - start for _, start, stop in event.chunks)


def test_fragmentation_of_reserved_contiguous_and_paged_memory() -> None:
    """One request of 16 + 16 tokens with 48 declared, blocks of 16: 4 blocks promised against 2 that are needed."""
    request = [Request("a", 16, output_len=16, max_new_tokens=48)]
    tokens = sum(16 + step for step in range(16))
    for knobs, promised in (
        ({"kv": "contiguous"}, 16 * 64),
        ({"admission": "reserve"}, 16 * 64),
        ({}, 16 + 15 * 32),
    ):
        kv = checked(request, **knobs).counters["kv"]
        assert kv["fragmentation"] == pytest.approx(1 - tokens / promised)
    assert checked(request, kv="contiguous").counters["kv"]["peak"] == 4
    assert checked(request, admission="reserve").counters["kv"]["peak"] == 2
    assert checked(request, admission="reserve").counters["kv"]["reserved_peak"] == 4


# ---- clocks and hardware -------------------------------------------------------------------------------------------


def plan_of(context: int, prefill: int = 0, decode: int = 0) -> Plan:
    seq = Sequence(Request("a", 1, output_len=1), key=1, limit=1)
    return Plan([Chunk(seq, 0, context)], prefill_tokens=prefill, decode_tokens=decode)


def test_lesson_clocks() -> None:
    assert make_clock("lesson")(plan_of(5, prefill=5), 0) == 80 * MS
    assert make_clock("lesson")(plan_of(5, decode=1), 0) == 20 * MS
    assert make_clock("lesson-token")(plan_of(4000, prefill=4000), 0) == 1220 * MS
    padded = plan_of(100, prefill=100)
    padded.pad_prompt = [60, 40]
    assert make_clock("lesson-token")(padded, 0) == 80 * MS, "padding is computed, so it costs"
    assert make_clock("wall")(plan_of(1), 1234) == 1234


def test_roofline_of_a_decode_is_the_weights_read_once() -> None:
    """Llama-3-8B in BF16 on an H100: 16.06 GB / 3.35 TB/s = 4.8 ms, about 209 tokens/s at batch 1."""
    step_ns = make_clock("roofline:h100")(plan_of(1, decode=1), 0)
    assert step_ns == pytest.approx(16.06e9 / 3350e9 * 1e9, rel=1e-3)
    longer = make_clock("roofline:H100:llama-2-7b")(plan_of(64_000, decode=32), 0)
    assert longer == pytest.approx((13.48e9 + 64_000 * 524_288) / 3350e9 * 1e9, rel=1e-3)


def test_roofline_of_a_long_prompt_is_compute_bound_and_swap_costs_the_link() -> None:
    plan = plan_of(8000, prefill=8000)
    compute_ns = 2 * 8.03e9 * 8000 / 989e12 * 1e9
    assert make_clock("roofline:h100")(plan, 0) == pytest.approx(compute_ns, rel=1e-6)
    plan.swap_bytes = 64_000_000
    assert make_clock("roofline:h100")(plan, 0) == pytest.approx(compute_ns + 1e6, rel=1e-6)


@pytest.mark.parametrize("name", ["sundial", "roofline", "roofline:abacus", "roofline:h100:gpt-9"])
def test_unknown_clocks_are_refused_with_the_known_names(name: str) -> None:
    with pytest.raises(EngineError, match=r"lesson-token|known: t4|known: llama-2-7b"):
        make_clock(name)


@pytest.mark.parametrize(
    ("model", "kib"), [("llama-2-7b", 512), ("llama-3-8b", 128), ("llama-3-70b", 320), ("deepseek-v3", 68.625)]
)
def test_kv_bytes_of_a_token_for_mha_gqa_and_mla(model: str, kib: float) -> None:
    assert MODEL_SHAPES[model].kv_bytes_per_token() == kib * 1024


# ---- metrics -------------------------------------------------------------------------------------------------------


def test_goodput_counts_requests_that_met_every_limit() -> None:
    counters = checked(lesson(), slo=Slo.parse("ttft=100,itl=30")).counters
    assert (counters["goodput"], counters["goodput_share"]) == (8 / 12.06, 1.0)
    late = checked(lesson(2), slo=Slo.parse("ttft=100")).counters
    assert late["goodput_share"] == 0.5


@pytest.mark.parametrize("text", ["ttft", "e2e=5", "itl=-1", "itl=nan", "ttft=1,,"])
def test_a_bad_slo_is_refused(text: str) -> None:
    with pytest.raises(EngineError, match="--slo"):
        Slo.parse(text)


def test_percentiles_are_nearest_rank() -> None:
    values = Distribution()
    for value in range(1, 11):
        values.add(value * MS)
    assert [values.percentile(p) / MS for p in (50, 90, 95, 99)] == [5, 9, 10, 10]
    assert values.summary_ms()["mean"] == 5.5


def test_a_distribution_stays_small_and_close() -> None:
    values = Distribution()
    count = 3 * MAX_DISTINCT
    for i in range(count):
        values.add(1_000_000 + i * 997)
    assert len(values.counts) <= MAX_DISTINCT
    for percent in (50, 90, 99):
        exact = 1_000_000 + (-(-percent * count // 100) - 1) * 997
        assert values.percentile(percent) == pytest.approx(exact, rel=5e-4)
    assert values.max == 1_000_000 + (count - 1) * 997


def test_a_lazy_workload_gives_the_same_counters_as_a_list() -> None:
    requests = sizes(*[(20 + i % 7, 3 + i % 11) for i in range(6000)])
    as_list = run(EngineConfig(kv_blocks=200), requests).counters
    lazily = run(EngineConfig(kv_blocks=200), iter(requests)).counters
    assert lazily == as_list


def test_a_lazy_workload_out_of_order_is_refused() -> None:
    late_first = arriving(50, 0)
    with pytest.raises(EngineError, match="sort the workload"):
        run(EngineConfig(kv_blocks=20), iter(late_first))


# ---- the learner's policy ------------------------------------------------------------------------------------------


def policy(tmp_path, body: str) -> str:
    path = tmp_path / "mine.py"
    path.write_text(body)
    return str(path)


def test_a_learner_s_policy_is_asked(tmp_path) -> None:
    longest_first = policy(tmp_path, "def rank(request, now_ms):\n    return -request.output_len\n")
    assert checked(lesson(2), policy=longest_first).counters["steps"] == 600
    by_tuple = policy(tmp_path, "def rank(request, now_ms):\n    return (request.preempted, request.output_len)\n")
    assert checked(lesson(2), policy=by_tuple).counters["steps"] == 640


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("def rank(request, now_ms)\n    return 1\n", "mine.py:1: not valid Python"),
        ("x = 1 / 0\n", "mine.py:1: ZeroDivisionError"),
        ("rank = 3\n", "no function `rank"),
        ("def rank(request, now_ms):\n    return request.size\n", "mine.py:2: `rank` failed on request 'r1': Attr"),
        ("def rank(request, now_ms):\n    return None\n", "`rank` returned None for request 'r1'"),
        ("def rank(request, now_ms):\n    return float('nan')\n", "`rank` returned nan"),
        ("def rank(request):\n    return 1\n", "`rank` failed on request 'r1': TypeError"),
        ("def rank(r, n):\n    return 1 if r.id == 'r1' else (1, 2)\n", "cannot be ordered \\(int, tuple\\)"),
        ("raise SystemExit(3)\n", "mine.py:1: SystemExit"),
        ("def rank(r, n):\n    r.output_len = 1\n    return 1\n", "FrozenInstanceError"),
    ],
)
def test_a_broken_policy_is_one_sentence(tmp_path, body: str, sentence: str) -> None:
    with pytest.raises(EngineError, match=sentence):
        checked(lesson(2), policy=policy(tmp_path, body))


def test_a_policy_file_that_is_not_there(tmp_path) -> None:
    with pytest.raises(EngineError, match="cannot read it"):
        checked(lesson(), policy=str(tmp_path / "none.py"))
