"""Kinds of bugs that other engines had, one test each: capacity and admission (engine.md rows R2, R4-R6, 1-14)."""

from __future__ import annotations

import pytest

from labs.engine import Engine, EngineConfig, EngineError, Request, Stall, run
from labs.engine.clocks import lesson as lesson_clock
from labs.engine.pool import BlockPool, PoolError

from .helpers import checked, sizes
from .ledger import LedgerExecutor


def ends(result) -> dict[str, tuple[str, str]]:
    """Request id -> (reason, sentence)."""
    actions = [a for event in result.events for a in (*event.actions("finish"), *event.actions("refuse"))]
    assert len(actions) == len({a[1] for a in actions}), "a request ended twice"
    return {a[1]: (a[2], a[3]) for a in actions}


@pytest.mark.parametrize("scheme", ["sequential", "static", "dynamic", "continuous"])
def test_r2_prompt_larger_than_the_pool_is_refused_at_once_and_the_next_one_runs(scheme: str) -> None:
    result = checked(sizes((200, 5), (20, 5)), scheme=scheme, kv_blocks=4)
    assert ends(result)["r1"][0] == "too_large"
    assert ends(result)["r2"][0] == "length"
    assert result.counters["steps"] == 5


def test_r4_a_lone_sequence_that_outgrows_the_pool_finishes_with_a_reason() -> None:
    result = checked(sizes((20, 100), (10, 5)), slots=1, kv_blocks=2)
    assert ends(result)["r1"] == ("kv_exhausted", "request 'r1' needs 3 KV blocks for 33 tokens and the pool has 2")
    assert len(result.outputs[0]) == 13  # 20 + 13 - 1 = 32 token slots
    assert ends(result)["r2"][0] == "length"


def test_r5_and_10_zero_new_tokens_is_a_normal_end_without_a_step() -> None:
    result = checked(sizes((20, 0), (20, 3)))
    assert ends(result)["r1"] == ("length", "")
    assert result.outputs == [[], result.outputs[1]]
    assert (result.counters["steps"], result.counters["finished"]) == (3, 2)


def test_r6_and_9_an_empty_prompt_fails_alone_with_a_sentence() -> None:
    result = checked([Request("empty", 0, output_len=4), Request("none", 0, 4, prompt=()), Request("ok", 3, 4)])
    assert ends(result)["empty"] == ("invalid", "request 'empty' has an empty prompt; give at least one token")
    assert ends(result)["none"][0] == "invalid"
    assert ends(result)["ok"][0] == "length"


def test_1_refusal_names_both_numbers() -> None:
    result = checked(sizes((1000, 8)), kv_blocks=49)
    sentence = ends(result)["r1"][1]
    assert "needs 63 KV blocks" in sentence
    assert "the pool has 49" in sentence


def test_2_fits_the_context_but_not_the_memory_is_refused_when_it_arrives() -> None:
    result = checked(sizes((100, 400), (10, 5)), admission="reserve", kv_blocks=20, max_context=4096)
    assert ends(result)["r1"][0] == "too_large"
    assert "its declared maximum" in ends(result)["r1"][1]
    assert ends(result)["r2"][0] == "length"


def test_2_beyond_the_models_context_is_refused() -> None:
    result = checked(sizes((100, 29), (100, 28)), max_context=128)
    assert [ends(result)[name][0] for name in ("r1", "r2")] == ["too_large", "length"]


def test_3_the_padding_block_is_not_one_of_the_usable_blocks() -> None:
    exactly = checked(sizes((64, 1)), kv_blocks=4)
    assert exactly.counters["kv"]["peak"] == 4
    assert ends(exactly)["r1"][0] == "length"
    assert ends(checked(sizes((65, 1)), kv_blocks=4))["r1"][0] == "too_large"


def test_4_outgrowing_the_pool_is_terminal_and_not_tried_again_for_ever() -> None:
    result = checked(sizes((16, 100), (16, 100)), kv_blocks=3, slots=2)
    assert {reason for reason, _ in ends(result).values()} == {"kv_exhausted"}
    assert result.counters["steps"] < 200


def test_5_the_last_request_that_cannot_go_on_harms_nobody() -> None:
    result = checked(sizes((30, 40), (8, 20), (8, 60)), kv_blocks=4)
    assert ends(result)["r1"][0] == "kv_exhausted"
    assert [ends(result)[name][0] for name in ("r2", "r3")] == ["length", "kv_exhausted"]
    assert len(result.outputs[1]) == 20


def test_6_light_requests_pass_a_heavy_head_at_most_max_bypass_times() -> None:
    heavy = Request("heavy", 160, output_len=2)
    first = Request("first", 32, output_len=40)
    light = [Request(f"light{i}", 16, output_len=3) for i in range(6)]
    kinds = {}
    for bypass in (0, 2):
        result = checked([first, heavy, *light], slots=2, kv_blocks=11, max_bypass=bypass)
        order = [a[1] for event in result.events for a in event.actions("admit")]
        kinds[bypass] = order[: order.index("heavy")]
    assert kinds[0] == ["first"]
    assert kinds[2] == ["first", "light0", "light1"]


def test_7_when_prefill_fills_every_block_a_decode_still_moves() -> None:
    result = checked(sizes(*[(16, 8)] * 4), slots=4, kv_blocks=4)
    assert set(result.counters["finish_reasons"]) == {"length"}
    assert result.counters["preemptions"] > 0


def test_8_a_request_that_needs_the_whole_pool_is_schedulable() -> None:
    result = checked(sizes((33, 32), (33, 32)), admission="reserve", kv_blocks=4)
    assert result.counters["finish_reasons"] == {"length": 2}
    assert result.counters["resident_max"] == 1


def test_11_a_duplicate_id_is_refused_and_the_first_one_lives() -> None:
    result = checked([Request("same", 5, 4), Request("same", 5, 9), Request("other", 5, 2)])
    refused = [a for event in result.events for a in event.actions("refuse")]
    assert refused == [
        ("refuse", "same", "invalid", "request 'same' is already in the engine; ids of live requests must differ")
    ]
    assert result.counters["finish_reasons"] == {"invalid": 1, "length": 2}
    assert result.counters["tokens"] == 6


def test_12_an_id_used_again_right_after_its_abort_is_another_request() -> None:
    events = []
    engine = Engine(EngineConfig(kv_blocks=20, check=True), LedgerExecutor(), lesson_clock, on_event=events.append)
    engine.add(Request("a", 20, output_len=50))
    engine.step()
    assert engine.abort("a")
    second = engine.add(Request("a", 30, output_len=2))
    engine.close()
    while engine.step() is not None:
        pass
    assert len(second.output) == 2
    assert [a[0] for e in events for a in (*e.before, *e.after) if a[0] in ("arrive", "finish")] == [
        *("arrive", "finish", "arrive", "finish")
    ]
    assert engine.pool.free == 20


@pytest.mark.parametrize("token", [997, -1])
def test_13_a_stop_token_outside_the_vocabulary_is_refused(token: int) -> None:
    bad = Request("bad", 5, max_new_tokens=9, min_new_tokens=1, stop_ids=(token,))
    result = checked([bad, Request("ok", 5, 4)], executor=LedgerExecutor())
    assert ends(result)["bad"][0] == "invalid"
    assert "vocabulary of 997" in ends(result)["bad"][1]
    assert ends(result)["ok"][0] == "length"


def test_13_a_prompt_token_outside_the_vocabulary_is_refused() -> None:
    result = checked([Request("bad", 2, 4, prompt=(5, 997))], executor=LedgerExecutor())
    assert ends(result)["bad"][0] == "invalid"


def test_14_a_failure_of_one_request_leaves_the_others_running() -> None:
    executor = LedgerExecutor()
    alone = checked(sizes((9, 12), (9, 12)), executor=LedgerExecutor()).outputs
    executor.hook = lambda plan: executor.fail.update({"r1": "NaN"} if plan.chunks[0].start > 12 else {})
    result = checked(sizes((9, 12), (9, 12)), executor=executor)
    assert ends(result)["r1"] == ("error", "NaN")
    assert result.outputs[1] == alone[1]


def test_14_an_executor_that_forgets_a_token_ends_only_that_request() -> None:
    executor = LedgerExecutor()
    real_run = executor.run

    def forgetful(plan):
        result = real_run(plan)
        result.tokens = {key: token for key, token in result.tokens.items() if key != 1}
        return result

    executor.run = forgetful
    result = checked(sizes((9, 3), (9, 3)), executor=executor)
    assert ends(result)["r1"] == ("error", "the executor returned no token")
    assert ends(result)["r2"][0] == "length"


def test_a_crash_of_the_executor_frees_every_block() -> None:
    executor = LedgerExecutor()
    engines = []

    def crash(plan) -> None:
        if plan.chunks[0].start > 10:
            raise RuntimeError("device lost")

    executor.hook = crash
    with pytest.raises(RuntimeError, match="device lost"):
        checked(sizes((9, 12), (9, 12)), executor=executor, on_engine=engines.append)
    assert engines[0].pool.free == engines[0].pool.num_blocks
    assert engines[0].idle


def test_negative_lengths_and_limits_that_exclude_each_other_are_refused() -> None:
    result = checked(
        [
            Request("negative", 5, output_len=-1),
            Request("minimum", 5, max_new_tokens=3, min_new_tokens=4),
            Request("nothing", 5),
            Request("length", 5, output_len=2, prompt=(1, 2)),
            Request("ok", 5, output_len=2),
        ]
    )
    assert {name: reason for name, (reason, _) in ends(result).items()} == {
        **dict.fromkeys(("negative", "minimum", "nothing", "length"), "invalid"),
        "ok": "length",
    }


def test_a_static_batch_that_may_not_flush_is_a_named_stall() -> None:
    with pytest.raises(Stall, match="a static batch needs 4 requests and 2 wait"):
        run(EngineConfig(scheme="static", slots=4, flush=False), sizes((5, 3), (5, 3)))


def test_r10_freed_blocks_leave_no_reference_behind() -> None:
    pool = BlockPool(4, 16)
    pool.reserve(3)
    blocks = pool.allocate(3)
    assert pool.give_back(blocks) == blocks
    assert pool.refs == [1, 0, 0, 0, 0]
    with pytest.raises(PoolError, match="block 1 is already free"):
        pool.give_back([1])
    with pytest.raises(PoolError, match="padding block"):
        pool.give_back([0])


def test_contiguous_memory_can_be_fragmented_and_paged_memory_cannot() -> None:
    """Two of three neighbours leave; the hole in between is too small although enough blocks are free."""
    requests = [
        *(Request("a", 32, output_len=2), Request("b", 32, output_len=30), Request("c", 32, output_len=2)),
        Request("d", 64, output_len=2),
    ]
    steps = {}
    for kv in ("contiguous", "paged"):
        result = checked(requests, kv=kv, admission="reserve", kv_blocks=10, slots=4)
        admitted = {a[1]: event.step for event in result.events for a in event.actions("admit")}
        steps[kv] = admitted["d"]
    assert steps == {"contiguous": 31, "paged": 3}


@pytest.mark.parametrize(
    ("knobs", "sentence"),
    [
        ({"slots": 0}, "--slots is 0; it must be at least 1"),
        ({"scheme": "batch"}, "--scheme is 'batch'; choose one of sequential, static, dynamic, continuous"),
        ({"token_budget": 4}, "--token-budget 4 is below --slots 8"),
        ({"scheme": "static", "chunk": 8}, "--chunk needs --scheme continuous"),
        ({"scheme": "static", "prefill": "first"}, "--prefill first needs --scheme continuous"),
        ({"preferred": (4,)}, "belong to --scheme dynamic"),
        ({"scheme": "dynamic", "preferred": (9,)}, "--preferred 9 is not between 1 and --slots 8"),
        ({"respond": "batch"}, "--respond batch needs --scheme static or dynamic; a continuous run has no batches"),
        ({"policy": "best"}, "--policy is 'best'"),
        ({"max_queue_delay_ms": float("nan")}, "--max-queue-delay is nan"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_the_flag(knobs, sentence: str) -> None:
    with pytest.raises(EngineError, match=sentence):
        EngineConfig(**knobs)
