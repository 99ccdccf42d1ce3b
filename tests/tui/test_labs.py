"""Labs by keyboard alone on a real store and the real engine's child; and everything that can go wrong on the way."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from labs.lab import find_lab
from quizapp.bank.load import load_bank
from quizapp.study import labs as use_cases
from quizapp.tui import actions
from tui.lab_support import engine_children, explain, open_lab, predict, read_off, run_all, transfer_answer, until
from tui.support import make_app, open_study, press, settle, text_of

LAB = "01-static-waste"


@pytest.fixture(autouse=True)
def virtual(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs without torch; and no engine is left behind."""
    monkeypatch.setattr(use_cases, "EXECUTOR", "virtual")
    yield
    assert engine_children() == []


async def test_a_lab_from_the_list_to_its_pass_by_keyboard(tmp_path: Path) -> None:
    bank = load_bank()
    app = make_app(tmp_path, bank=bank)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "l", "enter")
        screen = app.screen
        assert "The claim" in text_of(app)
        await predict(pilot, screen)  # type: ignore[arg-type]
        assert "You said" in text_of(app)
        await run_all(pilot, screen)  # type: ignore[arg-type]
        await read_off(pilot, screen)  # type: ignore[arg-type]
        assert "it was 74.5 %" in text_of(app)
        assert "sure, and off" in text_of(app)
        await explain(pilot, screen)  # type: ignore[arg-type]
        assert "right, your choice" in text_of(app)
        await press(pilot, "enter")
        assert "Your own numbers" in text_of(app)
        await press(pilot, *transfer_answer(tmp_path, screen.view.record.seed), "enter", "4")  # type: ignore[attr-defined]
        await run_all(pilot, screen)  # type: ignore[arg-type]
        assert "✓ Passed" in text_of(app)
        await press(pilot, "enter")
        assert app.current_mode == "labs"
        assert "1 of " in text_of(app).splitlines()[0]
        await press(pilot, "q")
        assert app.current_mode == "home"
    app.store.close()
    study = open_study(tmp_path, bank)
    assert study.counts().due == len(find_lab(LAB).followups)
    study.close()


async def test_a_wrong_reading_is_named_and_may_be_corrected(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        await run_all(pilot, screen)
        key = screen.form.ask.key
        await press(pilot, *"12", "enter")
        assert "The run shows another number than 12" in text_of(app)
        assert "Look again; Esc, then h: a hint." in " ".join(text_of(app).split())
        assert screen.form.ask.key == key
        await press(pilot, "tab")
        assert "✗" in text_of(app)
        await press(pilot, "tab", "escape", "h")
        assert len(screen.hints) == 1
        await press(pilot, "e", *"4800", "enter")
        assert screen.form.ask.key != key
    app.store.close()


async def test_what_is_no_number_is_asked_again_before_anything_is_stored(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await press(pilot, *"many", "enter")
        assert "does not start with a number" in text_of(app)
        await press(pilot, *["backspace"] * 4, *"0.5", "enter")
        assert "Did you mean 0.5 % or 50 %?" in text_of(app)
        await press(pilot, *["backspace"] * 3, *"74.5 %".replace(" ", ""), "enter")
        assert "How sure are you?" in text_of(app)
        assert screen.view.main[0].said is None
        await press(pilot, "e")
        assert screen.form.phase == "type"
        await press(pilot, *"74", "enter", "2")
        assert (screen.view.main[0].said.value, screen.view.main[0].said.confidence) == (74, 70)
    app.store.close()


async def test_a_number_that_cannot_be_is_refused_before_it_is_asked_how_sure(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        for typed in ("-5", "101", "1e30"):
            await press(pilot, *typed.replace("-", "−"), "enter")
            assert "cannot be: the answer lies from 0 to 100 %." in text_of(app)
            assert screen.form.phase == "type"
        await press(pilot, *"100", "enter", "1")
        assert screen.view.main[0].said.value == 100
    app.store.close()


async def test_two_windows_on_one_lab_keep_what_was_said_first_and_tell_the_second(tmp_path: Path) -> None:
    bank = load_bank()
    app = make_app(tmp_path, bank=bank)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        with open_study(tmp_path, bank) as other:
            use_cases.Labs(other).predict(LAB, {"waste": 60}, {"waste": 70})
        await press(pilot, *"5", "enter", "4")
        assert "answered in another window" in text_of(app)
        assert (screen.view.main[0].said.value, screen.view.main[0].said.confidence) == (60, 70)
        assert screen.form.ask.key == "idle-first"
        await predict(pilot, screen)
        assert "another window" not in text_of(app)
        await run_all(pilot, screen)
        await read_off(pilot, screen)
        right = screen.view.lab.explain.options[1].id
        with open_study(tmp_path, bank) as other:
            use_cases.Labs(other).explain(LAB, right)
        await press(pilot, "1")
        assert "answered in another window" in text_of(app)
        assert screen.view.record.explanation == right
    app.store.close()


async def test_help_in_the_answer_box_lists_the_keys_that_work_there_and_no_others(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(100, 60)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        assert screen.typing
        await press(pilot, "f1")
        rows = [(row[:27].split(), row[27:].strip()) for row in text_of(app).splitlines()]
        listed = {words for keys, words in rows if keys}
        works = {one.words for one in actions.ACTIONS if one.active(screen.places)}
        assert {words for words in listed if any(words == one.words for one in actions.ACTIONS)} <= works
        assert {actions.BY_ID[one].words for one in ("lab-keep", "lab-tab-out", "quit", "help")} <= listed
        keys = {key for names, words in rows if words in works for key in names}
        assert {"F1", "Enter", "Tab", "↑"} <= keys
        assert not any(len(key) == 1 and key not in "↑↓" for key in keys)
        await press(pilot, "q", "ctrl+t", "f1")
        assert "The next hint" in text_of(app)
    app.store.close()


async def test_the_palette_offers_nothing_that_cannot_act(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())

    def offered() -> set[str]:
        return {command.title for command in app.get_system_commands(app.screen)}

    hint, anew = actions.BY_ID["lab-hint"].words, actions.BY_ID["lab-reset"].words
    async with app.run_test(size=(100, 40)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        for name in ("help", "theme"):  # in the box, of which nothing but these and Quit is offered
            assert offered() == {actions.BY_ID[one].words for one in ("help", "theme", "quit")}
            before = (text_of(app), app.screen, app.theme)
            (command,) = [c for c in app.get_system_commands(app.screen) if c.title == actions.BY_ID[name].words]
            await command.callback()
            await settle(pilot)
            assert (text_of(app), app.screen, app.theme) != before
            if name == "help":
                assert actions.BY_ID["help"].words not in offered()
                await press(pilot, "q")
        await press(pilot, "ctrl+t")
        assert {hint, anew} <= offered()
        await press(pilot, "f", *transfer_answer(tmp_path, screen.view.record.seed), "enter", "4")
        await press(pilot, "enter")
        assert screen.bench.running
        assert anew not in offered()
        assert hint in offered()
        await until(pilot, lambda: screen.step == "passed", "the pass")
        assert hint not in offered()
        assert anew in offered()
    app.store.close()


async def test_until_the_first_step_the_engine_is_said_to_start(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        await press(pilot, "enter")
        assert screen.bench.recording.steps == 0
        assert "starting the engine" in text_of(app)
        assert "step 0" not in text_of(app)
        await until(pilot, lambda: not screen.bench.running, "the end of the run")
        await press(pilot, "end")
        assert "starting the engine" not in text_of(app)
        assert "step 600 of 600" in text_of(app)
    app.store.close()


async def test_the_live_view_plays_pauses_steps_and_goes_back(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        await press(pilot, "enter")
        await until(pilot, lambda: not screen.bench.running, "the end of the run")
        player = screen.bench.player
        await press(pilot, "end")
        assert "step 600 of 600" in text_of(app)
        assert "░░░░" in text_of(app)
        await press(pilot, "home", *["right"] * 9)
        assert "step 10 of 600" in text_of(app)
        assert "░" not in text_of(app).split("idle", 1)[1]
        await press(pilot, "left", "full_stop", "full_stop", "comma")
        assert player.at == 29
        shot = text_of(app)
        assert "step 29 of 600" in shot
        assert "r1            1" not in shot or "20" in shot
        await press(pilot, "z")
        assert "a column is a step" in text_of(app)
        await press(pilot, "space")
        assert player.playing
        await until(pilot, lambda: player.at > 29, "the player to move")
        await press(pilot, "space", "minus", "minus")
        stands = player.at
        assert not player.playing
        await press(pilot, "v")
        assert "Runs" in text_of(app)
        await press(pilot, "v", "right")
        assert player.at == stands + 1
    app.store.close()


async def test_cancelled_ten_times_nothing_is_left_and_the_prediction_stands(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        for turn in range(10):
            await press(pilot, "enter")
            assert screen.bench.running
            if turn % 2:  # at once, and with the child up
                await until(pilot, lambda: screen.bench.child_pid is not None, "the child")
            await press(pilot, "c")
            assert not screen.bench.running
            assert "cancelled" in text_of(app)
            assert screen.bench.recording is None
        await until(pilot, lambda: not engine_children(), "the children's end")
        assert screen.view.record.receipts == []
        assert len(screen.view.record.predictions) == len(screen.view.lab.predict)
        folder = tmp_path / "labs"
        assert [one for one in folder.rglob("*") if one.is_file()] == []
        await run_all(pilot, screen)
        assert screen.step == "observe"
    app.store.close()


async def test_an_engine_that_dies_is_said_and_the_run_may_be_repeated(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        await press(pilot, "enter")
        await until(pilot, lambda: screen.bench.child_pid is not None, "the child")
        psutil.Process(screen.bench.child_pid).kill()
        await until(pilot, lambda: not screen.bench.running, "the news of its death")
        assert "The engine stopped before the run was done" in text_of(app)
        await run_all(pilot, screen)
        assert screen.step == "observe"
    app.store.close()


async def test_a_full_disk_is_one_sentence_and_the_lab_goes_on(tmp_path: Path) -> None:
    """The second run's log cannot grow beyond a kilobyte."""
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        await press(pilot, "enter")
        await until(pilot, lambda: not screen.bench.running and len(screen.view.record.receipts) == 1, "the first run")
        limit = psutil.Process(screen.bench.child_pid)
        limit.rlimit(resource.RLIMIT_FSIZE, (1024, 1024))
        await press(pilot, "enter")
        await until(pilot, lambda: not screen.bench.running, "the end")
        assert "the event log cannot be written" in " ".join(text_of(app).split())
        assert len(screen.view.record.receipts) == 1
        await run_all(pilot, screen)
        assert screen.step == "observe"
    app.store.close()


async def test_after_a_restart_the_lab_stands_where_it_stood_and_the_run_can_be_seen(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        await run_all(pilot, screen)
        await press(pilot, *"4800", "enter")
    app.store.close()
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        assert screen.step == "observe"
        assert screen.form.ask.key == "useful"
        await until(pilot, lambda: screen.bench.recording is not None, "the recording")
        await press(pilot, "tab")
        assert "step 600 of 600" in text_of(app)
    app.store.close()


async def test_a_lost_or_damaged_log_does_not_stop_the_lab(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        await run_all(pilot, screen)
    app.store.close()
    one, other = sorted((tmp_path / "labs").rglob("*.jsonl"))
    one.unlink()
    other.write_text(other.read_text()[:5000])
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        assert screen.bench.recording is None
        await press(pilot, *"4800", "enter")
        assert screen.form.ask.key == "useful"
    app.store.close()


async def test_another_lab_ends_the_run_of_the_first(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        await press(pilot, "enter")
        await until(pilot, lambda: screen.bench.child_pid is not None, "the child")
        await press(pilot, "q")
        assert screen.bench.running  # it goes on while one looks at something else
        await open_lab(pilot, app, "03-backfill")
        await until(pilot, lambda: not engine_children(), "the child's end")
        assert "Lab 03" in text_of(app)
    app.store.close()


async def test_closing_the_app_ends_the_engine(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await predict(pilot, screen)
        await press(pilot, "enter")
        await until(pilot, lambda: screen.bench.child_pid is not None, "the child")
        pid = screen.bench.child_pid
    app.store.close()
    assert pid is not None
    assert not psutil.pid_exists(pid)


async def test_reset_asks_first_and_hints_come_in_three_tiers(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await press(pilot, "ctrl+t", "x", "x")
        assert "nothing to reset" in text_of(app)
        assert screen.view.record.attempt == 1
        await press(pilot, "h", "h", "h")
        assert "Hint 2" in text_of(app)
        assert "Hint 3" not in text_of(app)
        assert "after you have tried" in text_of(app)
        await press(pilot, "e", *"50", "enter", "1", "ctrl+t", "h")
        assert "Hint 3" in text_of(app)
        await press(pilot, "x")
        assert "Press x again" in text_of(app)
        assert screen.view.main[0].said is not None
        await press(pilot, "x")
        assert screen.view.main[0].said is None
        assert screen.view.record.attempt == 2
    app.store.close()


async def test_the_fast_track_passes_with_one_sure_right_prediction(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_lab(pilot, app, LAB)
        await press(pilot, "ctrl+t", "f")
        assert "Fast track" in text_of(app)
        await press(pilot, *transfer_answer(tmp_path, screen.view.record.seed), "enter", "4")
        await run_all(pilot, screen)
        assert "✓ Tested out" in text_of(app)
    app.store.close()


async def test_prove_it_leads_from_a_verdict_to_the_lab_and_back(tmp_path: Path) -> None:
    bank = load_bank()
    proven = [q.id for q in bank.questions.values() if q.labs and q.labs[0] == LAB and q.kind == "single"]

    def opener() -> object:
        from quizapp.study import Filter

        study = open_study(tmp_path, bank)
        ask = study.next_card
        study.next_card = lambda filter=None, exclude=(): ask(Filter(ids=tuple(proven)), exclude)  # type: ignore
        return study

    app = make_app(tmp_path, opener=opener)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "s", "p")
        assert app.current_mode == "study"
        await press(pilot, "0")
        assert "p prove it" in text_of(app)
        await press(pilot, "p")
        assert "Lab 01" in text_of(app)
        await press(pilot, "ctrl+t", "q")
        assert app.current_mode == "study"
        assert "Not answered" in text_of(app)
    app.store.close()


async def test_claims_can_be_filtered_and_lead_to_their_lab(tmp_path: Path) -> None:
    app = make_app(tmp_path, bank=load_bank())
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "c")
        assert "24.98" in text_of(app)
        await press(pilot, "v")
        assert "does not hold" in text_of(app).splitlines()[0]
        assert "307" in text_of(app)
        await press(pilot, "v")
        assert "No claim fits" in text_of(app)
        await press(pilot, "v", "v", "enter")
        assert "Lab 01" in text_of(app)
        await press(pilot, "ctrl+t", "q")
        assert app.current_mode == "claims"
    app.store.close()
