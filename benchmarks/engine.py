"""The torch engine beside transformers and llama.cpp: same weights, dtype, prompts and 16 requests, in one run.

    python -m benchmarks.engine [--dtypes float32,bfloat16] [--threads N] [--peers PYTHON] [--only NAMES] [--scale N]
    python -m benchmarks.engine --steps          a decode step against the batch, and the memory bandwidth it uses

The workload is the lesson twice: outputs of 20, 25, 30, 40, 50, 60, 400, 600 tokens, prompts of 200 tokens, 8 slots,
greedy, lengths forced. Every contender runs in a process of its own, one after another. Peers (`pip install
'quizapp[bench]'`, and llama-cpp-python if wanted) may live in another environment: `--peers` names its Python.

A shared machine lies about wall time, above all with two threads. So each row also has CPU seconds and the share of
all cores that *other* processes used meanwhile; with `--threads 1`, tokens per CPU second is the figure to trust.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LESSON = (20, 25, 30, 40, 50, 60, 400, 600)
PROMPT = 200
SLOTS = 8
OURS = {
    "ours continuous fast": {"scheme": "continuous", "exact": False},
    "ours static fast": {"scheme": "static", "exact": False},
    "ours sequential fast": {"scheme": "sequential", "exact": False},
    "ours continuous exact": {"scheme": "continuous", "exact": True},
}
PEERS = ("transformers continuous", "transformers static", "llama.cpp continuous", "llama.cpp static")
ORDER = (
    "ours continuous fast", "transformers continuous", "ours continuous exact", "llama.cpp continuous",
    "ours static fast", "transformers static", "llama.cpp static", "ours sequential fast",
)  # fmt: skip


def workload(scale: int) -> list[Any]:
    from labs.engine import Request

    return [Request(f"r{i}", PROMPT, output_len=max(1, n // scale)) for i, n in enumerate(LESSON * 2, start=1)]


def prompts_of(requests: list[Any], vocab: int) -> list[list[int]]:
    """The token ids that the engine makes up for these requests: everybody computes the same text."""
    from labs.engine.types import made_up_prompt

    return [list(made_up_prompt(request, vocab, 0)) for request in requests]


def busy_seconds() -> float:
    """CPU seconds that all processes of this machine have used."""
    fields = [int(n) for n in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return (sum(fields[:3]) + sum(fields[5:7])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def measured(row: dict[str, Any]) -> Iterator[None]:
    busy, wall, cpu = busy_seconds(), time.perf_counter(), time.process_time()
    yield
    row["wall_s"], row["cpu_s"] = time.perf_counter() - wall, time.process_time() - cpu
    row["foreign"] = max(0.0, busy_seconds() - busy - row["cpu_s"]) / row["wall_s"] / (os.cpu_count() or 1)
    row["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# ---- ours ------------------------------------------------------------------------------------------------------------


def run_ours(scheme: str, exact: bool, dtype: str, options: argparse.Namespace) -> dict[str, Any]:
    from labs.engine import EngineConfig, run
    from labs.engine.torch_executor import make_executor

    made = make_executor(options.model, dtype, exact=exact, threads=options.threads)
    requests = workload(options.scale)
    warm_up(made)
    row: dict[str, Any] = {}
    with measured(row):
        result = run(EngineConfig(scheme=scheme, slots=SLOTS), requests, made)
    row["tokens"], row["steps"] = result.counters["tokens"], result.counters["steps"]
    row["scheduler_share"] = result.scheduler_s / (result.scheduler_s + result.executor_s)
    row["exact"] = made.exact
    return row


def warm_up(made: Any) -> None:
    from labs.engine import EngineConfig, Request, run

    run(EngineConfig(slots=SLOTS), [Request(f"w{i}", 20, output_len=3) for i in range(SLOTS)], made)


# ---- peers -----------------------------------------------------------------------------------------------------------


def transformers_model(dtype: str, options: argparse.Namespace) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from labs.engine.weights import load_weights

    if options.threads:
        torch.set_num_threads(options.threads)
    weights = load_weights(options.model)
    config = weights.config
    theirs = LlamaConfig(
        vocab_size=config.vocab_size, hidden_size=config.hidden, num_hidden_layers=config.layers,
        num_attention_heads=config.heads, num_key_value_heads=config.kv_heads, intermediate_size=config.ffn,
        max_position_embeddings=config.max_positions, rms_norm_eps=config.rms_eps, tie_word_embeddings=config.tied,
        rope_parameters={"rope_theta": config.rope_theta, "rope_type": "default"},
    )  # fmt: skip
    theirs._attn_implementation = "sdpa"
    model = LlamaForCausalLM(theirs)
    model.load_state_dict(weights.tensors, strict=False)
    model.tie_weights()
    return model.to(getattr(torch, dtype)).eval()


def run_transformers_continuous(dtype: str, options: argparse.Namespace) -> dict[str, Any]:
    from transformers import GenerationConfig
    from transformers.generation.configuration_utils import ContinuousBatchingConfig

    model = transformers_model(dtype, options)
    requests = workload(options.scale)
    prompts = prompts_of(requests, model.config.vocab_size)
    manager = model.init_continuous_batching(
        generation_config=GenerationConfig(do_sample=False, max_new_tokens=600, eos_token_id=-1, pad_token_id=0),
        continuous_batching_config=ContinuousBatchingConfig(
            page_size=16, num_blocks=SLOTS * 52, max_batch_tokens=512, max_requests_per_batch=SLOTS
        ),
    )
    row: dict[str, Any] = {"tokens": 0}
    manager.start()
    with measured(row):
        for request, prompt in zip(requests, prompts, strict=True):
            manager.add_request(prompt, request_id=request.id, max_new_tokens=request.output_len, eos_token_id=-1)
        left = len(requests)
        while left:
            result = manager.get_result(timeout=1)
            if result is not None and result.is_finished():
                left -= 1
                row["tokens"] += len(result.generated_tokens)
    manager.stop(block=True)
    return row


def run_transformers_static(dtype: str, options: argparse.Namespace) -> dict[str, Any]:
    import torch

    model = transformers_model(dtype, options)
    requests = workload(options.scale)
    prompts = prompts_of(requests, model.config.vocab_size)
    row: dict[str, Any] = {"tokens": sum(request.output_len for request in requests)}
    with measured(row), torch.inference_mode():
        for start in range(0, len(requests), SLOTS):
            longest = max(request.output_len for request in requests[start : start + SLOTS])
            model.generate(
                torch.tensor(prompts[start : start + SLOTS]), do_sample=False, min_new_tokens=longest,
                max_new_tokens=longest, eos_token_id=None, pad_token_id=0,
            )  # fmt: skip
    return row


def write_plain_gguf(source: Path, target: Path, dtype: str) -> None:
    """The same model with its weights expanded to `dtype`: llama.cpp then computes what we compute."""
    import gguf

    reader = gguf.GGUFReader(source)
    kind = gguf.GGMLQuantizationType.BF16 if dtype == "bfloat16" else gguf.GGMLQuantizationType.F32
    writer = gguf.GGUFWriter(target, "llama")
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type"):
            continue
        main, sub = field.types[0], field.types[-1]
        writer.add_key_value(name, field.contents(), main, sub if main == gguf.GGUFValueType.ARRAY else None)
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        if values.ndim == 1:
            writer.add_tensor(tensor.name, values)
        else:
            writer.add_tensor(tensor.name, gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def run_llama_cpp(scheme: str, dtype: str, options: argparse.Namespace) -> dict[str, Any]:
    """llama.cpp by its C API, 8 sequences in one context, as its server's parallel slots use it."""
    import ctypes
    import tempfile

    import llama_cpp as lib
    import numpy as np

    from labs.engine.weights import find_model

    source = find_model(options.model)
    assert source is not None, "llama.cpp needs a GGUF model: use --model smollm2"
    lib.llama_log_set(_quiet := lib.llama_log_callback(lambda *_: None), ctypes.c_void_p(0))
    lib.llama_backend_init()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plain.gguf"
        write_plain_gguf(source, file, dtype)
        model = lib.llama_model_load_from_file(str(file).encode(), lib.llama_model_default_params())
    params = lib.llama_context_default_params()
    params.n_ctx, params.n_seq_max, params.n_batch, params.n_ubatch = SLOTS * 816, SLOTS, 2048, 512
    params.n_threads = params.n_threads_batch = options.threads or os.cpu_count()
    context = lib.llama_init_from_model(model, params)
    vocab = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
    requests = workload(options.scale)
    prompts = prompts_of(requests, vocab)
    memory = lib.llama_get_memory(context)
    batch = lib.llama_batch_init(2048, 0, 1)

    def step(rows: list[tuple[int, int, int, bool]]) -> dict[int, int]:
        """rows: (sequence, token, position, wants a token); returns the next token of each sequence that wants one."""
        batch.n_tokens = len(rows)
        for at, (seq, token, position, wanted) in enumerate(rows):
            batch.token[at], batch.pos[at], batch.logits[at] = token, position, wanted
            batch.n_seq_id[at] = 1
            batch.seq_id[at][0] = seq
        assert lib.llama_decode(context, batch) == 0
        return {
            seq: int(np.ctypeslib.as_array(lib.llama_get_logits_ith(context, at), (vocab,)).argmax())
            for at, (seq, _, _, wanted) in enumerate(rows)
            if wanted
        }

    row: dict[str, Any] = {"tokens": sum(request.output_len for request in requests), "steps": 0}
    with measured(row):
        waiting = list(range(len(requests)))
        live: dict[int, list[int]] = {}  # slot -> [request, newest token, length]
        while waiting or live:
            rows = [(slot, token, length, True) for slot, (_, token, length) in live.items()]
            for slot in range(SLOTS):
                if waiting and slot not in live and (scheme == "continuous" or len(rows) % PROMPT == 0):
                    number = waiting.pop(0)
                    last = PROMPT - 1
                    rows += [(slot, token, at, at == last) for at, token in enumerate(prompts[number])]
                    live[slot] = [number, 0, PROMPT - 1]
            for slot, token in step(rows).items():
                live[slot][1:] = [token, live[slot][2] + 1]
            row["steps"] += 1
            made = {slot: length - PROMPT + 1 for slot, (_, _, length) in live.items()}
            done = [slot for slot in live if made[slot] >= requests[live[slot][0]].output_len]
            if scheme == "static" and len(done) < len(live):
                done = []  # rows of finished sequences go on until the slowest is done
            for slot in done:
                lib.llama_memory_seq_rm(memory, slot, -1, -1)
                del live[slot]
    return row


# ---- a step against the batch ----------------------------------------------------------------------------------------


def clock_of(options: argparse.Namespace) -> Callable[[], float]:
    """With one thread CPU time is the time of a quiet machine, nearly; with more it counts them all, so wall time."""
    return time.process_time if options.threads == 1 else time.perf_counter


def bandwidth(clock: Callable[[], float]) -> float:
    """Bytes a second that torch reads from memory with its threads: the median of 15 sums of 256 MiB."""
    import torch

    values = torch.ones(64 << 20)
    seconds = []
    for _ in range(15):
        began = clock()
        values.sum()
        seconds.append(clock() - began)
    return values.numel() * 4 / statistics.median(seconds)


def run_steps(dtype: str, options: argparse.Namespace) -> dict[str, Any]:
    from labs.engine.torch_executor import make_executor
    from labs.engine.types import Chunk, Plan, Request, Sequence

    made = make_executor(options.model, dtype, exact=False, threads=options.threads)
    context, steps, size, clock = 128, 40, 16, clock_of(options)
    width = (context + steps) // size + 1
    weight_bytes = made.config.parameters * made.model.dtype.itemsize
    rows = []
    for batch in (1, 2, 4, 8, 16, 32, 64):
        made.allocate(batch * width, size)
        free = iter(range(1, batch * width + 1))
        live = []
        for number in range(batch):
            request = Request(f"s{number}", context, output_len=steps)
            prompt = tuple(prompts_of([request], made.config.vocab_size)[0])
            seq = Sequence(request, number, steps, prompt, total=context)
            live.append(seq)
        for _ in range(width):  # blocks interleaved between sequences, as a running engine hands them out
            for seq in live:
                seq.blocks.append(next(free))
        taken = []
        read = bandwidth(clock)
        for _ in range(steps):
            chunks = [Chunk(seq, seq.computed, seq.total) for seq in live]
            began = clock()
            tokens = made.run(Plan(chunks)).tokens
            taken.append(clock() - began)
            for seq in live:
                seq.computed = seq.total
                seq.output.append(tokens[seq.key])
                seq.total += 1
        step, best = statistics.median(taken[3:]), min(taken[3:])
        kv = batch * (context + steps // 2) * made.config.kv_bytes_per_token(made.model.dtype.itemsize)
        moved = weight_bytes + kv
        rows.append(
            {
                "batch": batch, "ms": step * 1e3, "min_ms": best * 1e3,
                "tokens_per_s": batch / step, "gb_per_s": moved / step / 1e9, "read_gb_per_s": read / 1e9,
                "share": moved / step / read,
            }
        )  # fmt: skip
    return {"rows": rows}


# ---- the parent ------------------------------------------------------------------------------------------------------


def run_one(name: str, dtype: str, options: argparse.Namespace) -> dict[str, Any]:
    if name == "steps":
        return run_steps(dtype, options)
    if name in OURS:
        return run_ours(**OURS[name], dtype=dtype, options=options)  # type: ignore[arg-type]
    if name == "transformers continuous":
        return run_transformers_continuous(dtype, options)
    if name == "transformers static":
        return run_transformers_static(dtype, options)
    return run_llama_cpp(name.rsplit(" ", 1)[1], dtype, options)


def child(name: str, dtype: str, options: argparse.Namespace) -> dict[str, Any] | None:
    """Run one contender in its own process; None (and why, on standard error) when it cannot run."""
    python = options.peers if name in PEERS else sys.executable
    command = [python, "-m", "benchmarks.engine", "--one", name, "--dtypes", dtype, "--model", options.model]
    command += ["--scale", str(options.scale)] + (["--threads", str(options.threads)] if options.threads else [])
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"{name}, {dtype}: not measured ({last})", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def print_rows(dtype: str, rows: dict[str, dict[str, Any]]) -> None:
    print(
        f"\n{dtype}\n\n| contender | tokens/s | tokens/CPU s | wall s | CPU s | peak MiB | others' load | scheduler |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        share = f"{row['scheduler_share']:.1%}" if "scheduler_share" in row else ""
        print(
            f"| {name} | {row['tokens'] / row['wall_s']:.1f} | {row['tokens'] / row['cpu_s']:.1f} "
            f"| {row['wall_s']:.1f} | {row['cpu_s']:.1f} | {row['peak_mib']:.0f} | {row['foreign']:.0%} | {share} |",
            flush=True,
        )
    ours = "ours continuous fast"
    print("\n| ratio | by wall time | by CPU time | goal |\n|---|---|---|---|")
    for what, over, goal in (
        ("transformers continuous", "transformers continuous", ">= 3"),
        ("transformers static", "transformers static", ""),
        ("llama.cpp continuous", "llama.cpp continuous", ">= 1" if dtype == "bfloat16" else ""),
        ("our static", "ours static fast", ">= 1.7"),
        ("one at a time", "ours sequential fast", ""),
        ("our exact mode", "ours continuous exact", "<= 2" if dtype == "float32" else ""),
    ):
        if ours in rows and over in rows:
            wall, cpu = (rows[over][key] / rows[ours][key] for key in ("wall_s", "cpu_s"))
            print(f"| time of {what} over ours, continuous and fast | {wall:.2f} | {cpu:.2f} | {goal} |")


def print_steps(dtype: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{dtype}: a decode step at context 128\n")
    print("| batch | ms median | ms best | tokens/s | weights + KV GB/s | memory reads GB/s | share |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['batch']} | {row['ms']:.1f} | {row['min_ms']:.1f} "
            f"| {row['tokens_per_s']:.0f} | {row['gb_per_s']:.1f} | {row['read_gb_per_s']:.1f} | {row['share']:.0%} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtypes", default="float32,bfloat16")
    parser.add_argument("--model", default="smollm2", help="smollm2 (quizapp model add smollm2), base, or a path")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--scale", type=int, default=1, help="divide the output lengths by this")
    parser.add_argument("--peers", default=sys.executable, help="the Python that has transformers and llama_cpp")
    parser.add_argument("--only", default=",".join(ORDER), help="contenders, by comma")
    parser.add_argument("--steps", action="store_true", help="only the step time against the batch")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run_one(options.one, options.dtypes, options)))
        return
    for dtype in options.dtypes.split(","):
        if options.steps:
            found = child("steps", dtype, options)
            if found:
                print_steps(dtype, found["rows"])
            continue
        rows = {}
        for name in options.only.split(","):
            row = child(name, dtype, options)
            if row is not None:
                rows[name] = row
        print_rows(dtype, rows)


if __name__ == "__main__":
    main()
