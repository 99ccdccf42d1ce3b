"""Receipts are evidence: doctored logs are refused, failed runs leave nothing."""

from __future__ import annotations

import hashlib
import json

import pytest

from labs import runner
from labs.engine import VirtualExecutor
from labs.lab import LabError, find_lab, load_catalog
from labs.runner import Computer, perform, verify
from labs.setting import make_setting

LAB = find_lab("03-backfill")


@pytest.fixture
def receipt(tmp_path):
    setting = make_setting(LAB, "main", "main", 7, executor="virtual")
    return perform(LAB, setting, tmp_path / "log.jsonl", "now").receipt


def rehashed(receipt, lines):
    """The receipt of somebody who changed the log and hashed it again."""
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    with open(receipt.events, "wb") as file:
        file.write(data)
    return receipt.model_copy(update={"sha256": hashlib.sha256(data).hexdigest()})


def lines_of(receipt):
    with open(receipt.events, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_an_honest_receipt_holds(receipt):
    assert receipt.agrees
    assert receipt.counters["steps"] == receipt.oracle["steps"] == 660
    assert receipt.oracle["backfilled"] == 8
    assert verify(LAB, receipt) == []


def test_a_changed_file_is_refused(receipt):
    with open(receipt.events, "a", encoding="utf-8") as file:
        file.write("\n")
    assert "was changed after the run" in verify(LAB, receipt)[0]


def test_a_changed_counter_is_refused(receipt):
    better = receipt.model_copy(update={"counters": {**receipt.counters, "steps": 600.0}})
    assert any("steps" in problem for problem in verify(LAB, better))
    better = receipt.model_copy(update={"counters": {**receipt.counters, "backfilled": 16.0}})
    assert any("backfilled" in problem for problem in verify(LAB, better))


@pytest.mark.parametrize("where", [2, 100, -1])
def test_a_removed_step_is_refused(receipt, where):
    lines = lines_of(receipt)
    del lines[where]
    assert verify(LAB, rehashed(receipt, lines))


def test_a_whole_consistent_log_of_another_run_is_refused(receipt, tmp_path):
    setting = make_setting(LAB, "transfer", "own", 7, executor="virtual")
    other = perform(LAB, setting, tmp_path / "other.jsonl", "now").receipt
    posing = other.model_copy(update={"part": "main", "run": "main", "config_hash": receipt.config_hash})
    assert verify(LAB, posing)
    disguised = lines_of(other)
    disguised[0] = lines_of(receipt)[0]
    assert verify(LAB, rehashed(posing, disguised))


def test_another_seed_is_refused(tmp_path):
    setting = make_setting(LAB, "transfer", "own", 7, executor="virtual")
    mine = perform(LAB, setting, tmp_path / "log.jsonl", "now").receipt
    assert verify(LAB, mine) == []
    yours = mine.model_copy(update={"seed": 8})
    assert "other settings or requests" in verify(LAB, yours)[0]
    hashed = yours.model_copy(
        update={"config_hash": make_setting(LAB, "transfer", "own", 8, executor="virtual").config_hash()}
    )
    assert verify(LAB, hashed)


def test_a_log_that_is_sound_in_itself_must_also_be_the_schedule_of_these_settings(tmp_path):
    """On this lab's clock the oracle foresees nothing: only the comparison with the settings' own schedule can tell."""
    lab = find_lab("07")
    small, main = (make_setting(lab, "main", which, 1, executor="virtual") for which in ("small", "main"))
    honest = perform(lab, main, tmp_path / "main.jsonl", "now").receipt
    other = perform(lab, small, tmp_path / "small.jsonl", "now").receipt
    counters = {**other.counters, **{name: 58.4 for name in honest.counters if "gap" in name}}
    posing = other.model_copy(update={"run": "main", "config_hash": honest.config_hash, "counters": counters})
    disguised = lines_of(other)
    disguised[0] = lines_of(honest)[0]
    assert "is not one of run 'main'" in verify(lab, rehashed(posing, disguised))[0]


def test_times_moved_and_tokens_given_to_another_are_refused(receipt):
    lines = lines_of(receipt)
    lines[50]["duration_ns"] //= 2
    assert verify(LAB, rehashed(receipt, lines))
    lines = lines_of(receipt)
    lines[50]["tokens"][0], lines[50]["tokens"][1] = lines[50]["tokens"][1], lines[50]["tokens"][0]
    assert verify(LAB, rehashed(receipt, lines))


def test_a_missing_log_says_so(receipt, tmp_path):
    (tmp_path / "log.jsonl").unlink()
    assert "cannot be read" in verify(LAB, receipt)[0]


def test_a_run_that_is_stopped_leaves_no_file(tmp_path):
    def stop(event):
        if event.step == 30:
            raise KeyboardInterrupt

    setting = make_setting(LAB, "main", "main", 0, executor="virtual")
    with pytest.raises(KeyboardInterrupt):
        perform(LAB, setting, tmp_path / "log.jsonl", "now", on_event=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    setting = make_setting(LAB, "main", "main", 0, executor="virtual")
    with pytest.raises(LabError, match="the event log cannot be written"):
        perform(LAB, setting, tmp_path / "file" / "log.jsonl", "now")


def test_without_torch_the_virtual_executor_runs_and_says_so(monkeypatch, tmp_path):
    def broken(model):
        raise ImportError("libtorch is broken")

    monkeypatch.setattr(runner, "_torch", broken)
    done = perform(LAB, make_setting(LAB, "main", "main", 0), tmp_path / "log.jsonl", "now")
    assert done.receipt.executor == "virtual"
    assert "libtorch is broken" in done.notice
    assert done.receipt.counters["steps"] == 660
    assert verify(LAB, done.receipt) == []


def test_a_free_run_leaves_out_what_its_knobs_took_away(tmp_path):
    setting = make_setting(LAB, "main", "main", 0, {"groups": 1}, "virtual")
    receipt = perform(LAB, setting, tmp_path / "log.jsonl", "now").receipt
    assert receipt.agrees
    assert receipt.counters["backfilled"] == 0
    assert "start_step(r16)" not in receipt.counters
    assert verify(LAB, receipt, {"groups": 1}) == []


@pytest.mark.prove
def test_every_value_of_every_knob_can_be_run(tmp_path):
    for lab in load_catalog().values():
        short = lab.id in ("02-window-dial", "13-percentiles")  # thousands of steps each
        for knob in lab.knobs:
            for value in knob.values[:1] if short else knob.values:
                setting = make_setting(lab, "main", lab.runs[0].id, 0, {knob.key: value}, "virtual")
                receipt = perform(lab, setting, tmp_path / "log.jsonl", "now").receipt
                assert receipt.agrees, (lab.id, knob.key, value)
                assert verify(lab, receipt, {knob.key: value}) == []


def test_an_engine_that_counts_wrongly_does_not_agree_with_the_oracle(monkeypatch, tmp_path):
    honest = runner.run

    def flattering(*args, **kwargs):
        result = honest(*args, **kwargs)
        result.counters["steps"] = 600
        return result

    monkeypatch.setattr(runner, "run", flattering)
    setting = make_setting(LAB, "main", "main", 0, executor="virtual")
    done = perform(LAB, setting, tmp_path / "log.jsonl", "now", computer=Computer(VirtualExecutor(), "virtual", "none"))
    assert not done.receipt.agrees
