"""Settings are checked and survive; foreign text loses what a terminal would obey."""

import json
import sqlite3
from contextlib import closing
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from quizapp.memory.day import UnknownZone
from quizapp.settings import Settings, system_zone
from quizapp.store.errors import StoreError
from quizapp.text import clean, one_line
from study.helpers import open_study


def test_settings_survive_a_restart(tmp_path) -> None:
    changes = {"rollover_hour": 2, "exam_date": date(2026, 9, 1), "minutes_a_day": None, "new_per_day": 7,
               "theme": "light", "keys": {"undo": "z"}, "first_run_done": True}  # fmt: skip
    with open_study(tmp_path, zone="Asia/Tokyo") as study:
        study.save_settings(**changes)
    with open_study(tmp_path, zone=None) as study:
        saved = study.settings()
        assert {name: getattr(saved, name) for name in changes} == changes
        assert saved.zone == "Asia/Tokyo"
        assert study.moment().days.rollover_hour == 2


@pytest.mark.parametrize(
    "change",
    [{"desired_retention": 0}, {"desired_retention": 1.0}, {"desired_retention": float("nan")},
     {"desired_retention": -1}, {"rollover_hour": 24}, {"rollover_hour": -1}, {"new_per_day": -1},
     {"leech_threshold": 0}, {"exam_date": "soon"}, {"minutes_a_day": 0}],
)  # fmt: skip
def test_values_that_are_not_allowed(tmp_path, change) -> None:
    """py-fsrs takes a retention of 0, -1 or NaN and fails only at the review."""
    with open_study(tmp_path) as study:
        before = study.settings()
        with pytest.raises(ValidationError):
            study.save_settings(**change)
        assert study.settings() == before
        study.answer(study.next_card(), "right")


def test_unknown_names_and_zones(tmp_path) -> None:
    with open_study(tmp_path) as study:
        with pytest.raises(UnknownZone):
            study.save_settings(zone="Atlantis")
        with pytest.raises(StoreError, match="no setting 'colour'"):
            study.save_settings(colour="red")
        assert study.settings().zone == "UTC"


def test_a_stored_value_that_is_wrong_is_said_and_defaulted(tmp_path) -> None:
    with open_study(tmp_path, new_per_day=5, desired_retention=0.8):
        pass
    with closing(sqlite3.connect(tmp_path / "quizapp.db")) as connection:
        connection.execute("UPDATE setting SET value = '7.5' WHERE name = 'desired_retention'")
        connection.execute("INSERT INTO setting VALUES ('from_the_future', '1')")
        connection.commit()
    with open_study(tmp_path, zone=None) as study:
        assert study.settings().desired_retention == 0.9
        assert study.settings().new_per_day == 5
        assert any("'desired_retention'" in warning for warning in study.warnings)


def test_the_zone_of_the_system(monkeypatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    assert system_zone() == "Europe/Berlin"
    assert Settings().zone == "Europe/Berlin"
    monkeypatch.setenv("TZ", "Nowhere/Else")
    assert system_zone() != "Nowhere/Else"


HOSTILE = {
    "\x1b[31mred\x1b[0m": "red",
    "\x1b]0;title\x07after": "after",
    "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
    "\x9b31mred": "31mred",
    "\x1bP1$r\x1b\\x": "x",
    "a\x00b\x08c\x7f": "abc",
    "\u202eevil\u202c \u2066x\u2069": "evil x",
    "tab\tline\r\nnext\rback": "tab\tline\nnextback",
    "[red]bold[/] [link=x]": "[red]bold[/] [link=x]",
    "漢字 émoji 🎉 ي": "漢字 émoji 🎉 ي",
    "cut \x1b[": "cut [",
    "cut \x1b": "cut ",
    "\ud800lone": "lone",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text(text: str) -> None:
    assert clean(text) == HOSTILE[text]
    assert "\n" not in one_line(text)


@given(st.text())
def test_clean_text_holds_no_control_and_stays_clean(text: str) -> None:
    found = clean(text)
    assert not any((ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160 for c in found)
    assert clean(found) == found
    assert len(one_line(text, 10)) <= 10
    json.dumps(found).encode("ascii")


def test_a_stored_setting_that_is_no_json_falls_back_and_says_so():
    from quizapp.settings import read_settings, stored_value

    settings, said = read_settings({"new_per_day": stored_value("{cut"), "fuzz": stored_value("false")})
    assert settings.new_per_day == 20
    assert settings.fuzz is False
    assert "new_per_day" in said[0]
