"""How long an iteration takes, apart from who computes it. Whole nanoseconds, so that sums are exact."""

from __future__ import annotations

from collections.abc import Callable

from labs.engine.hardware import BF16_BYTES, DEFAULT_SHAPE, GPUS, MODEL_SHAPES, Gpu, ModelShape, look_up
from labs.engine.types import NS_PER_MS, EngineError, Plan
from labs.formulas import forward_flops, weight_bytes

Clock = Callable[[Plan, int], int]
"""(plan, measured wall time of the executor in ns) -> duration of the iteration in ns."""

STEP_NS = 20 * NS_PER_MS
PREFILL_NS = 60 * NS_PER_MS
PREFILL_TOKEN_NS = 3 * NS_PER_MS // 10
HOST_LINK_BYTES_PER_S = 64e9  # PCIe 5.0 x16, one direction, nominal


def lesson(plan: Plan, measured_ns: int) -> int:
    """20 ms an iteration, plus 60 ms when the iteration contains a prefill (of any size). Swapping is free."""
    return STEP_NS + (PREFILL_NS if plan.prefill_tokens else 0)


def lesson_token(plan: Plan, measured_ns: int) -> int:
    """20 ms an iteration, plus 0.3 ms for each prefill token computed, padding included."""
    return STEP_NS + PREFILL_TOKEN_NS * (plan.prefill_tokens + sum(plan.pad_prompt))


def wall(plan: Plan, measured_ns: int) -> int:
    """This machine's time. Idle gaps between arrivals are skipped, not slept."""
    return measured_ns


def roofline(gpu: Gpu, shape: ModelShape) -> Clock:
    """max(bytes / bandwidth, FLOPs / peak) of an iteration in BF16, plus swapped bytes over the host link.

    Bytes: the weights once, and each row's KV context once. FLOPs: 2 x parameters a token, padding included
    (attention's own FLOPs are left out). A bound on speed, not a prediction: real servers reach a part of it.
    """
    weights = weight_bytes(shape.params, BF16_BYTES)
    kv_bytes = shape.kv_bytes_per_token(BF16_BYTES)

    def duration(plan: Plan, measured_ns: int) -> int:
        context = sum(stop for _, _, stop in plan.chunks)
        tokens = plan.prefill_tokens + plan.decode_tokens + sum(plan.pad_prompt) + plan.pad_decode
        read_s = (weights + context * kv_bytes) / gpu.bytes_per_s
        compute_s = forward_flops(shape.params, tokens) / gpu.flops_per_s
        return round((max(read_s, compute_s) + plan.swap_bytes / HOST_LINK_BYTES_PER_S) * 1e9)

    return duration


def make_clock(name: str) -> Clock:
    """`lesson`, `lesson-token`, `wall`, `roofline:GPU` or `roofline:GPU:MODEL`."""
    named: dict[str, Clock] = {"lesson": lesson, "lesson-token": lesson_token, "wall": wall}
    if name in named:
        return named[name]
    kind, _, rest = name.partition(":")
    if kind == "roofline" and rest:
        gpu, _, model = rest.lower().partition(":")
        return roofline(look_up(GPUS, gpu, "GPU"), look_up(MODEL_SHAPES, model or DEFAULT_SHAPE, "model shape"))
    raise EngineError(
        f"--clock is '{name}'; choose lesson, lesson-token, wall or roofline:GPU (for example roofline:h100)"
    )
