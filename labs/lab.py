"""A guided lab as data: claim → predict → run → observe → explain → transfer.

`labs/catalog/NN-slug/` holds `lab.yaml` (this schema), `text.md` (the prose, one `## section` a stage) and
`solve.py` (a scripted solver). Nothing in `lab.yaml` is an expected number: answers are judged against the counters of
the learner's own run, and those against the oracle.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

CATALOG = Path(__file__).parent / "catalog"
STAGES = ("claim", "predict", "run", "observe", "explain", "transfer", "passed")

Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=40)]
Value = int | float | str | bool


SHARES = ("waste", "utilization", "step_share(")
"""Counters and measures (by the beginning of their names) that are a part of a whole: 0 to 1."""
MOST = 10**9
"""No count, time or ratio of a lab comes near it: a larger number is a slip of the hand."""


class LabError(ValueError):
    """A lab file, knob or answer that cannot be used; the message is a sentence that names it and the way out."""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Workload(Strict):
    """Which requests arrive. `seed` 0 is the lesson itself; other seeds vary it per learner where `vary` says so."""

    kind: Literal["list", "generated", "tenants", "long-prompt"]
    lengths: list[int] = Field(default_factory=list)
    """Output tokens a request: `list`, in this order; `generated` without a `source`, in turn."""
    groups: int = 1
    prompt: int = 200
    """Prompt tokens of each request; of the long one in `long-prompt`."""
    declared: int = 0
    """`list`: most new tokens that each request declares, for admission that reserves; 0: its real length."""
    vary: bool = False
    """With a learner's seed, lengths and prompts are varied by up to a fifth, so that everybody has other numbers."""
    source: str = ""
    """`generated`: a name of the trace quantiles, e.g. `azure_conv`."""
    requests: int = 0
    """`generated`: how many. `long-prompt`: how many already decode when the long prompt arrives."""
    divide: int = 1
    """Lengths are divided by this, so that torch runs stay short; ratios of counts hardly change."""
    rate: float = 0.0
    """`generated`: arrivals a second; 0 leaves it to `load`."""
    load: float = 0.0
    """`generated`: arrival rate as a share of what continuous batching can serve; 0 means all at once."""
    burstiness: float = 1.0
    """Gamma shape of the inter-arrival times: 1 Poisson, below 1 bursty."""
    tenants: dict[str, dict[str, int]] = Field(default_factory=dict)
    """`tenants`: name -> {requests, output, at_ms, priority}."""
    output: int = 0
    """`long-prompt`: tokens that every request writes."""
    at_ms: int = 0
    """`long-prompt`: when the long prompt arrives."""


class Ask(Strict):
    """A number (or a choice) that the learner predicts or reads off, and the counter of a run that judges it."""

    key: Slug
    ask: str
    unit: str = ""
    kind: Literal["number", "choice"] = "number"
    choices: list[str] = Field(default_factory=list)
    run: Slug = "main"
    counter: str
    """A counter of the run, or a measure of `labs.measures` such as `idle_steps(r1)`."""
    over: Slug | None = None
    """Another run: the value is this run's counter divided by that run's."""
    scale: float = 1
    decimals: int = 1
    tolerance: float = 0.0
    """Absolute tolerance in `unit` for an observation or a transfer prediction; a first prediction is never judged."""
    tolerance_rel: float = 0.0

    @property
    def most(self) -> float:
        """The largest value that can be, in `unit`. The smallest is 0: counts, times, shares and their ratios."""
        return self.scale if self.over is None and self.counter.startswith(SHARES) else MOST

    def impossible(self, value: float) -> str | None:
        """The sentence that refuses a number which no run can give; None for one that can be. NaN cannot be."""
        if 0 <= value <= self.most:
            return None
        return f"{value:g} cannot be: the answer lies from 0 to {self.most:,.0f}{f' {self.unit}' if self.unit else ''}"


class Run(Strict):
    """One run of the engine: the lab's workload and engine settings with a few of them changed."""

    id: Slug
    title: str
    set: dict[str, Value] = Field(default_factory=dict)
    """Knob name -> value, for example `scheme: continuous`."""
    executor: Literal["torch", "virtual"] | None = None
    """Who computes this run when it is not the lab's usual executor."""


class Knob(Strict):
    """A setting that the learner may turn. `target` is `engine.<field>` or `workload.<field>`."""

    key: Slug
    label: str
    target: str = Field(pattern=r"^(engine|workload)\.[a-z_]+$")
    values: list[Value] = Field(min_length=2)
    why: str = ""


class Choice(Strict):
    """One cause to choose from in the explain stage."""

    id: Slug
    text: str
    correct: bool = False
    why: str


class Explain(Strict):
    ask: str
    options: list[Choice] = Field(min_length=3)

    @model_validator(mode="after")
    def _one_key(self) -> Explain:
        if sum(o.correct for o in self.options) != 1:
            raise ValueError("mark exactly one cause with 'correct: true'")
        return self


class Transfer(Strict):
    """The same question on a changed knob and on the learner's own numbers; this one must be right to pass."""

    text: str
    """Names in braces, such as {lengths}, become the learner's own numbers: see `labs.setting.fill`."""
    runs: list[Run] = Field(min_length=1)
    workload: dict[str, Any] = Field(default_factory=dict)
    """Workload fields that differ from the lab's."""
    predict: list[Ask] = Field(min_length=1)


class Recorded(Strict):
    """Figures of a real server's run, shown beside our own; never judged."""

    title: str
    rows: list[tuple[str, str]]
    source: str


class Lab(Strict):
    """One lab of the catalogue."""

    id: Annotated[str, Field(pattern=r"^\d\d-[a-z0-9-]+$")]
    title: str
    family: Literal["mechanism", "policy", "memory", "latency"]
    guidance: Literal["worked", "completion", "bare"] = "bare"
    """How much is worked out before: the first lab of a family is worked, the second has blanks."""
    minutes: int = Field(ge=2, le=30)
    needs: list[str] = Field(default_factory=list)
    claims: list[str] = Field(min_length=1)
    followups: list[str] = Field(min_length=1)
    """Question ids that enter the review queue when the lab is passed."""
    claim: str
    """The claim under test, in our own words."""
    workload: Workload
    engine: dict[str, Value]
    clock: str = "lesson"
    executor: Literal["torch", "virtual"] = "torch"
    model: str = "small"
    runs: list[Run] = Field(min_length=1)
    knobs: list[Knob] = Field(default_factory=list)
    predict: list[Ask] = Field(min_length=1)
    observe: list[Ask] = Field(min_length=1)
    explain: Explain
    transfer: Transfer
    hints: tuple[str, str, str]
    """Restate the quantity; the formula with blanks; a worked example on other numbers."""
    recorded: list[Recorded] = Field(default_factory=list)
    panels: list[Literal["slots", "kv", "queue", "budget", "counters", "latency"]] = Field(
        default_factory=lambda: ["slots", "counters"]  # type: ignore[arg-type]
    )

    @model_validator(mode="after")
    def _names(self) -> Lab:
        ids = {r.id for r in self.runs}
        transfer_ids = {r.id for r in self.transfer.runs}
        for asks, known in (((*self.predict, *self.observe), ids), (self.transfer.predict, transfer_ids)):
            for ask in asks:
                unread = {ask.run, ask.over or ask.run} - known
                if unread:
                    raise ValueError(f"'{ask.key}' reads run '{unread.pop()}', which is not one of {sorted(known)}")
        knobs = {k.key for k in self.knobs}
        for run in (*self.runs, *self.transfer.runs):
            unknown = set(run.set) - knobs
            if unknown:
                raise ValueError(f"run '{run.id}' sets {sorted(unknown)}, which are not knobs of this lab")
        return self

    def knob(self, key: str) -> Knob:
        for knob in self.knobs:
            if knob.key == key:
                return knob
        raise LabError(f"lab '{self.id}' has no knob '{key}'; it has {', '.join(k.key for k in self.knobs) or 'none'}")

    def part_runs(self, part: str) -> list[Run]:
        """The runs of `main` or of `transfer`."""
        return self.runs if part == "main" else self.transfer.runs

    def counters_wanted(self, part: str, run: str) -> set[str]:
        """Counters and measures of a run that some question reads."""
        asks = [*self.predict, *self.observe] if part == "main" else self.transfer.predict
        return {ask.counter for ask in asks if run in (ask.run, ask.over)}

    def text(self, root: Path = CATALOG) -> dict[str, str]:
        """The prose by stage: the `## stage` sections of text.md."""
        file = root / self.id / "text.md"
        try:
            source = file.read_text("utf-8")
        except OSError as error:
            raise LabError(f"{file}: cannot be read ({error.strerror}); it holds one `## ` section a stage") from None
        parts = re.split(r"(?m)^## +([a-z-]+) *$", source)
        return {parts[i]: parts[i + 1].strip() for i in range(1, len(parts), 2)}


def load_lab(folder: Path) -> Lab:
    """The lab in `folder`; LabError names the file and field of what is wrong."""
    file = folder / "lab.yaml"
    try:
        return Lab.model_validate(yaml.safe_load(file.read_text("utf-8")))
    except OSError as error:
        raise LabError(
            f"{file}: cannot be read ({error.strerror}); a lab needs lab.yaml, text.md and solve.py"
        ) from None
    except yaml.YAMLError as error:
        raise LabError(f"{file}: not valid YAML: {str(error).splitlines()[0]}") from None
    except ValidationError as error:
        found = error.errors()
        places = [".".join(str(part) for part in one["loc"]) or "lab" for one in found]
        words = [one["msg"].removeprefix("Value error, ") for one in found]
        said = [f"field '{where}': {what}" for where, what in zip(places, words, strict=True)]
        more = f"; and {len(said) - 3} more" if len(said) > 3 else ""
        raise LabError(f"{file}: {'; '.join(said[:3])}{more}") from None


@cache
def load_catalog(root: Path = CATALOG) -> dict[str, Lab]:
    """Labs by id, in order of their numbers."""
    labs = [load_lab(folder) for folder in sorted(root.iterdir()) if (folder / "lab.yaml").is_file()]
    return {lab.id: lab for lab in labs}


def find_lab(name: str) -> Lab:
    """The lab called `name`: its id, its number, or its slug."""
    catalog = load_catalog()
    for lab in catalog.values():
        if name in (lab.id, lab.id.split("-", 1)[0], lab.id.split("-", 1)[1]) or name.zfill(2) == lab.id[:2]:
            return lab
    raise LabError(f"there is no lab '{name}'; `quizapp lab list` names them: {', '.join(catalog)}")
