"""The shape of a Llama-family model, and the presets. No torch here: the shapes are wanted before it loads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from labs.engine.types import EngineError


class ModelError(EngineError):
    """A model that cannot be loaded; the message is a sentence that names the file and the way out."""


@dataclass(frozen=True, slots=True)
class LlamaConfig:
    """RMSNorm, rotary positions, grouped-query attention, SwiGLU, no biases: Llama, SmolLM2, TinyLlama, ..."""

    name: str
    vocab_size: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    max_positions: int
    rope_theta: float = 10_000.0
    rms_eps: float = 1e-5
    tied: bool = True  # the output head is the embedding matrix
    stop_ids: tuple[int, ...] = ()  # the model's own end-of-text tokens

    def __post_init__(self) -> None:
        sizes = {key: getattr(self, key) for key in ("vocab_size", "hidden", "layers", "heads", "kv_heads", "ffn")}
        for key, value in {**sizes, "head_dim": self.head_dim, "max_positions": self.max_positions}.items():
            if not isinstance(value, int) or value < 1:
                raise ModelError(f"{self.name}: {key} is {value!r}; it must be a whole number of at least 1")
        if self.heads % self.kv_heads:
            raise ModelError(f"{self.name}: {self.heads} query heads cannot share {self.kv_heads} KV heads evenly")
        if self.head_dim % 2:
            raise ModelError(f"{self.name}: head_dim {self.head_dim} is odd; rotary positions turn pairs of numbers")

    @property
    def group(self) -> int:
        """Query heads that share one KV head."""
        return self.heads // self.kv_heads

    @property
    def parameters(self) -> int:
        return sum(rows * columns for rows, columns in self.shapes().values())

    def kv_bytes_per_token(self, dtype_bytes: int) -> int:
        """K and V of one token over all layers, in bytes."""
        return 2 * self.layers * self.kv_heads * self.head_dim * dtype_bytes

    def shapes(self) -> dict[str, tuple[int, int]]:
        """Every tensor of the model by its Hugging Face name, as [rows, columns]; a vector is [1, n]."""
        q, kv = self.heads * self.head_dim, self.kv_heads * self.head_dim
        shapes = {"model.embed_tokens.weight": (self.vocab_size, self.hidden), "model.norm.weight": (1, self.hidden)}
        if not self.tied:
            shapes["lm_head.weight"] = (self.vocab_size, self.hidden)
        for layer in range(self.layers):
            for name, shape in {
                "input_layernorm": (1, self.hidden),
                "self_attn.q_proj": (q, self.hidden),
                "self_attn.k_proj": (kv, self.hidden),
                "self_attn.v_proj": (kv, self.hidden),
                "self_attn.o_proj": (self.hidden, q),
                "post_attention_layernorm": (1, self.hidden),
                "mlp.gate_proj": (self.ffn, self.hidden),
                "mlp.up_proj": (self.ffn, self.hidden),
                "mlp.down_proj": (self.hidden, self.ffn),
            }.items():
                shapes[f"model.layers.{layer}.{name}.weight"] = shape
        return shapes


PRESETS = {
    "tiny": LlamaConfig("tiny", 1024, 128, 4, 4, 2, 32, 352, max_positions=65_536, tied=False),
    "small": LlamaConfig("small", 8192, 512, 8, 8, 4, 64, 1408, max_positions=65_536),
    "base": LlamaConfig("base", 49152, 576, 30, 9, 3, 64, 1536, max_positions=65_536, rope_theta=100_000.0),
}
"""Random weights made from a seed: about 1 M (tests), 28 M (labs) and 135 M parameters (the shape of SmolLM2-135M)."""


def config_from_hugging_face(raw: Mapping[str, object], where: str) -> LlamaConfig:
    """Read a Hugging Face `config.json` (both the flat rope_theta and the newer `rope_parameters`)."""
    if raw.get("model_type") != "llama":
        raise ModelError(
            f"{where}: model_type is {raw.get('model_type')!r}; only Llama-family models ('llama') run here"
        )
    for key, allowed in (("hidden_act", ("silu",)), ("attention_bias", (False,)), ("mlp_bias", (False,))):
        if raw.get(key, allowed[0]) not in allowed:
            raise ModelError(f"{where}: {key} is {raw[key]!r}; this engine computes only {allowed[0]!r}")
    rope = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    if not isinstance(rope, Mapping) or rope.get("rope_type", rope.get("type", "default")) != "default":
        raise ModelError(f"{where}: scaled rotary positions ({rope!r}) are not supported; use a model without them")

    def whole(key: str, default: object = None) -> int:
        value = raw.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ModelError(f"{where}: '{key}' is {value!r}; it must be a whole number")
        return value

    heads, hidden = whole("num_attention_heads"), whole("hidden_size")
    stop = raw.get("eos_token_id")
    stop_ids = tuple(stop) if isinstance(stop, list) else () if stop is None else (stop,)
    theta = rope.get("rope_theta", raw.get("rope_theta", 10_000.0))
    try:
        return LlamaConfig(
            name=where,
            vocab_size=whole("vocab_size"),
            hidden=hidden,
            layers=whole("num_hidden_layers"),
            heads=heads,
            kv_heads=whole("num_key_value_heads", heads),
            head_dim=whole("head_dim", hidden // max(heads, 1)),
            ffn=whole("intermediate_size"),
            max_positions=whole("max_position_embeddings"),
            rope_theta=float(theta),
            rms_eps=float(raw.get("rms_norm_eps", 1e-6)),  # type: ignore[arg-type]
            tied=bool(raw.get("tie_word_embeddings", False)),
            stop_ids=tuple(int(i) for i in stop_ids),
        )
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, ModelError) else ModelError(f"{where}: {error}") from None
