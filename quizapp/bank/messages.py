"""pydantic's findings as sentences that an author can act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from quizapp.bank.errors import FieldPath


def findings(error: ValidationError, model: type[BaseModel], data: Any) -> list[tuple[FieldPath, str]]:
    """(path, sentence) of each mistake, one a place, in the order of the model's fields."""
    result: dict[FieldPath, str] = {}
    details = [(_real(detail["loc"], data), detail) for detail in error.errors(include_url=False)]
    missing = {path for path, detail in details if detail["type"] == "missing"}
    for path, detail in details:
        if path not in result:
            result[path] = _sentence(detail, path, model, data)
        if detail["type"] == "extra_forbidden":  # a misspelt name is one mistake, not a missing and an unknown field
            meant = difflib.get_close_matches(str(path[-1]), [str(p[-1]) for p in missing if p[:-1] == path[:-1]], n=1)
            for name in meant:
                result.pop((*path[:-1], name), None)
    return list(result.items())


def key_faults(data: dict[str, Any]) -> list[tuple[FieldPath, str]]:
    """What is wrong with the key of a choice question whose fields do not validate yet."""
    options = data.get("options")
    if data.get("kind") not in ("single", "multiple") or not isinstance(options, list):
        return []
    keys = sum(isinstance(option, dict) and option.get("correct") is True for option in options)
    if keys == 0:
        return [((), "no option is marked correct; mark the right ones with 'correct: true'")]
    if data["kind"] == "single" and keys > 1:
        return [((), f"{keys} options are marked correct but kind is 'single'; set 'kind: multiple' or fix one")]
    return []


def closest(name: str, known: Iterable[str]) -> str:
    """ " (did you mean 'x'?)" when a known name is near, else nothing."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def _real(loc: tuple[int | str, ...], data: Any) -> FieldPath:
    """pydantic's location without the names of union branches, which are not in the file."""
    path: list[int | str] = []
    value = data
    for i, step in enumerate(loc):
        within = isinstance(step, int) and isinstance(value, list) and step < len(value)
        if within or (isinstance(value, dict) and step in value):
            path.append(step)
            value = value[step]
        elif isinstance(value, dict) and i == len(loc) - 1:
            path.append(step)
    return tuple(path)


def label(path: FieldPath, data: Any) -> str:
    """A path as an author reads it: list entries by their id where they have one, `options.a.why`."""
    words = []
    value = data
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            value = None
        own = value.get("id") if isinstance(step, int) and isinstance(value, dict) else None
        words.append(own if isinstance(own, str) else str(step))
    return ".".join(words)


def _sentence(detail: ErrorDetails, path: FieldPath, model: type[BaseModel], data: Any) -> str:
    kind, context, given = detail["type"], detail.get("ctx", {}), detail["input"]
    where = f"'{label(path, data)}'" if path else "the entry"
    if kind == "value_error":
        return str(context["error"])
    if kind == "missing":
        return f"{where} is missing; add it"
    if kind == "extra_forbidden":
        fields = model.model_fields if len(path) == 1 else _fields_like(model)
        return f"{where} is not a known field{closest(str(path[-1]), fields)}; remove it or correct the name"
    if kind == "string_type":
        if given is None:
            return f"{where} is empty; write a text"
        if isinstance(given, bool | int | float):
            shown = str(given).lower() if isinstance(given, bool) else str(given)
            return f"{where} is the {_name(given)} {shown}, not a text; put it in quotes: '{shown}'"
        return f"{where} must be a text, not {_name(given)}"
    if kind == "literal_error":
        return f"{where} is {_quote(given)}; it must be one of {context['expected']}"
    if kind in ("string_too_short", "too_short"):
        return f"{where} is too short; it needs at least {context.get('min_length')}" + _entries(kind)
    if kind in ("string_too_long", "too_long"):
        return f"{where} is too long; at most {context.get('max_length')}" + _entries(kind)
    if kind == "string_pattern_mismatch":
        if "http" in context["pattern"]:
            return f"{where} is {_quote(given)}; it must start with https://, http://, doi:, arXiv: or be 'computed'"
        return f"{where} is {_quote(given)}; use lower-case letters, digits, dots and hyphens"
    if kind.startswith(("date", "datetime")):
        return f"{where} is {_quote(given)}; write a day as 2026-11-29 or a month as 2026-11"
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        if path and path[0] in ("answer", "traps"):
            return f"{where} is {_quote(given)}; write 'value: NUMBER', or 'function: NAME' with 'args', below it"
        return f"{where} must be a mapping of fields, not {_name(given)}"
    if kind == "list_type":
        return f"{where} must be a list, not {_name(given)}; write it as [a, b] or as lines that start with '- '"
    if kind in ("int_type", "float_type", "int_parsing", "float_parsing", "int_from_float", "finite_number"):
        return f"{where} is {_quote(given)}; it must be a plain number, such as 8 or 0.5"
    if kind == "bool_type" or kind == "bool_parsing":
        return f"{where} is {_quote(given)}; write true or false"
    if kind in ("greater_than_equal", "less_than_equal", "greater_than"):
        bound = {"greater_than_equal": "at least", "less_than_equal": "at most", "greater_than": "above"}[kind]
        limit = context.get("ge", context.get("le", context.get("gt")))
        return f"{where} is {_quote(given)}; it must be {bound} {limit}"
    return f"{where} is {_quote(given)}: {detail['msg'][:1].lower()}{detail['msg'][1:]}"


def _fields_like(model: type[BaseModel]) -> list[str]:
    """Field names anywhere below a model: for spelling advice only."""
    names: list[str] = []
    for definition in model.model_json_schema().get("$defs", {}).values():
        names.extend(definition.get("properties", {}))
    return names


def _entries(kind: str) -> str:
    return " characters" if kind.startswith("string") else " entries"


def _name(value: Any) -> str:
    names = {dict: "a mapping", list: "a list", str: "a text", bool: "truth value", int: "number", float: "number"}
    return "nothing" if value is None else names.get(type(value), type(value).__name__)


def _quote(value: Any) -> str:
    """What was written, short and printable."""
    if value is None:
        return "empty"
    if isinstance(value, dict | list):
        return _name(value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    text = "".join(c if c.isprintable() else "�" for c in text)
    return f"'{text[:60]}{'…' if len(text) > 60 else ''}'"
