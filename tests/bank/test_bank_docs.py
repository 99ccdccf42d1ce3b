"""What docs/writing-questions.md says is what the schema does."""

from __future__ import annotations

import re
from pathlib import Path

from quizapp.bank.load import load_bank
from quizapp.bank.schema import KINDS, STYLES, Common, Numeric
from quizapp.bank.variant import make_variant
from quizapp.bank.yaml12 import read_yaml

from .samples import COMMON

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "writing-questions.md").read_text("utf-8")


def test_every_common_field_kind_and_style_is_described() -> None:
    table = "".join(line for line in PAGE.splitlines(keepends=True) if line.startswith("| `"))
    for name in (*Common.model_fields, "kind", *STYLES):
        assert f"`{name}`" in table, name
    assert all(f"kind: {kind}" in PAGE for kind in KINDS)


def test_the_examples_are_yaml_and_the_calculation_works() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    document = read_yaml(example.replace("…", "x"))
    assert document.mistakes == []
    assert {entry["kind"] for entry in document.value} == set(KINDS)
    body = next(entry for entry in document.value if entry["kind"] == "numeric")
    variant = make_variant(Numeric.model_validate({**COMMON, **body}), 1)
    assert variant.answer is not None
    assert variant.answer > variant.traps[0].value
    assert set(re.findall(r"misconception: ([a-z-]{3,})", example)) <= set(load_bank().misconceptions)
