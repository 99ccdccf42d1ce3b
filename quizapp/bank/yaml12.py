"""YAML by the 1.2 core rules, with the line of every value.

PyYAML's C parser follows YAML 1.1, where `no` is false, `1_000` is 1000 and `010` is 8. Here its nodes are composed
with the 1.2 core resolvers instead (https://yaml.org/spec/1.2.2/#103-core-schema) and turned into plain values by
hand, so that repeated keys, aliases, tags and deep nesting are refused with a line, and a syntax error in one list
entry does not take the others with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import yaml

from quizapp.bank.errors import FieldPath

MAX_DEPTH = 12
"""A question needs six levels. Deeper nesting is a mistake or an attack."""

_BOOL = "tag:yaml.org,2002:bool"
_NULL = "tag:yaml.org,2002:null"
_INT = "tag:yaml.org,2002:int"
_FLOAT = "tag:yaml.org,2002:float"
_STR = "tag:yaml.org,2002:str"
_MAP = "tag:yaml.org,2002:map"
_SEQ = "tag:yaml.org,2002:seq"


class _Core(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The fastest loader at hand, with the resolvers of the 1.2 core schema (octal, hex, .inf and .nan stay text)."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}


_Core.add_implicit_resolver(_BOOL, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Core.add_implicit_resolver(_NULL, re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_Core.add_implicit_resolver(_INT, re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
_Core.add_implicit_resolver(
    _FLOAT,
    re.compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)


_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML allows nowhere (https://yaml.org/spec/1.2.2/#51-character-set)."""


@dataclass(frozen=True)
class Mistake:
    """Something wrong at a line (from 1); `path` leads to the value."""

    line: int
    message: str
    path: FieldPath = ()


@dataclass
class Document:
    """Plain values of one file, the line of each by its path, and what was wrong. Broken list entries are left out."""

    value: Any = None
    lines: dict[FieldPath, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def line(self, path: FieldPath) -> int:
        """Line of the value at `path`, or of the nearest enclosing one that exists."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(text: str) -> Document:
    """Parse one file. Never raises on bad text: mistakes are listed, and what can be read is."""
    document = Document()
    try:
        node = yaml.compose(text, Loader=_Core)
    except (yaml.YAMLError, RecursionError) as error:
        return _read_entries(text.split("\n"), error)
    if node is not None:
        document.value = _Builder(document).build(node, (), 0, 1)
    return document


def _read_entries(lines: list[str], whole: Exception) -> Document:
    """The file as a whole does not parse: read each top-level `- ` entry alone, so that only broken ones are lost."""
    document = Document(value=[])
    starts = [i for i, line in enumerate(lines) if line.startswith(("- ", "-\t"))]
    if not starts:
        document.value = None
        document.mistakes.append(_syntax(whole, lines))
        return document
    if any(line.strip() and not line.startswith(("#", "---", "%")) for line in lines[: starts[0]]):
        document.mistakes.append(_syntax(whole, lines))
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        try:
            node = yaml.compose("\n".join(lines[start:end]), Loader=_Core)
        except (yaml.YAMLError, RecursionError) as error:
            document.mistakes.append(_syntax(error, lines, start))
            continue
        if isinstance(node, yaml.SequenceNode):
            builder = _Builder(document, start)
            for child in node.value:
                path = (len(document.value),)
                document.value.append(builder.build(child, path, 1, start + 1))
    if not document.mistakes:
        document.mistakes.append(_syntax(whole, lines))
    return document


class _Builder:
    """Turns composed nodes into plain values, noting lines."""

    def __init__(self, document: Document, offset: int = 0) -> None:
        self.document = document
        self.offset = offset
        self.seen: set[int] = set()

    def build(self, node: yaml.Node, path: FieldPath, depth: int, near: int) -> Any:
        """The value of a node. `near` is the line of what holds it: an alias carries the line of its anchor."""
        line = node.start_mark.line + 1 + self.offset
        self.document.lines[path] = line
        if id(node) in self.seen:
            return self._refuse(near, "an alias (*name) repeats an anchor; question files write every text out", path)
        self.seen.add(id(node))
        if depth > MAX_DEPTH:
            return self._refuse(line, f"nested more than {MAX_DEPTH} levels deep; check the indentation", path)
        if isinstance(node, yaml.MappingNode) and node.tag == _MAP:
            return self._mapping(node, path, depth)
        if isinstance(node, yaml.SequenceNode) and node.tag == _SEQ:
            return [self.build(child, (*path, i), depth + 1, line) for i, child in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, line, path)
        return self._refuse(line, f"the tag '{node.tag}' is not allowed; write plain YAML", path)

    def _mapping(self, node: yaml.MappingNode, path: FieldPath, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1 + self.offset
            if not isinstance(key_node, yaml.ScalarNode):
                self._refuse(line, "a key is a list or a mapping; keys are words", path)
                continue
            key = str(key_node.value)
            if key in result:
                first = self.document.lines[(*path, key)]
                self._refuse(line, f"'{key}' is there twice (first on line {first}); keep one", (*path, key))
                continue
            result[key] = self.build(value_node, (*path, key), depth + 1, line)
            self.document.lines[(*path, key)] = line
        return result

    def _scalar(self, node: yaml.ScalarNode, line: int, path: FieldPath) -> Any:
        text = node.value
        if node.tag == _STR:
            return text
        if node.tag == _INT:
            return int(text) if len(text) <= 40 else self._refuse(line, "a number has more than 40 digits", path)
        if node.tag == _FLOAT:
            return float(text)
        if node.tag == _BOOL:
            return text in ("true", "True", "TRUE")
        if node.tag == _NULL:
            return None
        return self._refuse(line, f"the tag '{node.tag}' is not allowed; write plain YAML", path)

    def _refuse(self, line: int, message: str, path: FieldPath) -> None:
        self.document.mistakes.append(Mistake(line, message, path))


def _syntax(error: Exception, lines: list[str], offset: int = 0) -> Mistake:
    """A YAML error as one sentence with the way out."""
    if isinstance(error, RecursionError):
        return Mistake(1 + offset, "nested too deep; check the brackets and the indentation")
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = (mark.line + 1 if mark else 1) + offset
    problem = " ".join(str(getattr(error, "problem", None) or getattr(error, "reason", None) or error).split())[:200]
    tab = line <= len(lines) and re.match(r"[ -]*\t", lines[line - 1])
    if tab:
        return Mistake(line, "a tab is used for indentation; YAML wants spaces")
    if isinstance(error, yaml.reader.ReaderError) or "control characters" in problem or "special characters" in problem:
        line = next((at for at, text in enumerate(lines[offset:], offset + 1) if _REFUSED.search(text)), line)
        return Mistake(line, "a control character is in the text; remove it, or write it as \\x1b inside double quotes")
    if "mapping values are not allowed" in problem:
        return Mistake(line, "a colon followed by a space stands inside an unquoted text; put the text in quotes")
    if "nesting" in problem or "level" in problem:
        return Mistake(line, "nested too deep; check the brackets and the indentation")
    return Mistake(line, f"this is not valid YAML ({problem}); check quotes and indentation here and just above")
