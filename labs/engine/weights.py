"""Weights by name or path: presets made from a seed, Hugging Face folders (safetensors), GGUF files.

Whatever is wrong with a file ends as a `ModelError`: one sentence with the file, the fault and the way out.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labs.engine.model_config import PRESETS, LlamaConfig, ModelError, config_from_hugging_face

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer
    from torch import Tensor


@dataclass(slots=True)
class Weights:
    """A loaded model: `tensors` by their Hugging Face names; `tokenizer` None when the model comes without one."""

    config: LlamaConfig
    tensors: dict[str, Tensor]
    tokenizer: Tokenizer | None = None


def models_folder() -> Path:
    """Where `quizapp model add` keeps models: $QUIZAPP_HOME/models, or the platform's data folder."""
    home = os.environ.get("QUIZAPP_HOME")
    if home:
        return Path(home).expanduser() / "models"
    from platformdirs import user_data_path

    return user_data_path("quizapp", appauthor=False) / "models"


def find_model(spec: str) -> Path | None:
    """The file or folder that a model name or path means; None for a preset. Raises ModelError."""
    if spec in PRESETS:
        return None
    path = Path(spec).expanduser()
    if path.exists():
        return path
    added = models_folder() / f"{spec}.gguf"
    if added.exists():
        return added
    if spec == "smollm2":
        raise ModelError("the SmolLM2 weights are not here yet; fetch them once with: quizapp model add smollm2")
    known = ", ".join([*PRESETS, "smollm2"])
    raise ModelError(f"there is no model '{spec}'; give one of {known}, a .gguf file or a folder with config.json")


def load_config(spec: str) -> LlamaConfig:
    """The shape of a model, without its weights. Raises ModelError."""
    path = find_model(spec)
    if path is None:
        return PRESETS[spec]
    if path.is_dir():
        return _folder_config(path)
    from labs.engine.weights_gguf import open_gguf

    return open_gguf(path).config


def load_weights(spec: str, seed: int = 0, dtype: torch.dtype | None = None) -> Weights:
    """Load `tiny`, `small`, `base` (random, from the seed), `smollm2`, a GGUF file or a Hugging Face folder.

    Each tensor is turned into `dtype` as it is read, so that a bf16 model never lies in memory as fp32; None keeps the
    file's own (fp32 for random and quantised weights). Raises ModelError.
    """
    path = find_model(spec)
    if path is None:
        return Weights(PRESETS[spec], random_tensors(PRESETS[spec], seed, dtype))
    if path.is_dir():
        return _load_folder(path, dtype)
    from labs.engine.weights_gguf import load_gguf

    return load_gguf(path, dtype)


def random_tensors(config: LlamaConfig, seed: int, dtype: torch.dtype | None = None) -> dict[str, Tensor]:
    """Normal weights of variance 1 / fan-in, the same for the same seed: activations keep their size through layers.

    The embedding is small beside what the layers add, so that a tied head does not just repeat the last token.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for name, (rows, columns) in config.shapes().items():
        if rows == 1:
            tensors[name] = torch.ones(columns, dtype=dtype)
        else:
            tensors[name] = torch.empty(rows, columns).normal_(std=columns**-0.5, generator=generator).to(dtype)
    return tensors


def check_tensors(config: LlamaConfig, found: dict[str, tuple[int, ...]], where: str) -> None:
    """Every tensor that the config promises is there with its shape. Raises ModelError naming the first that is not."""
    for name, (rows, columns) in config.shapes().items():
        wanted = (columns,) if rows == 1 else (rows, columns)
        if name not in found:
            raise ModelError(f"{where}: tensor '{name}' is missing; the download may be incomplete")
        if tuple(found[name]) != wanted:
            raise ModelError(
                f"{where}: tensor '{name}' has the shape {list(found[name])}, but the model's settings say "
                f"{list(wanted)}; the config and the weights do not belong together"
            )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(
            f"{path.parent}: no {path.name}; a model folder has config.json and model.safetensors"
        ) from None
    except (OSError, ValueError, RecursionError) as error:  # ValueError: no UTF-8, no JSON, a number without end
        raise ModelError(f"{path}: not readable as JSON ({error})") from None
    if not isinstance(value, dict):
        raise ModelError(f"{path}: holds no JSON object; is it a Hugging Face config?")
    return value


def _folder_config(folder: Path) -> LlamaConfig:
    return config_from_hugging_face(_read_json(folder / "config.json"), str(folder / "config.json"))


def _load_folder(folder: Path, dtype: torch.dtype | None) -> Weights:
    from safetensors import SafetensorError, safe_open

    config = _folder_config(folder)
    files = [folder / "model.safetensors"]
    if not files[0].exists() and (folder / "model.safetensors.index.json").exists():
        parts = _read_json(folder / "model.safetensors.index.json").get("weight_map")
        if not isinstance(parts, dict):
            raise ModelError(f"{folder / 'model.safetensors.index.json'}: no 'weight_map'")
        files = [folder / Path(str(name)).name for name in sorted(set(parts.values()))]
    wanted = set(config.shapes())
    tensors: dict[str, Tensor] = {}
    for file in files:
        if not file.exists():
            raise ModelError(f"{folder}: no {file.name}; a model folder has config.json and model.safetensors")
        try:
            with safe_open(str(file), framework="pt") as opened:
                for name in wanted.intersection(opened.keys()):
                    tensors[name] = opened.get_tensor(name)
                    if tensors[name].is_floating_point():
                        tensors[name] = tensors[name].to(dtype)
        except (SafetensorError, OSError) as error:
            raise ModelError(f"{file}: not a whole safetensors file ({error}); fetch it again") from None
    check_tensors(config, {name: tuple(tensor.shape) for name, tensor in tensors.items()}, str(folder))
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise ModelError(f"{folder}: tensor '{name}' holds {tensor.dtype}; quantised folders are not supported")
    return Weights(config, tensors, _folder_tokenizer(folder / "tokenizer.json"))


def _folder_tokenizer(path: Path) -> Tokenizer | None:
    if not path.exists():
        return None
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises a bare Exception for a bad file
        raise ModelError(f"{path}: not a tokenizer file ({error})") from None
