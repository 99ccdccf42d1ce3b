"""Item statistics, the page to share, and the commands."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from study.helpers import START, ahead, open_study, small_bank
from typer.testing import CliRunner

from quizapp.bank.schema import Misconception
from quizapp.cli import app
from quizapp.memory.curve import Curve
from quizapp.memory.exam_date import best_first, plan
from quizapp.progress import report
from quizapp.progress.items import Given, statistics
from quizapp.store.errors import StoreError
from quizapp.study import planning, practice
from quizapp.study.export import export_lines
from quizapp.study.item_stats import item_statistics
from quizapp.study.pace import pace_of
from quizapp.study.planning import day_plan
from quizapp.study.progress import Progress


def test_difficulty_options_and_discrimination() -> None:
    given = []
    for person in range(20):
        strong = person >= 10
        given += [
            Given(f"p{person}", "sharp", strong, ("a" if strong else "b",)),
            Given(f"p{person}", "blunt", person % 2 == 0, ()),
        ]
        given += [Given(f"p{person}", f"rest{n}", strong or n == 0, ()) for n in range(4)]
    rows = {row["id"]: row for row in statistics(given, {"sharp": ["b", "c"]})}
    assert rows["sharp"]["difficulty"] == 0.5
    assert rows["sharp"]["options"] == {"a": 0.5, "b": 0.5}
    assert rows["sharp"]["discrimination"] > 0.9 > 0.1 > rows["blunt"]["discrimination"]
    assert rows["sharp"]["flags"] == ["never chosen: c"]
    assert "does not tell the strong from the weak" in rows["blunt"]["flags"]
    assert rows["rest0"]["flags"] == ["too easy"]
    assert rows["rest0"]["discrimination"] is None


def test_one_learner_alone_has_no_discrimination() -> None:
    (row,) = statistics([Given("me", "q", False, ())] * 12, {})
    assert (row["discrimination"], row["people"], row["flags"]) == (None, 1, ["too hard, or a wrong key"])


def test_statistics_join_the_store_with_exported_logs(tmp_path: Path) -> None:
    with open_study(tmp_path / "one", small_bank(2)) as study:
        study.answer(study.next_card(), "wrong", None, 500)  # type: ignore[arg-type]
        log = tmp_path / "other.jsonl"
        log.write_text("".join(export_lines(study.database, "jsonl")), "utf-8")
        (row,) = item_statistics(study, [log])
        assert (row["answers"], row["people"], row["options"]) == (2, 2, {"wrong": 1.0})
        log.write_text('{"question_id": "q000"}\n', "utf-8")
        with pytest.raises(StoreError, match=r"other\.jsonl:1: not a line of"):
            item_statistics(study, [log])
        with pytest.raises(StoreError, match="cannot be read"):
            item_statistics(study, [tmp_path / "nowhere.jsonl"])


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_stands_alone_and_escapes_the_bank(tmp_path: Path) -> None:
    bank = small_bank(3)
    bank.misconceptions["mix-up"] = Misconception(name="<script>alert(1)</script>", belief="b", truth="t")
    with open_study(tmp_path, bank, exam_date="2026-06-30") as study:
        study.answer(study.next_card(), "wrong", "sure", 4_000)  # type: ignore[arg-type]
        found = Progress(study).all()
    page, picture = report.html(found), report.svg(found)
    tags = Tags()
    tags.feed(page)
    assert {"svg", "table", "h1"} <= set(tags.seen)
    assert not {"script", "link", "img", "iframe"} & set(tags.seen)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert any("<script>alert(1)</script>" in words for words in tags.words)
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "2026-06-10: 1" in picture


def test_the_plan_of_a_day_fits_the_minutes_and_comes_only_with_an_exam(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(30), minutes_a_day=10) as study:
        assert day_plan(study) is None
        study.save_settings(exam_date="2026-06-24")
        plan = day_plan(study)
        assert plan is not None
        assert (plan["days"], plan["due"], plan["ahead"]) == (14, 0, 0)
        assert plan["new"] == len(plan["questions"]) == 5  # three answers of forty seconds each
        assert len(plan["workload"]["days"]) == 14
        assert all(day["minutes"] <= 10 for day in plan["workload"]["days"])
        assert plan["workload"] == (day_plan(study) or {})["workload"]
        for _ in range(4):
            study.answer(study.next_card(), "right", "sure", 40_000)  # type: ignore[arg-type]
        ahead(study, days=1)
        again = day_plan(study)
        assert again is not None
        assert again["days"] == 13
        study.save_settings(exam_date="2026-06-11")
        assert day_plan(study) is None  # it is today
        assert START.isoformat().startswith("2026-06-10")


def test_what_is_not_due_is_looked_at_only_in_time_left_and_the_plan_is_the_same(tmp_path: Path) -> None:
    """Against the plan over every card at once, however many minutes there are."""
    with open_study(tmp_path, small_bank(40), exam_date="2026-08-01", new_per_day=1) as study:
        for day in range(24):
            for n in range(9):
                card = study.next_card()
                if card is not None:
                    study.answer(card, "right" if (day + n) % 4 else "wrong", "unsure", 20_000)
            ahead(study, days=1)
        progress, moment, kinds = Progress(study), study.moment(), set()
        curve = Curve(moment.scheduler.config.parameters)
        days = date(2026, 8, 1).toordinal() - moment.today
        for minutes in (1, 5, 10, 20, 40, 90):
            study.save_settings(minutes_a_day=minutes)
            found = day_plan(study, progress)
            assert found is not None
            with study.database.reading() as connection:
                cards = planning._Cards(connection, moment, progress)
                learning = [name for name, _ in cards.learning()]
                every = [one for one in cards.read("1") if one.id not in learning]
                pace = pace_of(connection)
            assert len(every) + len(learning) == 40
            left = minutes - pace.minutes(learning=len(learning))
            wanted = learning + [one.id for one in plan(curve, every, days, left, pace.answer)]
            one_at_least = [one.id for one in best_first(curve, every, days, pace.answer)[:1]]
            assert found["questions"] == (wanted or one_at_least)
            kinds |= {kind for kind in ("new", "due", "ahead") if found[kind]}
        assert kinds == {"new", "due", "ahead"}


def test_the_plan_counts_the_days_of_the_calendar_also_before_the_rollover(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(5), exam_date="2026-07-20", rollover_hour=4) as study:
        study.clock.instant = datetime(2026, 7, 10, 1, 0, tzinfo=UTC)
        found = day_plan(study)
        assert found is not None
        assert found["days"] == study.home().exam_days == 10


def test_a_minute_a_day_is_enough_for_one_question(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(5), exam_date="2026-07-20", minutes_a_day=1) as study:
        found = day_plan(study)
        assert found is not None
        assert (len(found["questions"]), found["new"], found["used_up"]) == (1, 1, False)


def test_what_is_suspended_makes_no_bank_too_large_to_foresee(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(1_200), exam_date="2026-07-20", minutes_a_day=1) as study:
        found = day_plan(study)
        assert found is not None
        assert found["workload"] is None
        for name in list(study.bank.questions)[5:]:
            study.suspend(name, True)
        found = day_plan(study)
        assert found is not None
        assert found["workload"] is not None
        assert found["workload"]["unseen_at_exam"] <= 5


def test_what_was_practised_ahead_today_is_not_planned_again(tmp_path: Path) -> None:
    with open_study(tmp_path, small_bank(3), exam_date="2026-07-20", learn_ahead_minutes=0) as study:
        for name in ("q000", "q001", "q002"):
            study.answer(practice.card(study, name), "right", "sure", 1_000)  # easy: due in more than a week
        ahead(study, days=5)
        plan = day_plan(study)
        assert plan is not None
        assert (plan["due"], plan["ahead"]) == (0, 3)
        practice.answer(study, practice.card(study, "q001"), "right", None, 1_000)
        again = day_plan(study)
        assert again is not None
        assert sorted(again["questions"]) == ["q000", "q002"]


def test_the_commands_print_one_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    run = CliRunner()
    for arguments, keys in (
        (["progress", "--json"], {"retention", "forecast", "mastery", "calibration", "misconceptions", "claims",
                                  "readiness", "plan"}),
        (["optimise", "--json"], {"adopted", "why", "before", "after"}),
        (["optimise", "--undo", "--json"], {"undone"}),
    ):  # fmt: skip
        done = run.invoke(app, arguments)
        assert done.exit_code == 0, done.output
        assert keys <= json.loads(done.stdout).keys()
    assert json.loads(run.invoke(app, ["bank", "stats", "--json"]).stdout) == []
    page = tmp_path / "page.html"
    assert run.invoke(app, ["progress", "--html", str(page)]).exit_code == 0
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert "marks if the exam were today" in run.invoke(app, ["progress"]).stdout
    refused = run.invoke(app, ["progress", "--svg", str(tmp_path / "no" / "where.svg")])
    assert refused.exit_code == 1
    assert "cannot be written" in refused.stderr
