"""Workload files, generators, and the sentences for what is wrong with them."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import pytest

from labs import workloads
from labs.workloads import WorkloadError

DATA = Path(__file__).parents[3] / "shared" / "data"


def write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "work.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_our_jsonl_comes_back_as_it_was_written(tmp_path) -> None:
    lines = [
        '{"id": "a", "arrival_ms": 1.5, "prompt_len": 20, "output_len": 5, "priority": 2, "tenant": "x"}',
        '{"id": "b", "prompt": [1, 2, 3], "max_new_tokens": 9, "stop_ids": [7], "min_new_tokens": 2}',
        '{"id": "c", "prompt_len": 4, "output_len": 0, "prefix_id": "p", "adapter": "lora", "temperature": 0.5}',
    ]
    requests = workloads.load(str(write(tmp_path, *lines)))
    assert [request.arrival_ns for request in requests] == [1_500_000, 0, 0]
    assert requests[1].prompt == (1, 2, 3)
    assert requests[2].sampling.temperature == 0.5
    workloads.write_jsonl(tmp_path / "again.jsonl", requests)
    assert workloads.load(str(tmp_path / "again.jsonl")) == requests


def test_mooncake_lines_are_understood(tmp_path) -> None:
    path = write(tmp_path, '{"timestamp": 3000, "input_length": 6755, "output_length": 500, "hash_ids": [0, 14]}')
    (request,) = workloads.load(str(path))
    assert (request.arrival_ns, request.prompt_len, request.output_len) == (3_000_000_000, 6755, 500)
    assert request.prefix_id == "0"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"prompt_len": -5, "output_len": 3}', "work.jsonl:2: prompt_len is -5; it must be from 0"),
        ('{"prompt_len": 5, "output_len": -3}', "work.jsonl:2: output_len is -3"),
        ('{"prompt_len": 5.5, "output_len": 3}', "work.jsonl:2: prompt_len is 5.5; give a whole number"),
        ('{"prompt_len": true, "output_len": 3}', "prompt_len is true; give a whole number"),
        ('{"prompt_len": 5}', "neither output_len \\(forced\\) nor max_new_tokens"),
        ('{"output_len": 5}', "neither prompt_len nor prompt"),
        ('{"prompt_len": 5, "output_len": 3, "output": 4}', "unknown field 'output'; known: adapter, arrival_ms"),
        ('{"id": "first", "prompt_len": 5, "output_len": 3}', "work.jsonl:2: id 'first' is that of line 1 already"),
        ('{"prompt_len": 5, "output_len": 3, "arrival_ms": NaN}', "arrival_ms is NaN; give a number of 0 or more"),
        ('{"prompt_len": 5, "output_len": 3, "arrival_ms": -1}', "arrival_ms is -1"),
        ('{"prompt": [1, -2], "output_len": 3}', "prompt holds -2; token ids are whole numbers"),
        ('{"prompt": "hello", "output_len": 3}', 'prompt is "hello"; give a list of token ids'),
        ('{"prompt": [1], "prompt_len": 3, "output_len": 3}', "prompt_len is 3 and the prompt has 1 tokens"),
        ('{"id": "a\\u001b[31m", "prompt_len": 1, "output_len": 3}', "give a printable text"),
        ('{"timestamp": 1, "input_length": 5}', "output_length is missing"),
        ('{"timestamp": 1, "input_length": -5, "output_length": 2}', "input_length is -5"),
        ("[1, 2]", "not a JSON object"),
        ('{"prompt_len": 5,', "work.jsonl:2: not JSON"),
        ('{"prompt_len": 1' + "0" * 5000 + ', "output_len": 1}', "work.jsonl:2: not JSON|it must be from 0"),
        ("[" * 100_000, "work.jsonl:2: not JSON"),
    ],
)
def test_a_bad_line_is_named_with_file_line_and_field(tmp_path, line: str, sentence: str) -> None:
    path = write(tmp_path, '{"id": "first", "prompt_len": 5, "output_len": 3}', line)
    with pytest.raises(WorkloadError, match=sentence):
        workloads.load(str(path))


def test_several_bad_lines_are_told_at_once(tmp_path) -> None:
    path = write(tmp_path, *['{"prompt_len": -1, "output_len": 1}'] * 7)
    with pytest.raises(WorkloadError) as caught:
        workloads.load(str(path))
    lines = str(caught.value).splitlines()
    assert len(lines) == 6
    assert lines[-1] == "... and 2 more lines with problems"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"\xff\xfe\x00", "not UTF-8 text"), (b"\n\n", "no requests in it"), (None, "cannot read it")],
)
def test_a_file_that_is_no_workload(tmp_path, content: bytes | None, sentence: str) -> None:
    path = tmp_path / "x.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(WorkloadError, match=sentence):
        workloads.load(str(path))


def test_groups_repeat_a_workload_under_new_ids(tmp_path) -> None:
    path = write(tmp_path, '{"id": "a", "prompt_len": 5, "output_len": 3}')
    assert [request.id for request in workloads.load(str(path), groups=3)] == ["a", "a#2", "a#3"]
    assert [request.id for request in workloads.load("lesson", groups=2)] == [f"r{i}" for i in range(1, 17)]


@pytest.mark.parametrize("name", workloads.generator_names())
def test_generated_lengths_stay_within_the_quantiles(name: str) -> None:
    trace = workloads.trace_quantiles()["workloads"][name]
    requests = workloads.load(f"gen:{name}", count=3000, seed=1)
    prompts = sorted(request.prompt_len for request in requests)
    assert trace["prompt"][0] <= prompts[0]
    assert (prompts[-1], max(r.output_len for r in requests)) <= workloads.largest(name)
    middle = workloads.trace_quantiles()["quantiles_percent"].index(50)
    assert trace["prompt"][middle - 1] < prompts[1500] < trace["prompt"][middle + 1]
    assert trace["source"]


def test_generators_are_repeatable_and_depend_on_the_seed() -> None:
    first = workloads.load("gen:azure_conv", count=50, rate_per_s=5, seed=3)
    assert workloads.load("gen:azure_conv", count=50, rate_per_s=5, seed=3) == first
    assert workloads.load("gen:azure_conv", count=50, rate_per_s=5, seed=4) != first


def test_arrival_rate_and_burstiness() -> None:
    def gaps(burstiness: float) -> list[float]:
        requests = workloads.load("gen:azure_conv", count=4000, rate_per_s=5, burstiness=burstiness)
        times = [request.arrival_ns / 1e9 for request in requests]
        return [b - a for a, b in pairwise(times)]

    for burstiness in (1.0, 0.25):
        found = gaps(burstiness)
        mean = sum(found) / len(found)
        spread = sum((gap - mean) ** 2 for gap in found) / len(found) / mean**2
        assert mean == pytest.approx(0.2, rel=0.15)
        assert spread == pytest.approx(1 / burstiness, rel=0.25)  # squared coefficient of variation


def test_scale_divides_every_length() -> None:
    assert [r.output_len for r in workloads.load("lesson", scale=5)] == [4, 5, 6, 8, 10, 12, 80, 120]
    assert {r.prompt_len for r in workloads.load("lesson", scale=5)} == {40}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"spec": "gen:nothing"}, "no such generator; known: azure_conv"),
        ({"spec": "lesson", "groups": 0}, "--groups is 0"),
        ({"spec": "lesson", "count": 5}, "belong to --workload gen:NAME"),
        ({"spec": "lesson", "scale": 0}, "--scale is 0"),
        ({"spec": "gen:azure_conv", "count": 0}, "--requests is 0"),
        ({"spec": "gen:azure_conv", "rate_per_s": 0}, "--rate is 0"),
        ({"spec": "gen:azure_conv", "burstiness": -1}, "burstiness is -1"),
    ],
)
def test_settings_that_cannot_be(arguments, sentence: str) -> None:
    with pytest.raises(WorkloadError, match=sentence):
        workloads.load(**arguments)


@pytest.mark.skipif(not (DATA / "azure_llm_conv_2023.csv").exists(), reason="the trace is not shipped")
def test_the_generator_keeps_the_trace_s_static_waste() -> None:
    """18 quantiles are enough: batches of 8 waste what those of the shuffled trace waste, within two points."""
    with (DATA / "azure_llm_conv_2023.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    column = next(name for name in rows[0] if "generated" in name.lower() or "output" in name.lower())
    real = [int(row[column]) for row in rows]
    made = [request.output_len for request in workloads.load("gen:azure_conv", count=len(real))]

    def waste(outputs: list[int]) -> float:
        batches = [outputs[i : i + 8] for i in range(0, len(outputs) - 7, 8)]
        return 1 - sum(map(sum, batches)) / sum(8 * max(batch) for batch in batches)

    assert waste(made) == pytest.approx(waste(real), abs=0.03)  # the real order is a little sorted: 51.7 % against 53.7


def test_the_shipped_quantiles_name_their_sources() -> None:
    table = json.loads((Path(workloads.__file__).parent / "data" / "trace_quantiles.json").read_text())
    assert len(table["quantiles_percent"]) == 18
    assert all(len(trace["prompt"]) == len(trace["output"]) == 18 for trace in table["workloads"].values())
