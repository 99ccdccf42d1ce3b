"""GGUF files (llama.cpp's format) by the `gguf` library: settings, weights and the tokenizer inside."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from labs.engine.model_config import LlamaConfig, ModelError
from labs.engine.weights import Weights, check_tensors

_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_CONTROL_TOKEN = 3  # gguf.TokenType.CONTROL: tokens such as <|im_end|> that text never spells


@dataclass(slots=True)
class OpenGGUF:
    config: LlamaConfig
    reader: gguf.GGUFReader


def open_gguf(path: Path) -> OpenGGUF:
    """Open a file and read its settings. Raises ModelError."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
        if magic != b"GGUF":
            raise ModelError(f"{path}: not a GGUF file (it begins with {magic!r}); give a .gguf file or a model folder")
        reader = gguf.GGUFReader(path)
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from None
    except Exception as error:  # a cut or damaged file fails anywhere inside the library, with many kinds of error
        raise ModelError(f"{path}: damaged or cut off ({type(error).__name__}: {error}); fetch it again") from None
    return OpenGGUF(_config(reader, path), reader)


def load_gguf(path: Path, dtype: torch.dtype | None = None) -> Weights:
    """Weights in `dtype` (fp32; quantised tensors are expanded), under Hugging Face names and in its row order."""
    opened = open_gguf(path)
    config = opened.config
    tensors = {}
    for tensor in opened.reader.tensors:
        name = _hugging_face_name(tensor.name)
        if name not in config.shapes():
            continue
        try:
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        except (NotImplementedError, ValueError) as error:
            raise ModelError(f"{path}: tensor '{tensor.name}' ({tensor.tensor_type.name}): {error}") from None
        values = values.reshape([int(n) for n in reversed(tensor.shape)])
        if name.endswith(("q_proj.weight", "k_proj.weight")) and values.ndim == 2:
            heads = config.heads if "q_proj" in name else config.kv_heads
            values = unpermute(values, heads, f"{path}: tensor '{tensor.name}'")
        tensors[name] = torch.from_numpy(np.ascontiguousarray(values)).to(dtype)
    check_tensors(config, {name: tuple(tensor.shape) for name, tensor in tensors.items()}, str(path))
    return Weights(config, tensors, _tokenizer(opened.reader, path))


def unpermute(rows: np.ndarray, heads: int, where: str = "tensor") -> np.ndarray:
    """llama.cpp's row order of q and k (pairs side by side) to Hugging Face's (first halves, then second halves).

    Inverse of `permute` in llama.cpp's converter: rotary positions turn rows (2i, 2i + 1) there, (i, i + d/2) here.
    """
    if rows.shape[0] % (2 * heads):
        raise ModelError(f"{where} has {rows.shape[0]} rows, which {heads} heads cannot share evenly")
    split = rows.reshape(heads, rows.shape[0] // heads // 2, 2, *rows.shape[1:])
    return split.swapaxes(1, 2).reshape(rows.shape)


def _hugging_face_name(name: str) -> str:
    parts = name.split(".")
    if len(parts) == 4 and parts[0] == "blk" and parts[2] in _LAYER:
        return f"model.layers.{parts[1]}.{_LAYER[parts[2]]}.{parts[3]}"
    if len(parts) == 2 and parts[0] in _OUTER:
        return f"{_OUTER[parts[0]]}.{parts[1]}"
    return name


def _field(reader: gguf.GGUFReader, key: str, default: Any = None) -> Any:
    field = reader.get_field(key)
    return default if field is None else field.contents()


def _config(reader: gguf.GGUFReader, path: Path) -> LlamaConfig:
    architecture = _field(reader, "general.architecture")
    if architecture != "llama":
        raise ModelError(f"{path}: the architecture is {architecture!r}; only Llama-family models ('llama') run here")
    if _field(reader, "llama.rope.scaling.type", "none") != "none":
        raise ModelError(f"{path}: scaled rotary positions are not supported; use a model without them")
    names = {tensor.name: tensor.shape for tensor in reader.tensors}
    if "token_embd.weight" not in names:
        raise ModelError(f"{path}: tensor 'token_embd.weight' is missing; is this a vocabulary-only file?")
    if "rope_freqs.weight" in names:
        raise ModelError(f"{path}: scaled rotary positions are not supported; use a model without them")

    def setting(key: str, default: Any = None) -> Any:
        value = _field(reader, f"llama.{key}", default)
        if value is None:
            raise ModelError(f"{path}: the setting 'llama.{key}' is missing")
        return value

    heads, hidden = setting("attention.head_count"), setting("embedding_length")
    end = _field(reader, "tokenizer.ggml.eos_token_id")
    try:
        return LlamaConfig(
            name=str(path),
            vocab_size=int(names["token_embd.weight"][-1]),
            hidden=hidden,
            layers=setting("block_count"),
            heads=heads,
            kv_heads=setting("attention.head_count_kv", heads),
            head_dim=setting("attention.key_length", hidden // max(heads, 1)),
            ffn=setting("feed_forward_length"),
            max_positions=setting("context_length"),
            rope_theta=float(setting("rope.freq_base", 10_000.0)),
            rms_eps=float(setting("attention.layer_norm_rms_epsilon", 1e-5)),
            tied="output.weight" not in names,
            stop_ids=() if end is None else (int(end),),
        )
    except TypeError as error:
        raise ModelError(f"{path}: a setting has the wrong type ({error})") from None


def _tokenizer(reader: gguf.GGUFReader, path: Path) -> Tokenizer | None:
    """The byte-level BPE tokenizer inside, or None when the file has another kind (token ids still work)."""
    if _field(reader, "tokenizer.ggml.model") != "gpt2":
        return None
    digits_apart = {"smollm": True, "gpt-2": False, "default": False}.get(
        _field(reader, "tokenizer.ggml.pre", "default")
    )
    tokens, merges = _field(reader, "tokenizer.ggml.tokens"), _field(reader, "tokenizer.ggml.merges")
    if digits_apart is None or not tokens or merges is None:
        return None
    vocabulary = {token: number for number, token in enumerate(tokens)}
    try:
        tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(merge.split(" ", 1)) for merge in merges]))
    except Exception as error:  # the library raises a bare Exception, for instance for a merge of unknown tokens
        raise ModelError(f"{path}: the tokenizer inside is damaged ({error})") from None
    steps: list[Any] = [pre_tokenizers.Digits(individual_digits=True)] if digits_apart else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*steps, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    kinds = _field(reader, "tokenizer.ggml.token_type") or []
    special = [
        AddedToken(token, special=True) for token, kind in zip(tokens, kinds, strict=False) if kind == _CONTROL_TOKEN
    ]
    tokenizer.add_special_tokens(special)
    return tokenizer
