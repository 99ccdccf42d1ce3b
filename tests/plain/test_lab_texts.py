"""What a lab shows before its first question must not answer it."""

from __future__ import annotations

import re

import pytest

from labs.engine import run
from labs.lab import Lab, load_catalog
from labs.measures import evaluate, flatten, tell
from labs.setting import make_setting, transfer_text

LABS = load_catalog()


def found(lab: Lab, which: str, counters: set[str]) -> dict[str, float]:
    setting = make_setting(lab, "main", which, 0, executor="virtual")
    result = run(setting.config, setting.requests, clock=setting.clock, keep_events=True)
    flat, story = flatten(result.counters), tell(result.events or [])
    return {name: evaluate(name, story, flat) for name in counters}


@pytest.mark.parametrize("name", LABS)
def test_list_and_claim_do_not_give_a_predicted_number_away(name: str) -> None:
    lab = LABS[name]
    shown = f"{lab.title}\n{lab.claim}\n{lab.text()['claim']}"
    numbers = {float(text.replace(",", "")) for text in re.findall(r"\d[\d,]*(?:\.\d+)?", shown)}
    asks = [ask for ask in lab.predict if ask.kind != "choice"]
    runs = {which for ask in asks for which in (ask.run, ask.over) if which}
    truth = {which: found(lab, which, {ask.counter for ask in asks if which in (ask.run, ask.over)}) for which in runs}
    for ask in asks:
        value = truth[ask.run][ask.counter] / (truth[ask.over][ask.counter] if ask.over else 1) * ask.scale
        assert round(value, ask.decimals) not in numbers, (ask.key, value)


@pytest.mark.parametrize("name", LABS)
def test_a_transfer_writes_thousands_like_the_rest_of_the_lab(name: str) -> None:
    for seed in range(3):
        assert re.findall(r"(?<![\d.,])\d{4,}", transfer_text(LABS[name], seed)) == []
