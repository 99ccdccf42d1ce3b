"""The words of the engine: request, sequence, chunk, plan, result.

There are no phases. A sequence knows `total` tokens (its prompt and what it has generated); `computed` of them
are in KV memory. Every step computes a chunk [start, stop) that moves `computed` towards `total`; a chunk that
reaches `total` yields the next token. Prefill, decode, chunked prefill, recompute and resuming after a swap are
all this one arithmetic. The slot of a token is position // block_size in the block table, so the newest token's
KV is stored only when it is fed back: step k of a request needs prompt + k - 1 token slots.

Times are integers in nanoseconds, so that a run's clock is exact and the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

PADDING_BLOCK = 0
"""Physical block 0 belongs to padding rows: they write it, no live sequence ever reads it. Usable ids start at 1."""

NS_PER_MS = 1_000_000


class EngineError(ValueError):
    """A request or a setting the engine refuses; the message is a sentence that names the thing and the way out."""


class Stall(RuntimeError):
    """The progress law is broken: there is work, nothing can run and nothing will change. Says who needs what."""


class FinishReason(StrEnum):
    LENGTH = "length"  # the forced length or the most new tokens was reached
    STOP = "stop"  # a stop token came, after at least min_new_tokens
    ABORTED = "aborted"  # the caller gave it up
    TOO_LARGE = "too_large"  # can never fit in KV memory: refused when it arrived
    KV_EXHAUSTED = "kv_exhausted"  # alone in the pool and still outgrew it
    INVALID = "invalid"  # empty prompt, unknown token id, duplicate id, ...
    ERROR = "error"  # the executor failed on this request alone


class State(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    SWAPPED = "swapped"  # waiting, with its KV in host memory
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """temperature 0 is greedy. Randomness is a function of (seed, request id, position), never of the batch."""

    temperature: float = 0.0
    top_k: int = 0  # 0: off
    top_p: float = 1.0
    seed: int | None = None  # None: the run's seed


GREEDY = SamplingParams()


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks for.

    `output_len` forces the length (stop tokens are ignored), as the lessons do. Without it the request runs to a
    stop token or to `max_new_tokens`. `max_new_tokens` is also what pessimistic admission reserves for, so it may
    be larger than `output_len`; when absent it is `output_len`.
    """

    id: str
    prompt_len: int
    output_len: int | None = None
    max_new_tokens: int | None = None
    min_new_tokens: int = 0
    stop_ids: tuple[int, ...] = ()
    prompt: tuple[int, ...] | None = None  # None: the executor's tokens are made up from the seed
    arrival_ns: int = 0
    priority: int = 0  # lower is more urgent, as in vLLM
    tenant: str = "default"
    prefix_id: str | None = None
    adapter: str | None = None
    sampling: SamplingParams = GREEDY

    @property
    def limit(self) -> int:
        """Tokens after which the request is finished by length."""
        if self.output_len is None:
            return self.declared_max
        return self.output_len if self.max_new_tokens is None else min(self.output_len, self.max_new_tokens)

    @property
    def declared_max(self) -> int:
        """Most new tokens the client declared: what reserving admission must plan for."""
        if self.max_new_tokens is not None:
            return self.max_new_tokens
        if self.output_len is not None:
            return self.output_len
        raise EngineError(f"request '{self.id}' has neither output_len nor max_new_tokens; give one of them")


@dataclass(slots=True, eq=False)
class Sequence:
    """A request inside the engine. `key` is the engine's own number: unique even when a client reuses an id."""

    request: Request
    key: int
    limit: int
    prompt: tuple[int, ...] | None = None  # token ids, when the executor computes on them
    output: list[int] = field(default_factory=list)
    total: int = 0  # prompt tokens + generated tokens
    computed: int = 0  # tokens whose KV is in memory
    blocks: list[int] = field(default_factory=list)  # the block table
    capacity: int = 0  # token slots in the block table
    reserved: int = 0  # blocks promised to it (>= len(blocks) when admission reserves)
    state: State = State.WAITING
    slot: int = -1
    rank: tuple = ()  # its place in the waiting queue, smaller first
    priority_held: float = 0.0  # aged priority at admission: what a more urgent request must beat
    bypassed: int = 0  # requests that overtook it because it did not fit in KV memory
    host: object = None  # the executor's handle of its swapped KV
    preemptions: int = 0
    reason: FinishReason | None = None
    message: str = ""

    @property
    def id(self) -> str:
        return self.request.id

    @property
    def prompt_len(self) -> int:
        return self.request.prompt_len

    @property
    def decoding(self) -> bool:
        """Only its newest token is left to compute (and that one was generated)."""
        return self.computed == self.total - 1 and self.computed >= self.request.prompt_len

    @property
    def masked_ids(self) -> tuple[int, ...]:
        """Token ids that must not be sampled now: stop tokens before min_new_tokens."""
        return self.request.stop_ids if len(self.output) < self.request.min_new_tokens else ()

    def tokens(self, start: int, stop: int) -> list[int]:
        """Token ids at positions [start, stop) of prompt + output; needs a prompt with token ids."""
        assert self.prompt is not None, "this sequence has only lengths"
        n = len(self.prompt)
        return [self.prompt[i] if i < n else self.output[i - n] for i in range(start, stop)]


class Chunk(NamedTuple):
    """Compute tokens [start, stop) of `seq`. It yields a token when stop equals the sequence's total."""

    seq: Sequence
    start: int
    stop: int


@dataclass(slots=True)
class Plan:
    """One iteration. Padding is really computed by the executor, in the padding block, and thrown away.

    `pad_prompt`: for each row that is padded in a prefill, how many padding tokens it computes (static and dynamic
    batches pad every prompt to the longest; a missing row of a flushed static batch pads all of it).
    `pad_decode`: rows of finished or missing sequences that compute one token this step.
    """

    chunks: list[Chunk]
    prefill_tokens: int = 0  # tokens of chunks that are not plain decodes (prompts and recomputed text)
    decode_tokens: int = 0
    pad_prompt: list[int] = field(default_factory=list)
    pad_decode: int = 0
    swap_bytes: int = 0  # moved to or from host memory for this iteration


@dataclass(slots=True)
class StepResult:
    """`tokens`: sequence key -> next token, one entry for each chunk that yields. `failed`: key -> sentence."""

    tokens: dict[int, int]
    failed: dict[int, str] = field(default_factory=dict)


def request_key(request_id: str) -> int:
    """A 63-bit number for a request id, the same on every machine: the 'request' in f(seed, request, position)."""
    return int.from_bytes(blake2b(request_id.encode(), digest_size=8).digest(), "big") >> 1


def mix(*values: int) -> int:
    """A well mixed 64-bit hash of integers (splitmix64 steps): counter-based randomness without state."""
    state = 0x9E3779B97F4A7C15
    for value in values:
        state = (state ^ value) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 27
        state = state * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 31
    return state


def made_up_prompt(request: Request, vocab_size: int, seed: int) -> tuple[int, ...]:
    """Prompt token ids for a request that states only a length: a function of (seed, request id, position)."""
    key = request_key(request.id)
    return tuple(mix(seed, key, position) % vocab_size for position in range(request.prompt_len))


def check_token_ids(request: Request, ids: Items[int], what: str, vocab_size: int) -> None:
    for token in ids:
        if not 0 <= token < vocab_size:
            raise EngineError(
                f"request '{request.id}': {what} {token} is not in the model's vocabulary of {vocab_size} tokens "
                f"(0 to {vocab_size - 1})"
            )
