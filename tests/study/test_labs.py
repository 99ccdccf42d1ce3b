"""Labs as use cases on a real store: the order is kept, everything is logged, a pass calls questions up, once."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from labs import session as rules
from labs.lab import LabError, find_lab
from labs.runner import perform, verify
from labs.session import Receipt
from labs.setting import make_setting
from quizapp.bank.model import Bank
from quizapp.store.errors import StoreError
from quizapp.study import Filter, Study, replay
from quizapp.study.labs import Labs
from study.helpers import ahead, open_study, single

LAB = "01-static-waste"
SURE = 85


def bank_with_followups() -> Bank:
    """The lab's follow-ups, harder than what else is new, and some other questions."""
    names = find_lab(LAB).followups
    questions = [single(f"q{n:02}", difficulty=1) for n in range(6)]
    questions += [single(name, difficulty=5, claims=["c06"] if name == names[0] else []) for name in names]
    return Bank(questions={q.id: q for q in questions}, topic={q.id: "t" for q in questions})


def opened(home: Path, **settings: object) -> Study:
    study = open_study(home, bank_with_followups())
    if settings:
        study.save_settings(**settings)
    return study


def labs_of(study: Study, seed: int = 7) -> Labs:
    return Labs(study, seeds=lambda: seed)


def receipt(labs: Labs, part: str, run: str) -> Receipt:
    """A real run on the virtual executor."""
    lab, plan = find_lab(LAB), labs.plan_run(LAB, part, run)  # type: ignore[arg-type]
    setting = make_setting(lab, part, run, plan.request["seed"], executor="virtual")
    return perform(lab, setting, Path(plan.request["events_path"]), plan.request["at"]).receipt


def predict_all(labs: Labs, part: str = "main", right: bool = False, confidence: int = SURE) -> None:
    lab = find_lab(LAB)
    for ask in lab.predict if part == "main" else lab.transfer.predict:
        value: object = 1
        if right:
            seed = labs.lab(LAB).record.seed
            runs = {r.id: make_setting(lab, part, r.id, seed, executor="virtual") for r in lab.part_runs(part)}
            folder = labs.folder / "foreseen"
            ran = {name: perform(lab, one, folder / name, "").receipt for name, one in runs.items()}
            value = rules.truth(ask, ran)
        labs.predict(LAB, {ask.key: value}, {ask.key: confidence}, part)  # type: ignore[arg-type]


def pass_lab(labs: Labs) -> None:
    labs.open(LAB)
    predict_all(labs)
    for run in find_lab(LAB).runs:
        labs.record_receipt(LAB, receipt(labs, "main", run.id))
    ran = labs.lab(LAB).record.ran("main")
    labs.observe(LAB, {ask.key: rules.truth(ask, ran) for ask in find_lab(LAB).observe})
    labs.explain(LAB, find_lab(LAB).explain.options[1].id)
    predict_all(labs, "transfer", right=True)
    labs.record_receipt(LAB, receipt(labs, "transfer", "own"))


def test_the_way_through_a_lab_step_by_step(tmp_path: Path) -> None:
    with opened(tmp_path) as study:
        labs = labs_of(study)
        assert labs.lab_list()[0].state == "new"
        labs.open(LAB)
        assert labs.lab_list()[0].state == "new"
        with pytest.raises(LabError, match="predict first"):
            labs.plan_run(LAB, "main", "main")
        predict_all(labs)
        assert labs.lab(LAB).step() == "run"
        with pytest.raises(LabError, match="run the experiment first"):
            labs.observe(LAB, {"waste": 74.5})
        for run in find_lab(LAB).runs:
            view = labs.record_receipt(LAB, receipt(labs, "main", run.id))
        assert view.step() == "observe"
        assert next(row.was for row in view.main) == pytest.approx(74.479, abs=0.001)
        view = labs.observe(LAB, {"waste": 12})
        assert view.readings["waste"] == (12, False)
        assert view.asks()[0].key == "area"
        ran = view.record.ran("main")
        view = labs.observe(LAB, {ask.key: rules.truth(ask, ran) for ask in find_lab(LAB).observe})
        assert view.step() == "explain"
        view = labs.explain(LAB, find_lab(LAB).explain.options[1].id)
        assert view.step() == "predict"
        assert view.part_of(False) == "transfer"
        assert str(view.record.seed) != "0"


def test_a_missed_transfer_asks_again_on_other_numbers(tmp_path: Path) -> None:
    with opened(tmp_path) as study:
        seeds = iter([7, 8, 9])
        labs = Labs(study, seeds=lambda: next(seeds))
        labs.open(LAB)
        predict_all(labs, "transfer")
        view = labs.record_receipt(LAB, receipt(labs, "transfer", "own"))
        assert view.step(fast=True) == "missed"
        first = view.transfer_words
        view = labs.retry_transfer(LAB)
        assert view.record.seed == 8
        assert view.transfer_words != first
        assert view.step(fast=True) == "predict"


def test_a_pass_makes_its_followups_due_before_anything_new_and_only_once(tmp_path: Path) -> None:
    followups = find_lab(LAB).followups
    with opened(tmp_path, new_per_day=0) as study:
        assert study.next_card() is None
        labs = labs_of(study)
        pass_lab(labs)
        assert labs.lab(LAB).stage == "passed"
        assert study.counts().due == len(followups)
        assert study.counts().new == 0
        asked = []
        while (card := study.next_card()) is not None and card.state == "new":
            asked.append(card.question.id)
            study.answer(card, "right", "sure")
        assert sorted(asked) == sorted(followups)
        assert study.counts().due == 0
        undone = study.undo()
        assert undone is not None
        assert study.counts().due == 1
        assert replay.check(study.database).ok
    with opened(tmp_path) as study:
        assert study.counts().due == 1


def test_a_followup_that_is_not_due_yet_is_asked_again(tmp_path: Path) -> None:
    name = find_lab(LAB).followups[0]
    with opened(tmp_path) as study:
        only = Filter(ids=(name,))
        while study.card_info(name).state != "review":
            study.answer(study.next_card(only), "right", "sure")
            ahead(study, minutes=15)
        assert study.next_card(only) is None
        before = study.counts(only).due
        pass_lab(labs_of(study))
        assert (before, study.counts(only).due) == (0, 1)
        ahead(study, minutes=1)
        study.answer(study.next_card(only), "right", "sure")
        assert study.counts(only).due == 0
        assert replay.check(study.database).ok


def test_a_confident_right_transfer_tests_out_and_a_timid_one_does_not(tmp_path: Path) -> None:
    for confidence, passed in ((70, False), (95, True)):
        with opened(tmp_path / str(confidence)) as study:
            labs = labs_of(study)
            labs.open(LAB)
            predict_all(labs, "transfer", right=True, confidence=confidence)
            view = labs.record_receipt(LAB, receipt(labs, "transfer", "own"))
            assert (view.stage == "passed") is passed
            assert view.record.tested_out is passed


def test_a_reset_keeps_receipts_the_pass_and_the_log(tmp_path: Path) -> None:
    with opened(tmp_path) as study:
        labs = labs_of(study)
        pass_lab(labs)
        view = labs.reset(LAB)
        assert view.stage == "predict"
        assert len(view.record.receipts) == 3
        line = labs.lab_list()[0]
        assert line.state == "predict" or line.state == "new"
        assert line.passed_at is not None
        with study.database.read() as session:
            told = [row[0] for row in session.execute(text("SELECT what FROM lab_event ORDER BY id"))]
    asks, lab = len(find_lab(LAB).predict), find_lab(LAB)
    assert told == [
        "open",
        *["predict"] * asks,
        *["run"] * len(lab.runs),
        "observe",
        "explain",
        "predict",
        "run",
        "pass",
        "reset",
    ]


def test_the_log_cannot_be_changed(tmp_path: Path) -> None:
    with opened(tmp_path) as study:
        labs_of(study).open(LAB)
        for sql in ("UPDATE lab_event SET what = 'x'", "DELETE FROM lab_event"):
            with pytest.raises(StoreError, match="append-only"), study.database.write() as session:
                session.execute(text(sql))


def test_a_refused_step_leaves_nothing_behind(tmp_path: Path) -> None:
    """The record and its log move together: a rule that says no keeps both as they were."""
    with opened(tmp_path) as study:
        labs = labs_of(study)
        labs.open(LAB)
        with pytest.raises(LabError):
            labs.predict(LAB, {"waste": "many"}, {"waste": 85})
        with pytest.raises(LabError):
            labs.predict(LAB, {"waste": 50}, {"waste": 60})
        assert labs.lab(LAB).record.predictions == []
    with closing(sqlite3.connect(tmp_path / "quizapp.db")) as raw:
        assert [row[0] for row in raw.execute("SELECT what FROM lab_event")] == ["open"]


def test_claims_show_what_was_believed_predicted_and_measured(tmp_path: Path) -> None:
    with opened(tmp_path) as study:
        labs = labs_of(study)
        pass_lab(labs)
        card = study.next_card()
        while card is not None and card.question.id != find_lab(LAB).followups[0]:
            study.answer(card, "right", "sure")
            card = study.next_card()
        assert card is not None
        study.answer(card, "wrong", "sure")
        view = next(one for one in labs.claims_view() if one.claim.id == "c06")
        assert view.questions == (find_lab(LAB).followups[0],)
        assert [(one.correct, one.confidence) for one in view.believed] == [(False, "sure")]
        assert view.proved
        waste = next(row for row in view.measured[0].rows if row.ask.key == "waste")
        assert waste.was == pytest.approx(74.479, abs=0.001)
        study.undo()
        assert next(one for one in labs.claims_view() if one.claim.id == "c06").believed == ()


def test_needs_name_the_shortest_path_and_shrink_with_each_pass(tmp_path: Path) -> None:
    with opened(tmp_path) as study:
        labs = labs_of(study)
        third = next(line for line in labs.lab_list() if line.id == "05-kv-caps-batch")
        assert third.path == ("01-static-waste", "03-backfill")
        pass_lab(labs)
        third = next(line for line in labs.lab_list() if line.id == "05-kv-caps-batch")
        assert third.path == ("03-backfill",)


def test_half_written_logs_of_dead_engines_are_swept_away_and_others_stay(tmp_path: Path) -> None:
    with opened(tmp_path) as study:
        labs = labs_of(study)
        labs.open(LAB)
        predict_all(labs)
        folder = labs.folder / LAB
        folder.mkdir(parents=True)
        ended = subprocess.Popen(["true"])
        ended.wait()
        names = {pid: folder / f"20260610T100000-main-main-7.jsonl.{pid}.partial" for pid in (ended.pid, os.getpid())}
        for path in names.values():
            path.write_text("half")
        (folder / "kept.jsonl").write_text("whole")
        labs.plan_run(LAB, "main", "main")
        assert sorted(folder.iterdir()) == sorted([folder / "kept.jsonl", names[os.getpid()]])


def test_a_moved_home_takes_its_evidence_along_and_does_not_read_the_old_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    with opened(old) as study:
        labs = labs_of(study)
        labs.open(LAB)
        predict_all(labs)
        labs.record_receipt(LAB, receipt(labs, "main", find_lab(LAB).runs[0].id))
    old.rename(new)
    with opened(new) as study:
        (kept,) = labs_of(study).lab(LAB).record.receipts
        assert verify(find_lab(LAB), kept) == []
        log = Path(kept.events)
        assert log.is_relative_to(new)
        log.write_text(log.read_text("utf-8").replace('"step":2,', '"step":3,', 1), "utf-8")
        assert verify(find_lab(LAB), kept)
