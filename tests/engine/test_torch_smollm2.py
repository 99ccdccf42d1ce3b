"""The real SmolLM2-135M weights with natural prompts: random prompts hide differences, their outputs loop."""

from __future__ import annotations

import pytest
import torch

from labs.engine import EngineConfig, Request, run
from labs.engine.model import LlamaModel
from labs.engine.model_config import ModelError
from labs.engine.torch_executor import DTYPES, TorchExecutor
from labs.engine.weights import Weights, load_weights
from labs.engine.weights_fetch import add_model
from tests.engine.helpers import lesson
from tests.engine.test_torch_exact import same_everywhere
from tests.engine.torch_helpers import outputs

pytestmark = [pytest.mark.prove, pytest.mark.xdist_group("smollm2")]

QUESTIONS = (
    "What is the capital of France?",
    "Write a short poem about the sea.",
    "Explain what batching means in machine learning inference, and why it makes a GPU cheaper to run.",
    "List three uses of a paper clip.",
    "My neighbour plays the drums at night. Write a polite letter to her.",
    "Why is the sky blue? Answer as if I were five years old.",
)


@pytest.fixture(scope="module")
def weights(tmp_path_factory) -> Weights:
    try:
        return load_weights("smollm2")
    except ModelError:
        pass
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUIZAPP_HOME", str(tmp_path_factory.mktemp("home")))
        try:
            return load_weights(str(add_model("smollm2")))
        except ModelError as error:
            pytest.skip(str(error))


def smollm2(weights: Weights, dtype: str, exact: bool = True) -> TorchExecutor:
    torch.set_num_threads(1)  # a busy machine makes two threads wait for each other
    with torch.inference_mode():
        model = LlamaModel(weights.config, dict(weights.tensors), DTYPES[dtype], "cpu")
    made = TorchExecutor(model, exact, seed=3)
    assert made.exact is exact, made.warning
    return made


def prompts(weights: Weights) -> list[tuple[int, ...]]:
    chat = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
    return [tuple(weights.tokenizer.encode(chat.format(question)).ids) for question in QUESTIONS]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_natural_text_is_the_same_alone_and_in_any_company(weights, dtype):
    made = smollm2(weights, dtype)
    requests = [
        Request(f"q{i}", len(prompt), output_len=24 + 9 * (i % 3), prompt=prompt, arrival_ns=i * 70_000_000)
        for i, prompt in enumerate(prompts(weights))
    ]
    assert same_everywhere(made, requests, 16) > 0
    texts = outputs(made, requests, slots=8).outputs
    assert min(len(set(text)) / len(text) for text in texts) > 0.4, "the text loops; it proves little"


@pytest.mark.parametrize("exact", [True, False])
def test_greedy_text_equals_transformers_generate_in_fp32(weights, exact):
    transformers = pytest.importorskip("transformers", reason="install the bench extra")
    config = weights.config
    theirs = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.hidden,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            num_key_value_heads=config.kv_heads,
            intermediate_size=config.ffn,
            max_position_embeddings=config.max_positions,
            rms_norm_eps=config.rms_eps,
            rope_parameters={"rope_theta": config.rope_theta, "rope_type": "default"},
            tie_word_embeddings=config.tied,
        )
    ).eval()
    missing, unexpected = theirs.load_state_dict(weights.tensors, strict=False)
    assert (missing, unexpected) in ((["lm_head.weight"], []), ([], []))
    theirs.tie_weights()
    requests = [
        Request(f"q{i}", len(prompt), output_len=48, prompt=prompt) for i, prompt in enumerate(prompts(weights))
    ]
    ours = outputs(smollm2(weights, "float32", exact), requests, slots=4).outputs
    for request, text in zip(requests, ours, strict=True):
        prompt = torch.tensor([request.prompt])
        made = theirs.generate(prompt, do_sample=False, min_new_tokens=48, max_new_tokens=48, eos_token_id=None)
        assert text == made[0, request.prompt_len :].tolist(), weights.tokenizer.decode(text)


def test_the_lesson_counts_the_same_on_real_weights(weights):
    made = smollm2(weights, "bfloat16")
    for groups, knobs, steps, useful in ((1, {"scheme": "static"}, 600, 1225), (2, {}, 660, 2450)):
        config = EngineConfig(check=True, **knobs)
        computed = run(config, lesson(groups), made)
        assert computed.counters == run(config, lesson(groups)).counters
        assert (computed.counters["steps"], computed.counters["useful"]) == (steps, useful)
