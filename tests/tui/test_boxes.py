"""Boxes that open filled: typing replaces, arrows and End keep; what is refused is said in the box; Esc is in sight."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizapp.bank.number import parse_quantity
from quizapp.tui import actions
from quizapp.tui.fields import FIELDS, Unreadable
from quizapp.tui.widgets.box import Box
from quizapp.tui.widgets.footer import fit
from tui.support import make_app, open_study, press, settle, text_of


def field_number(name: str) -> int:
    return next(n for n, field in enumerate(FIELDS) if field.name == name)


async def test_the_first_key_replaces_what_the_first_run_guesses(tmp_path: Path) -> None:
    app = make_app(tmp_path, first_run_done=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *"Europe/Berlin", "enter")
        assert "✓ Time zone           Europe/Berlin" in text_of(app)
        await press(pilot, "end", "x", "enter")
        assert "'4:00x' is not a full hour" in text_of(app)
        await press(pilot, "5", "enter")
        assert "✓ The day begins at   5" in text_of(app)
    app.store.close()


@pytest.mark.parametrize(("keys", "value"), [("20", "20"), (("end", "0"), "150"), (("left", "2"), "215")])
async def test_a_setting_is_replaced_or_edited(tmp_path: Path, keys: tuple[str, ...], value: str) -> None:
    app = make_app(tmp_path, new_per_day=15)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "t", *["down"] * field_number("new_per_day"), "enter", *keys)
        assert app.screen.query_one(Box).value == value
    app.store.close()


async def test_backspace_deletes_what_is_selected_and_does_not_lead_out_too_soon(tmp_path: Path) -> None:
    app = make_app(tmp_path, new_per_day=150)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "t", *["down"] * field_number("new_per_day"), "enter", "backspace")
        box = app.screen.query_one(Box)
        assert (box.value, box.typing) == ("", True)
        await press(pilot, "backspace", "backspace")  # as one who deletes three digits
        assert box.typing
        await press(pilot, "backspace")
        assert not box.typing
    app.store.close()


async def test_a_note_is_added_to(tmp_path: Path) -> None:
    app = make_app(tmp_path, kinds=["single"])
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "n", *"one", "enter", "n", "2", "enter")
        assert app.screen.card.note == "one2"  # type: ignore[attr-defined]
    app.store.close()


async def test_own_keys_that_clash_are_refused_in_the_box(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "t", *["down"] * field_number("keys"), "enter", *"flag=n", "enter")
        assert "'n' would mean both 'flag' and 'note'" in " ".join(text_of(app).split())
        assert app.screen.query_one(Box).typing
        await press(pilot, *"flag=m", "enter")
        assert not app.screen.query_one(Box).typing
    app.store.close()
    with open_study(tmp_path) as study:
        assert study.settings().keys == {"flag": "m"}


@pytest.mark.parametrize("text", ["flagg=m", "choose=a", "note=f"])
def test_own_keys_that_cannot_be_are_unreadable(text: str) -> None:
    with pytest.raises(Unreadable, match=r"Nothing was changed\.$"):
        FIELDS[field_number("keys")].read(text)


BOXES = sorted({place for a in actions.ACTIONS for place in a.where.split() if "box" in place} | {"welcome"})


@pytest.mark.parametrize("place", BOXES)
def test_escape_is_in_the_footer_of_every_box_however_narrow(place: str) -> None:
    assert "Esc" in [hint.key for hint in fit(actions.hints({place}, {}), 34)]


def test_the_way_into_an_exam_is_in_its_footer_however_narrow() -> None:
    assert "y" in [hint.key for hint in fit(actions.hints({"exam.rules"}, {}), 34)]


@pytest.mark.parametrize(("whole", "example"), [(True, "8 blocks."), (False, "8.4 blocks.")])
def test_a_count_is_asked_for_with_a_count(whole: bool, example: str) -> None:
    with pytest.raises(ValueError, match=f"for example {example}"):
        parse_quantity("many", "blocks", whole)
