"""What the learner types or chooses in a lab, one question at a time. Pure: the screen shows it and stores it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quizapp.bank.errors import Unclear
from quizapp.bank.number import parse_quantity
from quizapp.bank.units import parse_unit, with_unit

CONFIDENCES = (50, 70, 85, 95)
"""As `labs.session` has them; digit 1 is the first."""


@dataclass
class Form:
    """`asks` are the open questions; the first is asked. Predictions also want to know how sure one is."""

    asks: list[Any]
    confident: bool
    value: str | None = None

    @property
    def ask(self) -> Any:
        return self.asks[0] if self.asks else None

    @property
    def phase(self) -> str:
        """`type` a number, `pick` a choice, say how `sure`, or `none`."""
        if self.ask is None:
            return "none"
        if self.value is not None:
            return "sure"
        return "pick" if self.ask.kind == "choice" else "type"

    def give(self, value: str) -> bool:
        """Takes an answer; whether it is complete and can be stored."""
        self.value = value
        return not self.confident

    def digit(self, number: int) -> bool:
        """Takes a digit; whether the answer is complete. The confidence is then `sure(number)`."""
        if self.phase == "pick" and number <= len(self.ask.choices):
            return self.give(self.ask.choices[number - 1])
        return self.phase == "sure" and number <= len(CONFIDENCES)

    def take_back(self) -> None:
        self.value = None


def read(text: str, ask: Any) -> str:
    """A typed number as digits with a point.

    Raises `bank.errors.Unclear` when it cannot be read in just one way, or when no run can give such a number.
    """
    typed, unit = text.strip(), ask.unit
    if parse_unit(unit) is None:  # a word of the lab's own, such as slot-steps
        typed, unit = typed.removesuffix(unit).strip(), ""
    value = parse_quantity(typed, unit, whole=ask.decimals == 0).value
    refused = ask.impossible(float(value))
    if refused:
        raise Unclear(f"{refused}.")
    return format(value, "f")


def shown(value: Any, ask: Any) -> str:
    """A number in its ask's decimals and unit; a choice as it is."""
    if isinstance(value, str):
        return value
    return with_unit(f"{value:,.{ask.decimals}f}", ask.unit)
