"""Every lab of the catalogue from its first page to its pass, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs import session as rules
from labs.lab import find_lab, load_catalog
from labs.runner import perform
from labs.setting import make_setting
from quizapp.bank.load import load_bank
from quizapp.study import labs as use_cases
from tui.lab_support import engine_children, explain, keys_for, open_lab, predict, read_off, run_all
from tui.support import make_app, open_study, press, text_of


@pytest.mark.prove
@pytest.mark.parametrize("executor", ["virtual", None], ids=["virtual", "as the lab asks"])
@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in load_catalog()])
async def test_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, executor: str | None) -> None:
    monkeypatch.setattr(use_cases, "EXECUTOR", executor)
    bank, lab = load_bank(), find_lab(name)
    app = make_app(tmp_path, bank=bank)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await open_lab(pilot, app, name)
        await predict(pilot, screen)
        await run_all(pilot, screen)
        await read_off(pilot, screen)
        await explain(pilot, screen)
        await press(pilot, "enter")
        seed = screen.view.record.seed
        settings = {
            run.id: make_setting(lab, "transfer", run.id, seed, executor="virtual") for run in lab.transfer.runs
        }
        ran = {key: perform(lab, one, tmp_path / key, "").receipt for key, one in settings.items()}
        while screen.step == "predict":
            ask = screen.form.ask
            value = rules.truth(ask, ran)
            pick = ask.kind == "choice"
            await press(
                pilot, *([str(ask.choices.index(value) + 1)] if pick else [*keys_for(value, ask), "enter"]), "4"
            )
        await run_all(pilot, screen)
        assert "✓ Passed" in text_of(app)
    app.store.close()
    assert engine_children() == []
    study = open_study(tmp_path, bank)
    assert study.counts().due == len([one for one in lab.followups if one in bank.questions]) > 0
    study.close()
