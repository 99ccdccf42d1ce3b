"""The question schema: six kinds, one discriminated union on `kind`.

A question file is a YAML list of these. Fields that authors write are documented in `docs/writing-questions.md`;
`quizapp bank schema` exports this file as JSON Schema for editors.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

KINDS = ("single", "multiple", "numeric", "order", "match", "short")
STYLES = ("product-association", "mechanism", "calculation", "scenario", "trade-off", "claim-check")

Style = Literal["product-association", "mechanism", "calculation", "scenario", "trade-off", "claim-check"]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=60)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Number = Annotated[int, Field(strict=True)] | Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""A YAML number: text such as "8" or "1_000" is not silently read as one."""


def _day(value: Any) -> Any:
    """A day as text (a month means its first day). Numbers are refused: pydantic would read them as seconds."""
    if not isinstance(value, str | date):
        raise ValueError(f"'{value}' is not a date; write a day as 2026-11-29 or a month as 2026-11")
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}", value):
        return f"{value}-01"
    return value


_WrittenDay = Annotated[str, Field(pattern=r"^\d{4}-\d{2}(-\d{2})?$")]
Day = Annotated[date, BeforeValidator(_day, json_schema_input_type=_WrittenDay)]

PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
"""`{name}` in `ask`, `explain` and texts stands for a parameter; double braces are not special."""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Common(Strict):
    """Fields of every question."""

    id: Slug
    """The author's name for the question: never a hash of its text, never reused."""
    style: Style
    ask: Text
    """The stem, in a small Markdown: paragraphs, `code`, fenced code, **bold**, - lists."""
    explain: Text
    """Why the key is right, in our own words."""
    objectives: list[Slug] = Field(min_length=1)
    """Exam objectives, as listed in `questions/exams/*.yaml`, e.g. `nca-genl-4.1`."""
    sources: list[Slug] = Field(min_length=1)
    """Keys of `questions/sources.yaml`."""
    as_of: Day
    """The day on which the fact was last checked against its sources."""
    expires: Day | None = None
    """After this day the item is shown as "needs check": use it for facts about a product generation."""
    difficulty: int = Field(ge=1, le=5, strict=True)
    covers: list[str] = Field(default_factory=list)
    """Sections of the two lessons, keys of `questions/lessons.yaml`."""
    claims: list[Slug] = Field(default_factory=list)
    """Claims of the ledger (`labs/claims.yaml`) that this question tests."""
    labs: list[Slug] = Field(default_factory=list)
    """Labs that let the learner prove the answer."""
    tags: list[Slug] = Field(default_factory=list)
    family: Slug | None = None
    """Siblings: questions of one family are not asked on the same day."""
    exams: bool = True
    """False keeps the question out of mock exams."""


class Option(Strict):
    """One option of a choice question."""

    id: Slug
    """Stable within the question; answers are graded by it, never by position."""
    text: Text
    correct: bool = False
    why: Text
    """Shown after the answer whether or not the option was chosen."""
    misconception: Slug | None = None
    """For a wrong option: the belief that makes it tempting, a key of `questions/misconceptions.yaml`."""
    pin: Literal["last"] | None = None
    """Keeps the option at the end when the others are shuffled ("none of these")."""

    @model_validator(mode="after")
    def _wrong_has_misconception(self) -> Option:
        if not self.correct and self.misconception is None:
            raise ValueError(f"option '{self.id}' is wrong but names no misconception; add one of misconceptions.yaml")
        if self.correct and self.misconception is not None:
            raise ValueError(f"option '{self.id}' is correct and must not name a misconception; remove it")
        return self


def _unique(ids: list[str], what: str) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise ValueError(f"{what} '{one}' is there twice; every id within a question must differ")
        seen.add(one)


class Single(Common):
    """Exactly one option is right."""

    kind: Literal["single"]
    options: list[Option] = Field(min_length=3, max_length=8)

    @model_validator(mode="after")
    def _one_key(self) -> Single:
        _unique([o.id for o in self.options], "option")
        keys = [o.id for o in self.options if o.correct]
        if not keys:
            raise ValueError("no option is marked correct; mark exactly one with 'correct: true'")
        if len(keys) > 1:
            raise ValueError(
                f"{len(keys)} options are marked correct ({', '.join(keys)}) but kind is 'single'; "
                "set 'kind: multiple' or fix one"
            )
        return self


class Multiple(Common):
    """Several options are right; the stem says how many (`choose`)."""

    kind: Literal["multiple"]
    options: list[Option] = Field(min_length=4, max_length=8)
    choose: int = Field(ge=2, strict=True)
    """How many options are right: shown to the learner."""

    @model_validator(mode="after")
    def _keys(self) -> Multiple:
        _unique([o.id for o in self.options], "option")
        keys = [o.id for o in self.options if o.correct]
        if len(keys) != self.choose:
            raise ValueError(f"'choose' says {self.choose} but {len(keys)} options are marked correct; make them agree")
        if len(keys) == len(self.options):
            raise ValueError("every option is marked correct, so ticking all would be right; add wrong options")
        return self


class Values(Strict):
    """A parameter's possible values: either listed, or a range with a step (both ends included)."""

    values: list[Number] | None = Field(default=None, min_length=1)
    min: Number | None = None
    max: Number | None = None
    step: Number = Field(default=1, gt=0)

    @model_validator(mode="after")
    def _either(self) -> Values:
        if (self.values is None) == (self.min is None or self.max is None):
            raise ValueError("give either 'values: [..]' or both 'min' and 'max'")
        if self.min is not None and self.max is not None:
            if self.min > self.max:
                raise ValueError(f"'min' {self.min} is above 'max' {self.max}; swap them")
            if (self.max - self.min) / self.step > 10_000:
                raise ValueError("the range has more than 10,000 values; take a larger 'step'")
        return self

    def all(self) -> list[Number]:
        if self.values is not None:
            return list(self.values)
        assert self.min is not None
        assert self.max is not None
        count = int((self.max - self.min) / self.step + 1e-9) + 1
        return [round(self.min + i * self.step, 10) for i in range(count)]


class Formula(Strict):
    """A number: either given (`value`) or computed by a named function of `labs.formulas` (never evaluated text).

    `args` are numbers, lists of numbers, or `$name` of a parameter.
    """

    value: Number | None = None
    function: str | None = None
    args: dict[str, Number | str | Annotated[list[Number | str], Field(max_length=200)]] = Field(default_factory=dict)
    scale: Number = 1
    """Multiplies the result: 100 turns a share into per cent, 1e-9 bytes into GB."""

    @model_validator(mode="after")
    def _either(self) -> Formula:
        if (self.value is None) == (self.function is None):
            raise ValueError("give either 'value' or 'function', not both and not neither")
        return self


class Trap(Formula):
    """A wrong number that a known mistake leads to, told apart when it is typed."""

    why: Text
    misconception: Slug


class Numeric(Common):
    """A number with a unit. With `params` every variant (question id, seed) has other numbers."""

    kind: Literal["numeric"]
    params: dict[str, Values] = Field(default_factory=dict, max_length=10)
    answer: Formula
    unit: str = ""
    """The unit asked for, e.g. `GB`, `ms`, `%`, `steps`, `x`; empty for a bare count."""
    tolerance_rel: float = Field(default=0.0, ge=0, le=0.2)
    """Relative tolerance, inclusive."""
    tolerance_abs: float = Field(default=0.0, ge=0)
    """Absolute tolerance in `unit`, inclusive. The wider of the two counts."""
    decimals: int = Field(default=2, ge=0, le=6, strict=True)
    """How the answer is printed."""
    why: Text
    """The working, step by step, with `{name}` for parameters and `{answer}` for the result."""
    traps: list[Trap] = Field(default_factory=list, max_length=10)

    @model_validator(mode="after")
    def _placeholders(self) -> Numeric:
        for name in self.params:
            if name == "answer" or not PLACEHOLDER.fullmatch(f"{{{name}}}"):
                raise ValueError(f"'{name}' cannot name a parameter; use lower-case letters, digits, _; not 'answer'")
        texts = {"ask": self.ask, "explain": self.explain, "why": self.why}
        texts |= {f"traps.{i}.why": trap.why for i, trap in enumerate(self.traps)}
        for field, text in texts.items():
            allowed = set(self.params) | (set() if field == "ask" else {"answer"})
            for name in PLACEHOLDER.findall(text):
                if name not in allowed:
                    raise ValueError(
                        f"'{field}' uses {{{name}}}, which is not a parameter; add it to 'params' or fix it"
                    )
        for part in (self.answer, *self.traps):
            for value in part.args.values():
                for one in value if isinstance(value, list) else [value]:
                    if isinstance(one, str) and (not one.startswith("$") or one[1:] not in self.params):
                        raise ValueError(f"argument '{one}' is not a parameter; write $name of one in 'params'")
        return self


class Item(Strict):
    """One step of an order question."""

    id: Slug
    text: Text
    why: Text


class Order(Common):
    """Items to be put in order; the file holds the right order, the screen never starts with it."""

    kind: Literal["order"]
    items: list[Item] = Field(min_length=3, max_length=8)
    misconception: Slug
    """The belief behind the usual wrong order."""

    @model_validator(mode="after")
    def _ids(self) -> Order:
        _unique([i.id for i in self.items], "item")
        return self


class Pair(Strict):
    """A left side and the right side that belongs to it."""

    id: Slug
    left: Text
    right: Text
    why: Text
    misconception: Slug
    """The confusion that makes a wrong pairing tempting."""


class Distractor(Strict):
    """A right side that belongs to no left side."""

    id: Slug
    text: Text
    why: Text
    misconception: Slug


class Match(Common):
    """Pairs to be matched; `extra` right sides belong to nobody. Two lefts never share one right."""

    kind: Literal["match"]
    pairs: list[Pair] = Field(min_length=3, max_length=8)
    extra: list[Distractor] = Field(default_factory=list, max_length=8)

    @model_validator(mode="after")
    def _ids(self) -> Match:
        _unique([p.id for p in self.pairs] + [d.id for d in self.extra], "pair")
        rights = [p.right.casefold() for p in self.pairs] + [d.text.casefold() for d in self.extra]
        if len(set(rights)) != len(rights):
            raise ValueError("two right sides have the same text, so the key is ambiguous; make them differ")
        return self


class Reject(Strict):
    """A wrong text that deserves its own answer."""

    text: Text
    why: Text
    misconception: Slug


class Short(Common):
    """A short text. Matching ignores case, width forms, spaces, hyphens and underscores unless `exact`."""

    kind: Literal["short"]
    accept: list[Text] = Field(min_length=1, max_length=50)
    exact: bool = False
    """For code and flags: compare as written, only outer spaces removed."""
    why: Text
    reject: list[Reject] = Field(default_factory=list, max_length=50)


Question = Annotated[Single | Multiple | Numeric | Order | Match | Short, Field(discriminator="kind")]


class Source(Strict):
    """Where facts come from."""

    title: Text
    address: Annotated[str, Field(pattern=r"^(https?://|doi:|arXiv:|computed)")]
    """A web address, or `computed` for arithmetic that `labs.formulas` does."""
    checked: Day
    """The day on which the page was last read."""


class Misconception(Strict):
    """A wrong belief that distractors stand for."""

    name: Text
    belief: Text
    """In the learner's voice: "The KV cache is shared by the batch"."""
    truth: Text


class Objective(Strict):
    """One objective of an exam."""

    title: Text
    domain: Slug | None = None
    """The exam's domain that it belongs to."""
    weight: float | None = None
