"""The claims ledger: every testable statement of the lessons, with its exact value recomputed on demand.

Data in `claims.yaml`. `exact` is either a named function of `labs.formulas` with arguments, or a run of the engine (on
the virtual executor) and what is measured in it; no value is typed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from labs.formulas import FUNCTIONS

LESSON = [20, 25, 30, 40, 50, 60, 400, 600]
NAMED = {"L": LESSON, "LL": LESSON * 2}

Verdict = Literal["holds", "rounded", "holds-when", "does-not-hold"]

VERDICT_WORDS: Mapping[Verdict, str] = {
    "holds": "holds",
    "rounded": "holds, rounded",
    "holds-when": "holds only when …",
    "does-not-hold": "does not hold",
}


class Formula(BaseModel):
    """A call of a named formula; `L` and `LL` stand for one and two groups of the lesson's output lengths."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    function: str
    args: dict[str, Any] = Field(default_factory=dict)
    scale: float = 1

    def value(self) -> float:
        if self.function not in FUNCTIONS:
            raise ValueError(f"claim formula '{self.function}' is not one of labs.formulas.FUNCTIONS")
        args = {k: NAMED.get(v, v) if isinstance(v, str) else v for k, v in self.args.items()}
        return FUNCTIONS[self.function](**args) * self.scale


class Measured(BaseModel):
    """A measure (see `labs.measures`) of an engine run; with `over`, divided by the same measure of a second run."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    measure: str
    engine: dict[str, Any]
    workload: dict[str, Any] = Field(default_factory=lambda: {"kind": "list", "lengths": LESSON})
    clock: str = "lesson"
    over: dict[str, dict[str, Any]] | None = None
    """`engine` and `workload` fields in which the second run differs."""
    scale: float = 1

    def value(self) -> float:
        value = self._run({}, {})
        if self.over is not None:
            value /= self._run(self.over.get("engine", {}), self.over.get("workload", {}))
        return value * self.scale

    def _run(self, engine: dict[str, Any], workload: dict[str, Any]) -> float:
        from labs.engine import EngineConfig, run
        from labs.lab import Workload
        from labs.measures import evaluate, flatten, tell
        from labs.setting import make_requests

        config = EngineConfig(**{**self.engine, **engine})
        requests, _ = make_requests(Workload.model_validate({**self.workload, **workload}), config.rows, "claim")
        result = run(config, requests, clock=self.clock, keep_events=True)
        assert result.events is not None
        return evaluate(self.measure, tell(result.events), flatten(result.counters))


class Claim(BaseModel):
    """One statement of a lesson, what it says, what is right, and whether it holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: str
    source: str
    statement: str
    stated: float
    unit: str
    exact: Formula | Measured
    verdict: Verdict
    note: str
    labs: list[str] = Field(default_factory=list)


@cache
def load_claims() -> dict[str, Claim]:
    """Claims by id, in ledger order."""
    rows = yaml.safe_load((Path(__file__).parent / "claims.yaml").read_text("utf-8"))
    claims = [Claim.model_validate(row) for row in rows]
    by_id = {c.id: c for c in claims}
    if len(by_id) != len(claims):
        raise ValueError("labs/claims.yaml: a claim id is there twice; every id must differ")
    return by_id
