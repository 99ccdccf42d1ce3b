"""What the learner can choose. Kept in the store, so that it travels with its backups."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from quizapp.memory.day import UnknownZone, zone_named


def system_zone() -> str:
    """The IANA name of this machine's zone; `UTC` when it has none that we know."""
    names = [os.environ.get("TZ", "").lstrip(":")]
    try:
        names.append(os.path.realpath("/etc/localtime").partition("zoneinfo/")[2])
        names.append(Path("/etc/timezone").read_text("utf-8").strip())
    except (OSError, UnicodeDecodeError):
        pass
    for name in names:
        if name:
            try:
                zone_named(name)
            except UnknownZone:
                continue
            return name
    return "UTC"


class Settings(BaseModel):
    model_config = ConfigDict(extra="ignore", validate_assignment=True)

    zone: str = Field(default_factory=system_zone, max_length=80)
    """IANA zone whose calendar days are the study days."""
    rollover_hour: int = Field(default=4, ge=0, le=23)
    """The hour at which a study day begins."""
    exam_date: date | None = None
    exam: str = Field(default="nca-genl-serving", max_length=80)
    """Blueprint that readiness and the plan are about. In a bank without it: the first one with a mock exam."""
    target: int | None = Field(default=None, ge=1, le=100)
    """The per cent of an exam's questions that the learner wants to get right."""
    minutes_a_day: int | None = Field(default=20, ge=1, le=1440)
    new_per_day: int = Field(default=20, ge=0, le=9999)
    reviews_per_day: int = Field(default=200, ge=0, le=9999)
    learn_ahead_minutes: int = Field(default=20, ge=0, le=720)
    """A card in learning that is due within so many minutes is asked when nothing else is left."""
    desired_retention: float = Field(default=0.9, ge=0.70, le=0.99, allow_inf_nan=False)
    leech_threshold: int = Field(default=8, ge=2, le=99)
    fuzz: bool = True
    fits: tuple[Annotated[tuple[FiniteFloat, ...], Field(min_length=21, max_length=21)], ...] = ()
    """FSRS parameters that `quizapp optimise` adopted, the last in force (its undo drops them). None: the defaults."""
    theme: str = Field(default="dark", max_length=40)
    ask_confidence: bool = True
    first_run_done: bool = False
    keys: dict[str, str] = Field(default_factory=dict)
    """Remapped keys: action id to key."""


def stored_value(text: str) -> Any:
    """The value of a stored setting; what is no JSON any more stays a text, which `read_settings` then judges."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_settings(stored: dict[str, Any]) -> tuple[Settings, list[str]]:
    """Settings from stored values. A value that is not allowed falls back to its default, and a sentence says so."""
    try:
        return Settings(**stored), []
    except ValidationError as error:
        bad = {str(one["loc"][0]): one["msg"] for one in error.errors()}
        good = {k: v for k, v in stored.items() if k not in bad}
        said = [
            f"Setting '{k}' has a stored value that is not allowed ({why}); its default is used."
            for k, why in bad.items()
        ]
        return Settings(**good), said
