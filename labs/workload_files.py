"""Workload files: our JSONL and Mooncake's, one request a line, refused with file, line and field."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labs.engine.types import NS_PER_MS, EngineError, Request, SamplingParams

MOST_TOKENS = 10_000_000
MOST_LINE = 64_000_000
"""Characters of a line: what has no line ends (a device, a file that is no text) must not fill the memory."""
MOST_FLOAT = sys.float_info.max
_SHOWN_PROBLEMS = 5


class WorkloadError(EngineError):
    """A workload that cannot be used: sentences with file, line and field."""


def read_jsonl(path: Path) -> list[Request]:
    """Our JSONL or Mooncake's, one request a line. Raises WorkloadError naming file, line and field."""
    requests: list[Request] = []
    problems: list[str] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            request = _parse(line, number)
            if request.id in seen:
                raise WorkloadError(f"id '{request.id}' is that of line {seen[request.id]} already")
            seen[request.id] = number
            requests.append(request)
        except WorkloadError as error:
            problems.append(f"{path}:{number}: {error}")
    if problems:
        more = len(problems) - _SHOWN_PROBLEMS
        shown = problems[:_SHOWN_PROBLEMS] + ([f"... and {more} more lines with problems"] if more > 0 else [])
        raise WorkloadError("\n".join(shown))
    if not requests:
        raise WorkloadError(f"{path}: no requests in it; write one JSON object a line")
    return requests


def _lines(path: Path) -> Iterator[str]:
    """The file's lines. They end at line feeds only: JSON text may hold the other line separators of Unicode."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as stream:
            while line := stream.readline(MOST_LINE):
                if len(line) == MOST_LINE:
                    raise WorkloadError(f"{path}: a line is longer than {MOST_LINE:,} characters; is this JSONL?")
                yield line
    except UnicodeDecodeError:
        raise WorkloadError(f"{path}: not UTF-8 text; a workload is JSONL, one request a line") from None
    except OSError as error:
        raise WorkloadError(
            f"{path}: cannot read it ({error.strerror}); give lesson, gen:NAME or the path of a JSONL file"
        ) from None


def _parse(line: str, number: int) -> Request:
    try:
        fields = json.loads(line, object_pairs_hook=_once)
    except WorkloadError:
        raise
    except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
        raise WorkloadError(f"not JSON ({getattr(error, 'msg', 'too deep or too long')})") from None
    if not isinstance(fields, dict):
        raise WorkloadError("not a JSON object; write one request a line, as {...}")
    return _mooncake(fields, number) if "input_length" in fields else _ours(fields, number)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON's own reader keeps the last of two fields with one name; which one was meant nobody knows."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise WorkloadError(f"{_shown(name)} is there twice; keep one")
        fields[name] = value
    return fields


_OURS = {
    *("id", "arrival_ms", "prompt_len", "prompt", "output_len", "max_new_tokens", "min_new_tokens", "stop_ids"),
    *("priority", "tenant", "prefix_id", "adapter", "temperature", "top_k", "top_p", "seed"),
}


def _ours(fields: dict[str, Any], number: int) -> Request:
    unknown = sorted(set(fields) - _OURS)
    if unknown:
        raise WorkloadError(f"unknown field '{unknown[0][:40]}'; known: {', '.join(sorted(_OURS))}")
    prompt = None
    if "prompt" in fields:
        prompt = _ids(fields, "prompt")
        prompt_len = len(prompt)
        if "prompt_len" in fields and _whole(fields, "prompt_len") != prompt_len:
            raise WorkloadError(f"prompt_len is {fields['prompt_len']} and the prompt has {prompt_len} tokens")
    elif "prompt_len" in fields:
        prompt_len = _whole(fields, "prompt_len")
    else:
        raise WorkloadError("neither prompt_len nor prompt is given")
    if "output_len" not in fields and "max_new_tokens" not in fields:
        raise WorkloadError("neither output_len (forced) nor max_new_tokens is given")
    return Request(
        id=_text(fields, "id") or f"line{number}",
        prompt_len=prompt_len,
        prompt=prompt,
        output_len=_whole(fields, "output_len") if "output_len" in fields else None,
        max_new_tokens=_whole(fields, "max_new_tokens") if "max_new_tokens" in fields else None,
        min_new_tokens=_whole(fields, "min_new_tokens") if "min_new_tokens" in fields else 0,
        stop_ids=_ids(fields, "stop_ids") if "stop_ids" in fields else (),
        arrival_ns=_arrival(fields, "arrival_ms"),
        priority=_whole(fields, "priority", least=-1_000_000) if "priority" in fields else 0,
        tenant=_text(fields, "tenant") or "default",
        prefix_id=_text(fields, "prefix_id"),
        adapter=_text(fields, "adapter"),
        sampling=SamplingParams(
            temperature=_number(fields, "temperature", 0.0),
            top_k=_whole(fields, "top_k") if "top_k" in fields else 0,
            top_p=_number(fields, "top_p", 1.0),
            seed=_whole(fields, "seed", most=2**63 - 1) if "seed" in fields else None,
        ),
    )


def _mooncake(fields: dict[str, Any], number: int) -> Request:
    """`timestamp` in ms; `hash_ids` name shared prefix blocks of 512 tokens: the first one becomes `prefix_id`."""
    if "output_length" not in fields:
        raise WorkloadError("output_length is missing")
    hashes = fields.get("hash_ids") or []
    if not isinstance(hashes, list):
        raise WorkloadError(f"hash_ids is {hashes!r}; give a list of numbers")
    return Request(
        id=f"line{number}",
        prompt_len=_whole(fields, "input_length"),
        output_len=_whole(fields, "output_length"),
        arrival_ns=_arrival(fields, "timestamp"),
        prefix_id=_text({"hash_ids": hashes[0]}, "hash_ids") if hashes else None,
    )


def _whole(fields: dict[str, Any], name: str, least: int = 0, most: int = MOST_TOKENS) -> int:
    value = fields[name]
    if isinstance(value, bool) or not isinstance(value, int):
        raise WorkloadError(f"{name} is {_shown(value)}; give a whole number")
    if not least <= value <= most:
        raise WorkloadError(f"{name} is {_shown(value)}; it must be from {least} to {most}")
    return value


def _number(fields: dict[str, Any], name: str, default: float) -> float:
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_FLOAT:
        raise WorkloadError(f"{name} is {_shown(value)}; give a number of 0 or more")
    return value


def _arrival(fields: dict[str, Any], name: str) -> int:
    value = _number(fields, name, 0.0)
    if value > 1e12:
        raise WorkloadError(f"{name} is {_shown(value)}; that is more than 30 years in ms")
    return round(value * NS_PER_MS)


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value or len(value) > 200 or not value.isprintable():
        raise WorkloadError(f"{name} is {_shown(value)}; give a printable text of 1 to 200 characters")
    return value


def _ids(fields: dict[str, Any], name: str) -> tuple[int, ...]:
    value = fields[name]
    if not isinstance(value, list):
        raise WorkloadError(f"{name} is {_shown(value)}; give a list of token ids")
    for token in value:
        if isinstance(token, bool) or not isinstance(token, int) or token < 0:
            raise WorkloadError(f"{name} holds {_shown(token)}; token ids are whole numbers of 0 or more")
    return tuple(value)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 40 else text[:37] + "..."


def to_json(request: Request) -> dict[str, Any]:
    """A request as a line of our JSONL (defaults left out)."""
    line: dict[str, Any] = {"id": request.id, "arrival_ms": request.arrival_ns / NS_PER_MS}
    if request.prompt is not None:
        line["prompt"] = list(request.prompt)
    else:
        line["prompt_len"] = request.prompt_len
    defaults = Request("", 1)
    for name in ("output_len", "max_new_tokens", "min_new_tokens", "priority", "tenant", "prefix_id", "adapter"):
        if getattr(request, name) != getattr(defaults, name):
            line[name] = getattr(request, name)
    if request.stop_ids:
        line["stop_ids"] = list(request.stop_ids)
    for name in ("temperature", "top_k", "top_p", "seed"):
        if getattr(request.sampling, name) != getattr(defaults.sampling, name):
            line[name] = getattr(request.sampling, name)
    return line


def write_jsonl(path: Path, requests: list[Request]) -> None:
    path.write_text("".join(json.dumps(to_json(request)) + "\n" for request in requests), "utf-8")
