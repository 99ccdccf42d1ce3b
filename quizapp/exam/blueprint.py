"""A blueprint: what an exam consists of (`questions/exams/*.yaml`). What a vendor does not publish is said so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Count(Strict):
    """How many questions: a range where the vendor states a range."""

    min: int = Field(ge=1)
    max: int = Field(ge=1)


class Domain(Strict):
    title: str
    weight: float = Field(gt=0)


class ObjectiveLine(Strict):
    title: str
    domain: str
    weight: float | None = Field(default=None, gt=0)
    """Share of this exam's questions, in any unit; objectives without one share their domain's weight evenly."""


class Blueprint(Strict):
    """One exam or the part of it that the bank covers."""

    id: str
    title: str
    as_of: date
    sources: list[str] = Field(min_length=1)
    questions: Count
    minutes: int = Field(ge=1)
    pass_mark: Literal["undisclosed"] | float
    covers: str = ""
    """Which part of the real exam this blueprint is, in one sentence; empty when it is the whole."""
    asks: str = ""
    """What is known of the kinds of question in the real exam, in one sentence."""
    mock: bool = True
    """False when the bank covers too little of it for a mock exam."""
    domains: dict[str, Domain] = Field(default_factory=dict)
    objectives: dict[str, ObjectiveLine] = Field(default_factory=dict)
    part_of: str = ""
    """The blueprint whose domains and objectives this one takes a part of."""
    parts: dict[str, float] = Field(default_factory=dict)
    """With `part_of`: the objectives taken, with their weights."""

    @field_validator("as_of", mode="before")
    @classmethod
    def _month(cls, value: Any) -> Any:
        return f"{value}-01" if isinstance(value, str) and len(value) == 7 else value

    @model_validator(mode="after")
    def _domains_exist(self) -> Blueprint:
        for key, line in self.objectives.items():
            if line.domain not in self.domains:
                raise ValueError(
                    f"objective '{key}' names domain '{line.domain}', which is not one of {list(self.domains)}"
                )
        if self.questions.min > self.questions.max:
            raise ValueError("questions.min is above questions.max; swap them")
        return self

    @property
    def disclosed_pass_mark(self) -> float | None:
        return None if self.pass_mark == "undisclosed" else float(self.pass_mark)

    def weights(self) -> dict[str, float]:
        """Share (summing to 1) of each objective."""
        raw: dict[str, float] = {}
        for domain, about in self.domains.items():
            members = [k for k, line in self.objectives.items() if line.domain == domain]
            for key in members:
                own = self.objectives[key].weight
                raw[key] = own if own is not None else about.weight / len(members)
        total = sum(raw.values())
        return {key: weight / total for key, weight in raw.items()}

    def domain_of(self, objective: str) -> str:
        """The domain of an objective; empty for one that is not of this exam."""
        return self.objectives[objective].domain if objective in self.objectives else ""

    def minutes_for(self, count: int) -> int:
        """Time for a mock of `count` questions: the exam's own, or its share of it for a shorter one."""
        return max(1, min(self.minutes, round(self.minutes * count / self.questions.min)))


def blueprints(exams: Mapping[str, Mapping[str, Any]]) -> dict[str, Blueprint]:
    """The bank's exam files as blueprints, by id. Raises ValueError with the file's field when one is wrong.

    A file without `questions` only lists objectives of no exam and is none.
    """
    return {key: Blueprint.model_validate(_whole(data, exams)) for key, data in exams.items() if "questions" in data}


def _whole(data: Mapping[str, Any], exams: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A blueprint that is part of another, with the other's domains and the objectives it takes."""
    parent = exams.get(data.get("part_of", ""))
    if parent is None:
        if data.get("part_of"):
            raise ValueError(f"exam '{data.get('id')}' is part of '{data['part_of']}', which is no exam of this bank")
        return dict(data)
    taken = {}
    for key, weight in data.get("parts", {}).items():
        if key not in parent["objectives"]:
            raise ValueError(f"exam '{data.get('id')}' takes objective '{key}', which '{data['part_of']}' lacks")
        taken[key] = {**parent["objectives"][key], "weight": weight}
    used = {line["domain"] for line in taken.values()}
    return {**data, "objectives": taken, "domains": {k: v for k, v in parent["domains"].items() if k in used}}


def quotas(weights: Mapping[str, float], count: int) -> dict[str, int]:
    """`count` questions shared by weight, largest remainder first: each objective within one of its exact share."""
    exact = {key: weight * count for key, weight in weights.items()}
    shares = {key: int(value) for key, value in exact.items()}
    left = count - sum(shares.values())
    for key in sorted(exact, key=lambda k: (shares[k] - exact[k], k))[:left]:
        shares[key] += 1
    return shares
