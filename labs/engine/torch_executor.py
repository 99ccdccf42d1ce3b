"""The executor that computes tokens with torch: real weights, a real paged KV pool, CPU and CUDA by the same code."""

from __future__ import annotations

import math
import os

# A step has hundreds of short parallel regions. GNU OpenMP lets a thread spin for about a millisecond at the end of
# each before it sleeps; when another process needs the core, everybody waits (40 times slower, measured with a busy
# machine). A three-hundredth of that costs a quiet machine 13 %, a thirtieth nothing. To be set before torch loads.
os.environ.setdefault("GOMP_SPINCOUNT", "10000")

import torch
from torch import Tensor

from labs.engine.kernels import PagedAttention
from labs.engine.model import LlamaModel
from labs.engine.model_config import LlamaConfig, ModelError
from labs.engine.sampling import sample, uniform
from labs.engine.torch_batch import Packer
from labs.engine.torch_kept import Keeper
from labs.engine.torch_kv import PagedKV
from labs.engine.torch_selftest import self_test
from labs.engine.types import Chunk, Plan, StepResult
from labs.engine.weights import load_weights

_SMALL = 10_000_000  # parameters
_ALL_THREADS = torch.get_num_threads()
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class TorchExecutor:
    """Computes plans on a `LlamaModel` (see `labs.engine.executor.Executor` for the contract).

    `exact`: a request's greedy tokens are bit-identical alone, in any batch and in any chunking. `warning` is a
    sentence when exact mode was asked for and this machine cannot keep it; `exact` is False then.
    """

    def __init__(self, model: LlamaModel, exact: bool, seed: int = 0, tokenizer: object = None) -> None:
        self.model, self.seed, self.tokenizer = model, seed, tokenizer
        self.config: LlamaConfig = model.config
        self.vocab_size: int | None = model.config.vocab_size
        self.max_positions = model.config.max_positions
        self.device, self.dtype = str(model.device), str(model.dtype).removeprefix("torch.")
        self.exact, self.warning = exact, ""
        self.block_bytes = 0
        if exact and (fault := self_test(model)):
            self.exact = False
            self.warning = f"exact mode is off: on this machine {fault} in {self.dtype}"
            if self.dtype != "float32":
                self.warning += "; use --dtype float32"

    @torch.inference_mode()
    def allocate(self, num_blocks: int, block_size: int) -> None:
        config, model = self.config, self.model
        need = config.kv_bytes_per_token(model.dtype.itemsize) * block_size * (num_blocks + 1)
        refused = ModelError(
            f"{num_blocks} KV blocks of {block_size} tokens need {need / 2**30:.1f} GiB, more than this machine's "
            f"{model.device.type} memory can hold; lower --kv-blocks"
        )
        if need > _memory(model.device):
            raise refused
        try:
            self.kv = PagedKV(config, num_blocks, block_size, model.dtype, model.device)
        except (RuntimeError, MemoryError):  # torch.OutOfMemoryError is a RuntimeError
            raise refused from None
        self.block_bytes = self.kv.block_bytes
        keeper = None if self.exact else Keeper(self.kv)
        self.packer = Packer(block_size, config.group, self.exact, model.dtype, model.device, keeper)
        self.attention = PagedAttention(config.heads, config.kv_heads, config.head_dim, self.exact)

    @torch.inference_mode()
    def run(self, plan: Plan) -> StepResult:
        result = StepResult({})
        chunks = []
        for chunk in plan.chunks:
            if chunk.stop > self.max_positions:
                result.failed[chunk.seq.key] = (
                    f"request '{chunk.seq.id}' reached token {chunk.stop}, beyond the model's context of "
                    f"{self.max_positions} tokens"
                )
            else:
                chunks.append(chunk)
        batch = self.packer.pack(chunks, sum(plan.pad_prompt), plan.pad_decode)
        if len(batch.ids):
            logits = self.model.forward(batch, self.kv.layers, self.attention)[: len(batch.yielding)]
            self._choose(batch.yielding, logits, result)
        return result

    def _choose(self, chunks: list[Chunk], logits: Tensor, result: StepResult) -> None:
        """Fill `result` with the next token of each chunk, from its row of logits [chunks, vocabulary]."""
        if not chunks:
            return
        best, ids = (found.tolist() for found in logits.float().max(-1))
        for row, (chunk, height, greedy) in enumerate(zip(chunks, best, ids, strict=True)):
            seq, params = chunk.seq, chunk.seq.request.sampling
            if math.isnan(height):
                result.failed[seq.key] = f"request '{seq.id}': the model computed NaN at token {chunk.stop}"
                continue
            token = greedy
            if params.temperature > 0 or greedy in seq.masked_ids:
                allowed = logits[row].float().clone()
                allowed[list(seq.masked_ids)] = float("-inf")
                seed = self.seed if params.seed is None else params.seed
                token = sample(allowed, params, uniform(seed, seq.id, chunk.stop))
            result.tokens[seq.key] = token

    @torch.inference_mode()
    def copy_out(self, blocks: list[int]) -> object:
        return self.kv.copy_out(blocks)

    @torch.inference_mode()
    def copy_in(self, handle: object, blocks: list[int]) -> None:
        assert isinstance(handle, Tensor)
        self.kv.copy_in(handle, blocks)

    @torch.inference_mode()
    def poison(self, blocks: list[int]) -> None:
        self.kv.poison(blocks)


def _memory(device: torch.device) -> float:
    """Bytes that KV memory may take at most; a CPU that is asked for more kills the process instead of raising."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return math.inf
    return 0.8 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def make_executor(
    model: str = "tiny",
    dtype: str = "float32",
    device: str = "auto",
    exact: bool = True,
    seed: int = 0,
    threads: int | None = None,
) -> TorchExecutor:
    """Load a model (see `labs.engine.weights.load_weights`) and make its executor. Raises ModelError.

    `device`: auto takes CUDA when there is one. `threads`: CPU threads of this process; None takes one for a model
    whose matrices are too small to share, and all of torch's for others.
    """
    if dtype not in DTYPES:
        raise ModelError(f"--dtype is '{dtype}'; choose one of {', '.join(DTYPES)}")
    if device not in ("auto", "cpu", "cuda"):
        raise ModelError(f"--device is '{device}'; choose one of auto, cpu, cuda")
    if device == "cuda" and not torch.cuda.is_available():
        raise ModelError("--device cuda: torch sees no CUDA device here; use --device cpu")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if threads is not None and threads < 1:
        raise ModelError(f"--threads is {threads}; it must be at least 1")
    weights = load_weights(model, seed, DTYPES[dtype])
    torch.set_num_threads(threads or (1 if weights.config.parameters < _SMALL else _ALL_THREADS))
    with torch.inference_mode():
        llama = LlamaModel(weights.config, weights.tensors, DTYPES[dtype], device)
    return TorchExecutor(llama, exact, seed, weights.tokenizer)
