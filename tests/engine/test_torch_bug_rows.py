"""Rows of the list of other engines' bugs that only real tensors can show: resumed text, swapped KV, positions."""

from __future__ import annotations

from random import Random

import pytest
import torch

from labs.engine import EngineConfig, Request, run
from labs.engine.types import Plan
from tests.engine.torch_helpers import ODD, advance, executor, outputs, sequence


def requests(lengths: list[tuple[int, int]], seed: int = 5) -> list[Request]:
    """Requests of these (prompt, output) lengths with token ids of their own."""
    draw = Random(seed)
    return [
        Request(f"q{i}", prompt, output_len=output, prompt=tuple(draw.randrange(ODD.vocab_size) for _ in range(prompt)))
        for i, (prompt, output) in enumerate(lengths)
    ]


@pytest.mark.parametrize("preempt", ["recompute", "swap"])
@pytest.mark.parametrize(("block", "blocks"), [(256, 3), (16, 20)])
def test_16_17_18_19_20_a_resumed_text_is_the_text_of_an_undisturbed_run(preempt, block, blocks):
    """A text of 257 tokens with blocks of 256 among them (nano-vllm #217): one token in a block of its own."""
    made, work = executor(config=ODD), requests([(250, 12), (40, 240), (9, 30)])
    alone = [outputs(made, [one], slots=1).outputs[0] for one in work]
    tight = outputs(made, work, slots=3, block_size=block, kv_blocks=blocks, preempt=preempt)
    assert tight.counters["preemptions"] > 0
    assert tight.outputs == alone
    assert [len(text) for text in tight.outputs] == [12, 240, 30]


def test_28_a_full_host_falls_back_to_recompute_with_the_same_text():
    made, work = executor(config=ODD), requests([(40, 60), (33, 60), (21, 60)])
    knobs = {"slots": 3, "block_size": 4, "kv_blocks": 40}
    ample = outputs(made, work, preempt="swap", **knobs)
    full = outputs(made, work, preempt="swap", swap_blocks=1, **knobs)
    assert ample.counters["swapped_bytes"] > full.counters["swapped_bytes"] == 0
    assert full.counters["recomputed_tokens"] > 0
    assert full.outputs == ample.outputs == [outputs(made, [one]).outputs[0] for one in work]


def test_r10_a_block_used_again_holds_nothing_of_its_former_owner():
    """Attention over the whole last block: what a longer text left behind must not be seen."""
    made = executor(config=ODD)
    first, second = (one.prompt for one in requests([(30, 1), (18, 1)]))
    made.allocate(2, 16)
    fresh = sequence(2, second, [1, 2])
    expected = [advance(made, fresh).tokens[2] for _ in range(6)]
    made.allocate(2, 16)
    advance(made, sequence(1, first, [2, 1]))
    after = sequence(2, second, [1, 2])
    assert [advance(made, after).tokens[2] for _ in range(6)] == expected


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("preempt", ["recompute", "swap"])
def test_61_positions_and_slots_come_from_the_computed_count(exact, preempt):
    """In every step of a chunked run with preemptions each row has its token's own position and its block's slot."""
    made, size = executor(exact=exact, config=ODD), 4
    seen: list[tuple[Plan, list[int], list[int]]] = []
    compute = made.run

    def listen(plan: Plan) -> object:
        pack = made.packer.pack

        def packed(*chunks: object) -> object:
            batch = pack(*chunks)
            seen.append((plan, batch.positions.tolist(), batch.slots.tolist()))
            for chunk in plan.chunks:
                wanted.append({(p, chunk.seq.blocks[p // size] * size + p % size) for p in range(*chunk[1:])})
            return batch

        wanted: list[set[tuple[int, int]]] = []
        made.packer.pack = packed
        try:
            result = compute(plan)
        finally:
            made.packer.pack = pack
        _, positions, slots = seen[-1]
        rows = list(zip(positions, slots, strict=True))
        real = [row for row in rows if row[1] >= size]  # the padding block is block 0
        assert sorted(real) == sorted(row for rows in wanted for row in rows)
        return result

    made.run = listen
    try:
        config = EngineConfig(slots=3, block_size=size, kv_blocks=26, chunk=7, preempt=preempt, check=True)
        result = run(config, requests([(40, 30), (33, 30), (21, 30)]), made)
    finally:
        del made.run
    assert result.counters["preemptions"] > 0
    assert len(seen) == result.counters["steps"]


def test_61_a_position_that_is_off_by_one_changes_the_logits():
    """So that agreement of tokens elsewhere says something about positions."""
    made = executor(config=ODD)
    (prompt,) = (one.prompt for one in requests([(24, 1)]))
    made.allocate(2, 16)
    logits = []
    forward, pack = made.model.forward, made.packer.pack
    for shift in (0, 1):

        def shifted(*chunks: object, shift: int = shift) -> object:
            batch = pack(*chunks)
            if len(chunks[0]) and chunks[0][0].stop == 24:
                batch.positions[: 24 - 12] += shift
            return batch

        def listen(*args: object) -> torch.Tensor:
            logits.append(forward(*args)[:1])
            return logits[-1]

        made.packer.pack, made.model.forward = shifted, listen
        try:
            seq = sequence(1, prompt, [1, 2])
            advance(made, seq, chunk=12)
            advance(made, seq, chunk=12)
        finally:
            del made.model.forward
            made.packer.pack = pack
    assert not torch.allclose(logits[1], logits[3], atol=1e-4)
