"""Can this machine keep exact mode's promise? Asked at the start of every exact run, on the model that will run.

Exactness rests on how MKL, oneDNN (or cuBLAS) pick their kernels, which differs from CPU to CPU and with the thread
count. So the first layers of the real model, with its real shapes, compute a few sequences alone, together and in
chunks, and every logit must be the same bit for bit.
"""

from __future__ import annotations

import copy

import torch
from torch import Tensor

from labs.engine.kernels import PagedAttention
from labs.engine.model import LlamaModel
from labs.engine.torch_batch import Packer
from labs.engine.torch_kv import PagedKV
from labs.engine.types import Chunk, Request, Sequence, mix

_BLOCK = 16
_LENGTHS = (149, 70, 5, 33, 64)  # prompt lengths on both sides of a tile, long enough for several threads


@torch.inference_mode()
def self_test(model: LlamaModel, layers: int = 2) -> str:
    """'' when all is bit-identical, or what differed, as the middle of a sentence."""
    short = copy.copy(model)
    short.layers = model.layers[:layers]
    alone = [_logits(short, [length], chunk=None)[0] for length in _LENGTHS]
    for fault, chunk in (("logits change with the batch", None), ("logits change with the chunk size", 7)):
        together = _logits(short, list(_LENGTHS), chunk)
        if not all(torch.equal(a, b) for a, b in zip(alone, together, strict=True)):
            return fault
    return ""


def _logits(model: LlamaModel, lengths: list[int], chunk: int | None) -> list[Tensor]:
    """Prefill (at most `chunk` tokens a step, all sequences side by side) and two decodes: logits per sequence."""
    config = model.config
    kv = PagedKV(config, 1 + sum(lengths) // _BLOCK + 2 * len(lengths), _BLOCK, model.dtype, model.device)
    packer = Packer(_BLOCK, config.group, True, model.dtype, model.device)
    attention = PagedAttention(config.heads, config.kv_heads, config.head_dim, exact=True)
    sequences, free = [], list(range(kv.data.shape[1] - 1, 0, -1))
    for length in lengths:
        # two given tokens after the prompt stand for generated ones, so that both ways compute the same text
        prompt = tuple(mix(length, position) % config.vocab_size for position in range(length + 2))
        seq = Sequence(Request(str(length), length), length, 0, prompt, total=length)
        seq.blocks = [free.pop() for _ in range(-(-(length + 2) // _BLOCK))]
        sequences.append(seq)
    found: dict[int, list[Tensor]] = {length: [] for length in lengths}
    while True:
        chunks = []
        for seq in sequences:
            if seq.computed < seq.prompt_len + 2:
                chunks.append(Chunk(seq, seq.computed, min(seq.total, seq.computed + (chunk or seq.total))))
        if not chunks:
            return [torch.stack(found[length]) for length in lengths]
        batch = packer.pack(chunks)
        logits = model.forward(batch, kv.layers, attention)
        for row, done in enumerate(batch.yielding):
            found[done.seq.key].append(logits[row])
        for done in chunks:
            done.seq.computed = done.stop
            done.seq.total = max(done.seq.total, min(done.stop + 1, done.seq.prompt_len + 2))
