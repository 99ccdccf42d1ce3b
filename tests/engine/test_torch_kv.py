"""The KV memory: swapped bytes, poison, padding. Numbers in names are rows of the list of other engines' bugs."""

from __future__ import annotations

import math

import pytest
import torch

from labs.engine.model_config import ModelError
from labs.engine.types import PADDING_BLOCK, Chunk, Plan
from tests.engine.torch_helpers import ODD, advance, executor, fill, sequence, tiny

PROMPT = [5, 17, 101, 33, 8, 250, 61, 9, 77, 140, 3]


def test_swap_moves_the_bytes_of_scattered_blocks_29():
    made = executor()
    made.allocate(9, 4)
    torch.manual_seed(0)
    fill(made, torch.randn(made.kv.data.shape))
    before = made.kv.data.clone()
    host = made.copy_out([7, 2, 9])
    made.poison([7, 2, 9])
    made.copy_in(host, [1, 8, 4])
    for source, target in ((7, 1), (2, 8), (9, 4)):
        assert torch.equal(made.kv.data[:, target], before[:, source])
    for untouched in (0, 3, 5, 6):
        assert torch.equal(made.kv.data[:, untouched], before[:, untouched])
    assert host.device.type == "cpu"
    assert host.numel() * host.element_size() == 3 * made.block_bytes


def test_swap_refuses_another_number_of_blocks():
    made = executor()
    made.allocate(4, 4)
    with pytest.raises(ValueError, match="2 swapped blocks cannot come back into 1"):
        made.copy_in(made.copy_out([1, 2]), [3])


def test_block_bytes_are_those_of_the_model():
    made = executor("bfloat16", config=ODD)
    made.allocate(3, 16)
    assert made.block_bytes == 16 * (2 * 2 * 2 * 16) * 2  # tokens x (K and V x layers x KV heads x head_dim) x bytes
    assert made.block_bytes == 16 * ODD.kv_bytes_per_token(2)


@pytest.mark.parametrize("exact", [True, False])
def test_a_read_of_poisoned_blocks_fails_that_request_alone_45(exact):
    made = executor(exact=exact)
    made.allocate(8, 4)
    alone = sequence(1, PROMPT, [1, 2, 3, 4])
    advance(made, alone)
    expected = advance(made, alone).tokens[1]

    good, robbed = sequence(1, PROMPT, [1, 2, 3, 4]), sequence(2, PROMPT[::-1], [5, 6, 7, 8])
    advance(made, good, robbed)
    made.poison([6])
    result = advance(made, good, robbed)
    assert result.tokens == {1: expected}
    assert "r2" in result.failed[2]
    assert "NaN" in result.failed[2]


@pytest.mark.parametrize("exact", [True, False])
def test_padding_never_reaches_a_live_row_57(exact):
    """NaN in the padding block, in unwritten slots and in other blocks: live rows never see any of it."""
    made = executor(exact=exact)
    tokens = []
    for padding in ({}, {"pad_prompt": [9, 4], "pad_decode": 3}):
        made.allocate(9, 4)
        fill(made, math.nan)
        long, short = sequence(1, PROMPT * 2, [9, 2, 5, 1, 7, 8, 6]), sequence(2, PROMPT[:2], [3])
        for _ in range(3):
            result = advance(made, long, short, **padding)
            assert result.failed == {}
        tokens.append((long.output, short.output))
    assert tokens[0] == tokens[1]


def test_padding_rows_write_only_the_padding_block_56():
    made = executor()
    made.allocate(5, 4)
    fill(made, 1.5)
    assert made.run(Plan([], pad_prompt=[6, 1], pad_decode=2)).tokens == {}
    assert torch.all(made.kv.data[:, PADDING_BLOCK + 1 :] == 1.5)
    assert not torch.any(made.kv.data[:, PADDING_BLOCK] == 1.5)


def test_padding_is_really_computed():
    made = executor(exact=False)
    made.allocate(5, 4)
    counted = []
    head = made.model.head
    made.model.head = lambda x: counted.append(x.shape[0]) or head(x)
    down = made.model.layers[0].down
    made.model.layers[0].down = lambda x: counted.append(x.shape[0]) or down(x)
    try:
        advance(made, sequence(1, PROMPT, [1, 2, 3]), pad_prompt=[5, 6], pad_decode=3)
    finally:
        made.model.head, made.model.layers[0].down = head, down
    assert counted == [len(PROMPT) + 5 + 6 + 3, 1 + 3]


def test_padding_rows_attend_to_as_much_as_the_longest_row():
    """A static batch pads every row to the longest: a finished row's attention is computed as well."""
    made = executor(exact=False)
    made.allocate(9, 4)
    live = sequence(1, PROMPT * 2, [1, 2, 3, 4, 5, 6, 7])
    batch = made.packer.pack([Chunk(live, 0, len(PROMPT) * 2)], pad_prompt=2, pad_decode=3)
    prompts, decodes = batch.queries[-1], batch.kept[-1]
    assert (prompts.stop - prompts.start, decodes.rows) == (2, 3)
    assert prompts.length == len(PROMPT) * 2
    assert decodes.lengths == [len(PROMPT) * 2] * 3
    assert set(prompts.blocks.tolist()) == {PADDING_BLOCK}


def test_a_table_wider_than_any_before_58():
    """Scratch memory grows with the longest table; a long sequence after short ones reads all of its blocks."""
    made = executor()
    long = [(3 * i) % 1000 for i in range(90)]
    made.allocate(200, 1)
    alone = sequence(1, long, list(range(100, 0, -1)))
    expected = advance(made, alone).tokens[1]
    small = sequence(2, PROMPT, list(range(101, 120)))
    advance(made, small)
    assert advance(made, small, sequence(1, long, list(range(100, 0, -1)))).tokens[1] == expected


def test_beyond_the_models_context_one_request_fails_with_a_sentence():
    made = executor(config=tiny(max_positions=12))
    made.allocate(8, 4)
    full, other = sequence(1, [*PROMPT, 1], [1, 2, 3, 4]), sequence(2, PROMPT, [5, 6, 7])
    assert advance(made, full, other).failed == {}
    result = advance(made, full, other)
    assert "beyond the model's context of 12 tokens" in result.failed[1]
    assert 2 in result.tokens


def test_more_kv_memory_than_the_machine_has_is_a_sentence():
    with pytest.raises(ModelError, match=r"1000000000 KV blocks of 16 tokens need .* GiB.*lower --kv-blocks"):
        executor().allocate(10**9, 16)
