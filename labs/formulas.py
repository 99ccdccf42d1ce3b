"""Every formula of the subject, pure and torch-free.

The bank, the engine, the oracle and the labs use these. Units are in the names or docstrings. Sizes are in
bytes; GB is 10**9 bytes and GiB is 2**30. Lists of lengths are output tokens per request.

Sources: [PA] Kwon et al., PagedAttention, arXiv:2309.06180; [SPEC] Leviathan et al., arXiv:2211.17192; [KAPLAN]
arXiv:2001.08361; [ROOF] Williams et al., CACM 2009; [GRAHAM] Graham 1969 (list scheduling); [LITTLE] Little 1961; [MM1]
any queueing text, e.g. Kleinrock 1975; [NCCL] github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence

Num = int | float


# --- KV-cache memory -------------------------------------------------------------------------------------------


def kv_bytes_per_token(layers: int, kv_heads: int, head_dim: int, bytes_per_value: Num = 2) -> Num:
    """Bytes of KV cache that one token occupies: 2 (K and V) x layers x kv_heads x head_dim x bytes. [PA section 3]

    MHA has kv_heads = query heads, GQA fewer, MQA one. For MLA see `mla_bytes_per_token`.
    """
    return 2 * layers * kv_heads * head_dim * bytes_per_value


def mla_bytes_per_token(layers: int, latent_dim: int, rope_dim: int, bytes_per_value: Num = 2) -> Num:
    """Bytes per token of multi-head latent attention: one latent plus one rotary key a layer, no factor 2.

    Source: DeepSeek-V2, arXiv:2405.04434, section 2.1.
    """
    return layers * (latent_dim + rope_dim) * bytes_per_value


def kv_cache_bytes(
    sequences: int, tokens: int, layers: int, kv_heads: int, head_dim: int, bytes_per_value: Num = 2
) -> Num:
    """Bytes of KV cache for `sequences` resident sequences of `tokens` tokens each."""
    return sequences * tokens * kv_bytes_per_token(layers, kv_heads, head_dim, bytes_per_value)


def kv_bytes(sequences: int, tokens: int, bytes_per_token: Num) -> Num:
    """Bytes of KV cache when the bytes per token are already known."""
    return sequences * tokens * bytes_per_token


def kv_tokens_that_fit(free_bytes: Num, bytes_per_token: Num) -> int:
    """Whole tokens of KV cache that fit into `free_bytes`."""
    return int(free_bytes // bytes_per_token)


def sequences_that_fit(free_bytes: Num, tokens: int, bytes_per_token: Num) -> int:
    """Whole sequences of `tokens` tokens that fit into `free_bytes`."""
    return int(free_bytes // (tokens * bytes_per_token))


def sequences_in_budget(total_gib: Num, weights_gib: Num, other_gib: Num, tokens: int, kib_per_token: Num) -> int:
    """Whole sequences whose cache fits beside the weights and everything else (activations, graphs, workspace)."""
    return sequences_that_fit((total_gib - weights_gib - other_gib) * 2**20, tokens, kib_per_token)


def kv_bytes_per_token_per_gpu(layers: int, kv_heads: int, head_dim: int, gpus: int, bytes_per_value: Num = 2) -> Num:
    """`kv_bytes_per_token` of one GPU under tensor parallelism: KV heads are split, and copied when there are too few.

    Source: TensorRT-LLM documentation, parallel strategies, attention module.
    """
    return kv_bytes_per_token(layers, -(-kv_heads // gpus), head_dim, bytes_per_value)


def blocks_for(tokens: int, block_size: int) -> int:
    """Blocks that `tokens` tokens occupy: the ceiling of tokens / block_size. [PA section 4]"""
    return -(-tokens // block_size)


def block_waste(tokens: int, block_size: int) -> int:
    """Token slots of the last block that stay empty (internal fragmentation). At most block_size - 1."""
    return blocks_for(tokens, block_size) * block_size - tokens


def mean_block_waste(block_size: int) -> float:
    """Expected empty token slots per sequence when lengths are spread evenly: (block_size - 1) / 2."""
    return (block_size - 1) / 2


def resident_by_blocks(blocks: int, block_size: int, tokens_per_request: int) -> int:
    """Requests that can be resident when each reserves `tokens_per_request` tokens in whole blocks."""
    return blocks // blocks_for(tokens_per_request, block_size)


def reserved_waste(reserved_tokens: int, used_tokens: int) -> float:
    """Share (0..1) of a contiguous reservation that is never used."""
    return 1 - used_tokens / reserved_tokens


def reserved_waste_of(lengths: Sequence[int], prompt: int, limit: int) -> float:
    """Share (0..1) of contiguous reservations for prompt + limit tokens that requests of these outputs never use."""
    return reserved_waste((prompt + limit) * len(lengths), sum(prompt + length for length in lengths))


def mean_resident(kv_tokens: int, mean_prompt: Num, mean_output: Num) -> float:
    """Mean running sequences when KV memory binds: each holds its prompt and, on average, half its output."""
    return kv_tokens / (mean_prompt + mean_output / 2)


# --- Weights, bandwidth, compute ---------------------------------------------------------------------------------


def weight_bytes(params: Num, bytes_per_param: Num) -> Num:
    """Bytes of the weights. BF16/FP16 2, FP8/INT8 1, INT4 0.5 bytes a parameter (scales ignored)."""
    return params * bytes_per_param


def block_scaled_bytes(params: Num, bits: Num, block: int, scale_bits: Num = 8) -> Num:
    """Bytes of weights in blocks that share a scale: bits + scale_bits / block a parameter (NVFP4: 4 + 8 / 16 bits)."""
    return params * (bits + scale_bits / block) / 8


def forward_flops(params: Num, tokens: Num) -> Num:
    """FLOPs of a forward pass: about 2 per parameter and token (attention scores ignored). [KAPLAN section 2.1]"""
    return 2 * params * tokens


def decode_intensity(batch: int, bytes_per_param: Num) -> float:
    """FLOPs per weight byte of one decode step: 2 x batch / bytes per parameter (weights only). [ROOF]"""
    return 2 * batch / bytes_per_param


def ridge_point(flops_per_s: Num, bytes_per_s: Num) -> float:
    """Arithmetic intensity (FLOP/byte) at which a device turns from bandwidth-bound to compute-bound. [ROOF]"""
    return flops_per_s / bytes_per_s


def attainable_flops(intensity: Num, flops_per_s: Num, bytes_per_s: Num) -> Num:
    """The roofline: the smaller of the peak and intensity x bandwidth. [ROOF]"""
    return min(flops_per_s, intensity * bytes_per_s)


def batch_at_ridge(flops_per_s: Num, bytes_per_s: Num, bytes_per_param: Num) -> float:
    """Decode batch at which weights-only intensity reaches the ridge: ridge x bytes per parameter / 2."""
    return ridge_point(flops_per_s, bytes_per_s) * bytes_per_param / 2


def decode_step_s(params: Num, bytes_per_param: Num, kv_read_bytes: Num, bytes_per_s: Num) -> float:
    """Lower bound (seconds) of a bandwidth-bound decode step: weights once, plus every resident KV cache."""
    return (weight_bytes(params, bytes_per_param) + kv_read_bytes) / bytes_per_s


def decode_step_ratio(params: Num, bytes_per_param: Num, bytes_per_token: Num, tokens: Num, batch: int) -> float:
    """Bytes that a decode step of `batch` sequences of `tokens` tokens reads, over those of a step of one. [ROOF]"""
    weights, cache = weight_bytes(params, bytes_per_param), tokens * bytes_per_token
    return (weights + batch * cache) / (weights + cache)


def transfer_ms(bytes: Num, bytes_per_s: Num, count: Num = 1) -> float:
    """Milliseconds to move `count` times `bytes` over a link (for example `count` tokens of KV cache)."""
    return 1000 * count * bytes / bytes_per_s


def ring_all_reduce_bytes(bytes: Num, gpus: int) -> float:
    """Bytes that each GPU sends in a ring all-reduce of `bytes`: 2 x (n - 1) / n times the data. [NCCL]"""
    return 2 * (gpus - 1) / gpus * bytes


def decode_tokens_per_s(params: Num, bytes_per_param: Num, bytes_per_s: Num, batch: int = 1) -> float:
    """Upper bound of decode tokens/s when only the weight read costs time."""
    return batch * bytes_per_s / weight_bytes(params, bytes_per_param)


def kv_equals_weights_tokens(params: Num, bytes_per_param: Num, bytes_per_token: Num) -> float:
    """Resident context tokens at which a step's KV read equals its weight read."""
    return weight_bytes(params, bytes_per_param) / bytes_per_token


def prefill_s(params: Num, tokens: Num, flops_per_s: Num, efficiency: float = 1.0) -> float:
    """Seconds of a compute-bound prefill: FLOPs over achieved FLOP/s."""
    return forward_flops(params, tokens) / (flops_per_s * efficiency)


# --- Slots and schedules ----------------------------------------------------------------------------------------


def total_tokens(lengths: Sequence[int]) -> int:
    """Useful slot-steps: one a generated token."""
    return sum(lengths)


def static_steps(lengths: Sequence[int], slots: int) -> int:
    """Steps of request-level batching: groups of `slots` in order, each as long as its longest member."""
    return sum(max(lengths[i : i + slots]) for i in range(0, len(lengths), slots))


def static_slot_steps(lengths: Sequence[int], slots: int) -> int:
    """Slot-steps offered by full batches of `slots` (a short last batch still holds all slots)."""
    return slots * static_steps(lengths, slots)


def slot_waste(lengths: Sequence[int], slots: int) -> float:
    """Share (0..1) of slot-steps that produce no token: 1 - sum / (slots x sum of each batch's longest)."""
    return 1 - sum(lengths) / static_slot_steps(lengths, slots)


def slot_utilization(lengths: Sequence[int], slots: int) -> float:
    """Share (0..1) of slot-steps that produce a token under request-level batching."""
    return sum(lengths) / static_slot_steps(lengths, slots)


def sequential_ms(lengths: Sequence[int], step_ms: Num, prefill_ms: Num) -> Num:
    """Time of one request after another: a prefill each, then a step a token."""
    return len(lengths) * prefill_ms + sum(lengths) * step_ms


def static_ms(lengths: Sequence[int], slots: int, step_ms: Num, prefill_ms: Num) -> Num:
    """Time of request-level batching when a batch's prompts are prefilled together."""
    return -(-len(lengths) // slots) * prefill_ms + static_steps(lengths, slots) * step_ms


def fcfs_steps(lengths: Sequence[int], slots: int) -> int:
    """Makespan in steps of continuous batching: each request, in order, takes the slot that frees first. [GRAHAM]

    All requests are there at step 0; admission costs no step; memory does not bind.
    """
    free = [0] * slots
    for length in lengths:
        heapq.heapreplace(free, free[0] + length)
    return max(free)


def lpt_steps(lengths: Sequence[int], slots: int) -> int:
    """Makespan when the longest requests go first (lengths known). [GRAHAM]"""
    return fcfs_steps(sorted(lengths, reverse=True), slots)


def sjf_steps(lengths: Sequence[int], slots: int) -> int:
    """Makespan when the shortest requests go first."""
    return fcfs_steps(sorted(lengths), slots)


def repeated_fcfs_steps(lengths: Sequence[int], groups: int, slots: int) -> int:
    """Makespan of `groups` identical groups queued one behind the other."""
    return fcfs_steps(list(lengths) * groups, slots)


def makespan_bound(lengths: Sequence[int], slots: int) -> int:
    """No schedule is shorter: the longer of the longest request and the work divided by the slots. [GRAHAM]"""
    return max(max(lengths), -(-sum(lengths) // slots))


def continuous_gain(lengths: Sequence[int], slots: int) -> float:
    """Steps of request-level batching over steps of continuous (FCFS) batching."""
    return static_steps(lengths, slots) / fcfs_steps(lengths, slots)


def repeated_gain(lengths: Sequence[int], groups: int, slots: int) -> float:
    """`continuous_gain` of `groups` identical groups."""
    return continuous_gain(list(lengths) * groups, slots)


def backlog_gain_limit(lengths: Sequence[int]) -> float:
    """The gain that an endless backlog of such groups approaches: slots x longest / sum, slots = len(lengths)."""
    return len(lengths) * max(lengths) / sum(lengths)


def continuous_utilization(lengths: Sequence[int], slots: int) -> float:
    """Useful share (0..1) of slots x makespan under continuous FCFS batching."""
    return sum(lengths) / (slots * fcfs_steps(lengths, slots))


def idle_steps(length: int, longest: int) -> int:
    """Steps for which a finished sequence holds its slot in a batch that runs until `longest`."""
    return longest - length


def tokens_per_s(tokens: Num, seconds: Num) -> float:
    """Throughput."""
    return tokens / seconds


def chunk_steps(prompt: int, chunk: int) -> int:
    """Iterations that a prompt needs when at most `chunk` of its tokens are prefilled in each."""
    return -(-prompt // chunk)


def chunk_iteration_ms(chunk: int, prefill_ms_per_token: Num, step_ms: Num) -> Num:
    """Length of an iteration that carries a full chunk: what a running decode waits for its next token."""
    return step_ms + chunk * prefill_ms_per_token


def chunked_ttft_ms(prompt: int, chunk: int, prefill_ms_per_token: Num, step_ms: Num) -> Num:
    """First-token time of a prompt that is admitted at once and chunked: every chunk pays the step's fixed cost."""
    return chunk_steps(prompt, chunk) * step_ms + prompt * prefill_ms_per_token


def prefill_budget_left(token_budget: int, decoding: int) -> int:
    """Prefill tokens that fit into a step after one token for each decoding sequence (decode first)."""
    return max(0, token_budget - decoding)


# --- Latency and queueing ---------------------------------------------------------------------------------------


def e2e_ms(ttft_ms: Num, tokens: int, itl_ms: Num) -> Num:
    """End-to-end latency: first token, then tokens - 1 gaps."""
    return ttft_ms + (tokens - 1) * itl_ms


def itl_from_e2e_ms(e2e: Num, ttft_ms: Num, tokens: int) -> float:
    """Mean inter-token latency: (end-to-end - TTFT) / (tokens - 1); the first token is left out."""
    return (e2e - ttft_ms) / (tokens - 1)


def per_user_tokens_per_s(itl_ms: Num) -> float:
    """Speed that one user sees: 1 / ITL."""
    return 1000 / itl_ms


def littles_law(rate_per_s: Num, seconds: Num) -> Num:
    """Mean number in the system: arrival rate x mean time in it. [LITTLE]"""
    return rate_per_s * seconds


def closed_loop_rate(concurrency: int, latency_s: Num) -> float:
    """Requests/s of a closed loop that keeps `concurrency` requests outstanding. [LITTLE]"""
    return concurrency / latency_s


def mm1_time(service: Num, utilization: float) -> float:
    """Mean time in an M/M/1 system: service / (1 - utilisation). [MM1]"""
    return service / (1 - utilization)


def mm1_wait(service: Num, utilization: float) -> float:
    """Mean waiting time in an M/M/1 queue: utilisation x service / (1 - utilisation). [MM1]"""
    return utilization * service / (1 - utilization)


def mm1_percentile(service: Num, utilization: float, percentile: float) -> float:
    """Percentile (0..100) of the time in an M/M/1 system, which is exponential. [MM1]"""
    return -math.log(1 - percentile / 100) * mm1_time(service, utilization)


def percentile_nearest_rank(values: Sequence[Num], percentile: float) -> Num:
    """Smallest value that at least `percentile` % of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percentile / 100 * len(ordered)) - 1)]


def goodput_share(values: Sequence[Num], limit: Num) -> float:
    """Share (0..1) of requests whose latency is within the limit."""
    return sum(v <= limit for v in values) / len(values)


# --- Speculation ------------------------------------------------------------------------------------------------


def speculative_tokens(acceptance: float, draft_tokens: int) -> float:
    """Expected tokens per verification pass: (1 - a**(k+1)) / (1 - a). [SPEC eq. 1]"""
    if acceptance == 1:
        return draft_tokens + 1
    return (1 - acceptance ** (draft_tokens + 1)) / (1 - acceptance)


def speculative_speedup(acceptance: float, draft_tokens: int, draft_cost: float) -> float:
    """Speed-up over plain decoding when a draft step costs `draft_cost` of a target step. [SPEC theorem 3.8]"""
    return speculative_tokens(acceptance, draft_tokens) / (draft_tokens * draft_cost + 1)


# --- Servers ----------------------------------------------------------------------------------------------------


def average_batch(inferences: Num, executions: Num) -> float:
    """Triton's mean batch size: nv_inference_count / nv_inference_exec_count."""
    return inferences / executions


def queue_ms_per_request(queue_us: Num, requests: Num) -> float:
    """Mean queue time (ms) from Triton's cumulative queue duration (us) and request count."""
    return queue_us / requests / 1000


def full_load_concurrency(max_batch: int, instances: int) -> int:
    """Requests outstanding that keep a dynamic batcher full: 2 x batch x instances (Triton optimisation guide)."""
    return 2 * max_batch * instances


def model_instances(counts: Sequence[int], gpus: Sequence[int]) -> int:
    """Triton instances of a model: for each group, its count on every one of its GPUs."""
    return sum(c * g for c, g in zip(counts, gpus, strict=True))


def advertised_gpus(gpus: int, replicas: int) -> int:
    """Schedulable GPU resources under Kubernetes time-slicing."""
    return gpus * replicas


def share_of_total(part: Num, whole: Num) -> float:
    """part / whole."""
    return part / whole


def ratio(a: Num, b: Num) -> float:
    """a / b, for speed-ups."""
    return a / b


def product(values: Sequence[Num]) -> Num:
    """The product of the values."""
    return math.prod(values)


def shared_prefix_blocks(prefix_tokens: int, suffix_tokens: int, requests: int, block_size: int) -> int:
    """Blocks when full prefix blocks are stored once; the prefix's remainder goes with each request's own tokens."""
    shared = prefix_tokens // block_size
    own = blocks_for(prefix_tokens - shared * block_size + suffix_tokens, block_size)
    return shared + requests * own


def unshared_prefix_blocks(prefix_tokens: int, suffix_tokens: int, requests: int, block_size: int) -> int:
    """Blocks when every request stores its own copy of the prefix."""
    return requests * blocks_for(prefix_tokens + suffix_tokens, block_size)


def sequential_ttft_ms(lengths: Sequence[int], step_ms: Num, prefill_ms: Num) -> Num:
    """First-token time of the last request when requests run one after another in the listed order.

    The first token comes out of the prefill, so the last request waits for all others and then for its own prefill.
    """
    return len(lengths) * prefill_ms + sum(lengths[:-1]) * step_ms


def repeated_static_waste(lengths: Sequence[int], groups: int, slots: int) -> float:
    """`slot_waste` of `groups` identical groups after sorting all requests by length (an offline job may do so)."""
    return slot_waste(sorted(list(lengths) * groups), slots)


def lru_loads(adapters: int, requests: int, places: int) -> int:
    """Adapter loads when `requests` requests cycle through `adapters` adapters and `places` stay loaded (LRU)."""
    loaded: list[int] = []
    loads = 0
    for i in range(requests):
        one = i % adapters
        if one in loaded:
            loaded.remove(one)
        else:
            loads += 1
            if len(loaded) == places:
                loaded.pop(0)
        loaded.append(one)
    return loads


def ceil_ratio(a: int, b: int) -> int:
    """The smallest whole number that is not below a / b: replicas for a load, pods for a queue."""
    return -(-a // b)


def mean(values: Sequence[Num]) -> float:
    """Arithmetic mean."""
    return sum(values) / len(values)


FUNCTIONS: dict[str, Callable[..., Num]] = {
    f.__name__: f
    for f in (
        kv_bytes_per_token, mla_bytes_per_token, kv_cache_bytes, kv_bytes, kv_tokens_that_fit, sequences_that_fit,
        blocks_for, block_waste, mean_block_waste, resident_by_blocks, reserved_waste, mean_resident, weight_bytes,
        forward_flops, decode_intensity, ridge_point, batch_at_ridge, decode_step_s, decode_tokens_per_s,
        kv_equals_weights_tokens, prefill_s, total_tokens, static_steps, static_slot_steps, slot_waste,
        slot_utilization, sequential_ms, static_ms, fcfs_steps, lpt_steps, sjf_steps, repeated_fcfs_steps,
        makespan_bound, continuous_gain, repeated_gain, backlog_gain_limit, continuous_utilization, idle_steps,
        tokens_per_s, chunk_steps, chunk_iteration_ms, chunked_ttft_ms, prefill_budget_left, e2e_ms,
        itl_from_e2e_ms, per_user_tokens_per_s, littles_law, closed_loop_rate, mm1_time, mm1_wait, mm1_percentile,
        percentile_nearest_rank, goodput_share, speculative_tokens, speculative_speedup, average_batch,
        queue_ms_per_request, full_load_concurrency, model_instances, advertised_gpus, share_of_total, ratio,
        product, shared_prefix_blocks, unshared_prefix_blocks,
        sequential_ttft_ms, repeated_static_waste, lru_loads, mean,
        transfer_ms, decode_step_ratio, reserved_waste_of, sequences_in_budget, kv_bytes_per_token_per_gpu,
        block_scaled_bytes, attainable_flops, ring_all_reduce_bytes, ceil_ratio,
    )
}  # fmt: skip
"""The functions that a question may name in `answer` and `traps`. Nothing else is ever called from data."""
