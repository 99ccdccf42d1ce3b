"""Weights: presets, Hugging Face folders, GGUF files, and every way a file can be bad."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from labs.engine.model_config import PRESETS, ModelError
from labs.engine.torch_executor import make_executor
from labs.engine.weights import load_config, load_weights, random_tensors
from tests.engine.torch_helpers import ODD, advance, naive_logits, sequence

PROMPT = [5, 17, 101, 33, 8, 250, 61, 9, 77, 140, 3]


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "home"))


def hugging_face_json(config=ODD, **changes):
    return {
        "model_type": "llama",
        "vocab_size": config.vocab_size,
        "hidden_size": config.hidden,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "intermediate_size": config.ffn,
        "max_position_embeddings": config.max_positions,
        "rms_norm_eps": config.rms_eps,
        "rope_theta": config.rope_theta,
        "tie_word_embeddings": config.tied,
        "eos_token_id": 2,
        "hidden_act": "silu",
        **changes,
    }


def write_folder(folder: Path, config=ODD, **changes) -> dict[str, torch.Tensor]:
    folder.mkdir()
    tensors = random_tensors(config, seed=9)
    (folder / "config.json").write_text(json.dumps(hugging_face_json(config, **changes)))
    save_file(tensors, folder / "model.safetensors")
    return tensors


def permute(rows: np.ndarray, heads: int) -> np.ndarray:
    """As llama.cpp's converter stores q and k: the pairs that rotary positions turn lie side by side."""
    order = [
        head * (per := rows.shape[0] // heads) + half * per // 2 + i
        for head in range(heads)
        for i in range(rows.shape[0] // heads // 2)
        for half in (0, 1)
    ]
    return rows[order]


def write_gguf(path: Path, config=ODD, architecture="llama", leave_out="", tokens=None, merges=()) -> dict:
    tensors = random_tensors(config, seed=9)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(config.max_positions)
    writer.add_embedding_length(config.hidden)
    writer.add_block_count(config.layers)
    writer.add_feed_forward_length(config.ffn)
    writer.add_head_count(config.heads)
    writer.add_head_count_kv(config.kv_heads)
    writer.add_key_length(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_eps)
    writer.add_rope_freq_base(config.rope_theta)
    writer.add_eos_token_id(2)
    if tokens:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("smollm")
        writer.add_token_list(tokens)
        writer.add_token_merges(list(merges))
        writer.add_token_types([3 if token.startswith("<|") else 1 for token in tokens])
    names = {
        "input_layernorm": "attn_norm",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "post_attention_layernorm": "ffn_norm",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
    }
    outer = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    for name, tensor in tensors.items():
        values, stem = tensor.numpy(), name.removesuffix(".weight")
        if stem in outer:
            target = f"{outer[stem]}.weight"
        else:
            _, _, layer, part = stem.split(".", 3)
            target = f"blk.{layer}.{names[part]}.weight"
            if part.endswith(("q_proj", "k_proj")):
                values = permute(values, config.heads if part.endswith("q_proj") else config.kv_heads)
        if target != leave_out:
            writer.add_tensor(target, np.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tensors


def next_token(spec: str) -> int:
    made = make_executor(spec, exact=False, threads=1)
    made.allocate(4, 4)
    return advance(made, sequence(1, PROMPT, [4, 2, 1])).tokens[1]


@pytest.mark.parametrize(("name", "low", "high"), [("tiny", 0.9, 3), ("small", 25, 32), ("base", 130, 140)])
def test_presets_have_the_size_their_names_promise(name, low, high):
    assert low <= PRESETS[name].parameters / 1e6 <= high


def test_a_seed_makes_the_same_weights_and_another_seed_others():
    one, same, other = (random_tensors(ODD, seed) for seed in (1, 1, 2))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["model.embed_tokens.weight"], other["model.embed_tokens.weight"])


@pytest.mark.parametrize("config", [ODD, replace(ODD, tied=False)], ids=["tied", "untied"])
@pytest.mark.parametrize("kind", ["folder", "gguf"])
def test_files_give_back_every_tensor_and_the_textbook_answer(tmp_path, kind, config):
    path = tmp_path / ("model" if kind == "folder" else "model.gguf")
    written = (write_folder if kind == "folder" else write_gguf)(path, config)
    loaded = load_weights(str(path))
    assert loaded.tensors.keys() == written.keys()
    for name, tensor in written.items():
        assert torch.equal(loaded.tensors[name], tensor), name
    assert replace(loaded.config, name="odd", stop_ids=()) == config
    assert loaded.config.stop_ids == (2,)
    assert load_config(str(path)) == loaded.config
    assert next_token(str(path)) == int(naive_logits(config, written, PROMPT)[-1].argmax())


def test_a_folder_in_parts(tmp_path):
    tensors = write_folder(tmp_path / "m")
    whole = next_token(str(tmp_path / "m"))
    (tmp_path / "m" / "model.safetensors").unlink()
    names = sorted(tensors)
    parts = {"a.safetensors": names[: len(names) // 2], "b.safetensors": names[len(names) // 2 :]}
    for file, held in parts.items():
        save_file({name: tensors[name] for name in held}, tmp_path / "m" / file)
    index = {"weight_map": {name: file for file, held in parts.items() for name in held}}
    (tmp_path / "m" / "model.safetensors.index.json").write_text(json.dumps(index))
    assert next_token(str(tmp_path / "m")) == whole


def test_newer_configs_keep_rope_theta_elsewhere(tmp_path):
    raw = hugging_face_json(rope_parameters={"rope_theta": 500.0, "rope_type": "default"})
    del raw["rope_theta"]
    write_folder(tmp_path / "m")
    (tmp_path / "m" / "config.json").write_text(json.dumps(raw))
    assert load_config(str(tmp_path / "m")).rope_theta == 500.0


def test_the_tokenizer_inside_a_gguf_file(tmp_path):
    tokens = ["<|im_end|>", "h", "i", "1", "2", "Ġ", "hi", "Ġhi", "12"]
    write_gguf(tmp_path / "m.gguf", tokens=tokens, merges=["h i", "Ġ hi", "1 2"])
    tokenizer = load_weights(str(tmp_path / "m.gguf")).tokenizer
    ids = tokenizer.encode("hi hi12<|im_end|>").ids
    assert [tokens[i] for i in ids] == ["hi", "Ġhi", "1", "2", "<|im_end|>"]  # digits stay apart
    assert tokenizer.decode(ids, skip_special_tokens=False) == "hi hi12<|im_end|>"


def cut(path: Path, keep: float) -> None:
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * keep)])


def bad_text(path):
    path.write_text("this is a shopping list, not a model")


def bad_empty(path):
    path.write_bytes(b"")


def bad_cut_head(path):
    write_gguf(path)
    cut(path, 0.001)


def bad_cut_tensors(path):
    write_gguf(path)
    cut(path, 0.6)


def bad_architecture(path):
    write_gguf(path, architecture="qwen2")


def bad_missing(path):
    write_gguf(path, leave_out="blk.1.ffn_up.weight")


def bad_no_embedding(path):
    write_gguf(path, leave_out="token_embd.weight")


def bad_no_config(path):
    path.mkdir()


def bad_json(path):
    write_folder(path)
    (path / "config.json").write_text("{nope")


def bad_nesting(path):
    write_folder(path)
    (path / "config.json").write_text("[" * 100_000)


def bad_list(path):
    write_folder(path)
    (path / "config.json").write_text("[1]")


def bad_type(path):
    write_folder(path, model_type="mamba")


def bad_rope(path):
    write_folder(path, rope_scaling={"rope_type": "llama3", "factor": 8.0})


def bad_heads(path):
    write_folder(path, num_key_value_heads=4)


def bad_field(path):
    write_folder(path, num_hidden_layers="two")


def bad_shape(path):
    write_folder(path, intermediate_size=192)


def bad_cut_safetensors(path):
    write_folder(path)
    cut(path / "model.safetensors", 0.5)


def bad_no_weights(path):
    write_folder(path)
    (path / "model.safetensors").unlink()


def bad_tensor(path):
    tensors = write_folder(path)
    tensors.pop("model.norm.weight")
    save_file(tensors, path / "model.safetensors")


BAD = {
    bad_text: "not a GGUF file",
    bad_empty: "not a GGUF file",
    bad_cut_head: "damaged or cut off",
    bad_cut_tensors: "damaged or cut off",
    bad_architecture: "'qwen2'",
    bad_missing: "'model.layers.1.mlp.up_proj.weight' is missing",
    bad_no_embedding: "'token_embd.weight' is missing",
    bad_no_config: "no config.json",
    bad_json: "not readable as JSON",
    bad_nesting: "not readable as JSON",
    bad_list: "no JSON object",
    bad_type: "'mamba'",
    bad_rope: "scaled rotary positions",
    bad_heads: "6 query heads cannot share 4 KV heads",
    bad_field: "'num_hidden_layers' is 'two'",
    bad_shape: "do not belong together",
    bad_cut_safetensors: "not a whole safetensors file",
    bad_no_weights: "no model.safetensors",
    bad_tensor: "'model.norm.weight' is missing",
}


@pytest.mark.parametrize("make", BAD, ids=lambda make: make.__name__)
def test_a_bad_model_is_one_clear_sentence(tmp_path, make):
    path = tmp_path / "model"
    make(path)
    with pytest.raises(ModelError) as caught:
        load_weights(str(path))
    message = str(caught.value)
    assert BAD[make] in message
    assert str(path) in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "huge"}, "there is no model 'huge'"),
        ({"model": "smollm2"}, "quizapp model add smollm2"),
        ({"dtype": "float16"}, "--dtype is 'float16'"),
        ({"device": "tpu"}, "--device is 'tpu'"),
        ({"threads": 0}, "--threads is 0"),
    ],
)
def test_a_bad_option_is_one_clear_sentence(options, words):
    with pytest.raises(ModelError, match=r"^[^\n]*$") as caught:
        make_executor(**options)
    assert words in str(caught.value)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_cuda_where_there_is_none():
    with pytest.raises(ModelError, match="no CUDA device here; use --device cpu"):
        make_executor(device="cuda")
