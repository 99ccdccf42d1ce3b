"""Clocks: what cannot be right is refused where it is read, before days are counted from it."""

from datetime import UTC, datetime

import pytest

from quizapp import clock


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0001-01-01T00:00:00+00:00", "outside the years 1971 to 8999"),
        ("1970-12-31T23:59:59+00:00", "outside the years"),
        ("9000-01-01T00:00:00+00:00", "outside the years"),
        ("9999-12-31T23:59:59-12:00", "outside the years"),
        ("2026-01-01T00:00:00", "has no offset"),
        ("soon", "'soon'"),
        ("\udcff", "write for example"),
    ],
)
def test_a_file_that_cannot_be_the_time_is_refused(tmp_path, text, words) -> None:
    file = tmp_path / "clock"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(clock.WrongClock, match=words) as refused:
        clock.FileClock(file).now()
    assert str(file) in str(refused.value)
    assert "write for example 2026" in str(refused.value)


@pytest.mark.parametrize("text", ["1971-01-01T00:00:00+14:00", "8999-12-31T23:59:59-12:00"])
def test_the_first_and_last_instants_are_taken(tmp_path, text) -> None:
    (tmp_path / "clock").write_text(text)
    assert clock.FileClock(tmp_path / "clock").now() == datetime.fromisoformat(text)


def test_the_clock_of_the_computer_is_held_to_the_same_years(monkeypatch) -> None:
    class Epoch(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(1970, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(clock, "datetime", Epoch)
    with pytest.raises(clock.WrongClock, match="says 1970-01-01; set its date and time"):
        clock.SystemClock().now()
