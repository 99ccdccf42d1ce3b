"""The line-mode front end over a real store: every kind of answer, every command, and every way to stop."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pexpect
import pytest

from quizapp.bank.load import load_bank
from quizapp.bank.response import LETTERS
from quizapp.clock import FixedClock
from quizapp.plain import wording
from quizapp.plain.reading import Command, Typed, read_line
from quizapp.plain.session import Session
from quizapp.study import Card, Filter, Study

NOW = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)

KINDS = """\
- id: plain-single
  kind: single
  options:
    - {id: right, text: "The [red]one[/]", correct: true, why: It is so.}
    - {id: wrong, text: "Another\\x1b[2J", why: It is not., misconception: MISCONCEPTION}
    - {id: third, text: "A third\\nB. of two lines", why: Nor this., misconception: MISCONCEPTION}
- id: plain-multiple
  kind: multiple
  choose: 2
  options:
    - {id: r1, text: One, correct: true, why: w1}
    - {id: r2, text: Two, correct: true, why: w2}
    - {id: x1, text: Three, why: w3, misconception: MISCONCEPTION}
    - {id: x2, text: Four, why: w4, misconception: MISCONCEPTION}
- id: plain-numeric
  kind: numeric
  answer: {value: 8.4}
  unit: GB
  tolerance_abs: 0.1
  why: It is {answer}.
  traps: [{value: 84, why: A factor of ten., misconception: MISCONCEPTION}]
- id: plain-order
  kind: order
  misconception: MISCONCEPTION
  items: [{id: i1, text: x, why: w1}, {id: i2, text: y, why: w2}, {id: i3, text: z, why: w3}]
- id: plain-match
  kind: match
  pairs:
    - {id: p1, left: L1, right: R1, why: w1, misconception: MISCONCEPTION}
    - {id: p2, left: L2, right: R2, why: w2, misconception: MISCONCEPTION}
    - {id: p3, left: L3, right: R3, why: w3, misconception: MISCONCEPTION}
  extra: [{id: none, text: R4, why: w4, misconception: MISCONCEPTION}]
- id: plain-short
  kind: short
  accept: [padding]
  why: That is its name.
"""
COMMON = """\
  style: mechanism
  ask: "Which **one** of QUESTION?"
  explain: Explained.
  objectives: [OBJECTIVE]
  sources: [SOURCE]
  as_of: 2026-11-29
  difficulty: 1
"""
IDS = ("plain-single", "plain-multiple", "plain-numeric", "plain-order", "plain-match", "plain-short")


@pytest.fixture(scope="module")
def bank_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    own = load_bank()
    text = re.sub(r"(?m)^- id: (.*)\n", lambda m: f"{m[0]}{COMMON.replace('QUESTION', m[1])}", KINDS)
    for word, table in (("MISCONCEPTION", own.misconceptions), ("SOURCE", own.sources), ("OBJECTIVE", own.objectives)):
        text = text.replace(word, next(iter(table)))
    folder = tmp_path_factory.mktemp("bank")
    (folder / "plain.yaml").write_text(text, "utf-8")
    assert load_bank(extra=[folder]).errors == load_bank().errors
    return folder


@pytest.fixture(scope="module")
def fresh_home(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Path:
    """A home with an empty store, made once and copied for each test."""
    home = tmp_path_factory.mktemp("fresh")
    Study.open(home=home, banks=[bank_folder], clock=FixedClock(NOW)).close()
    return home


@pytest.fixture
def study(tmp_path: Path, bank_folder: Path, fresh_home: Path) -> Iterator[Study]:
    shutil.copytree(fresh_home, tmp_path / "home")
    with Study.open(home=tmp_path / "home", banks=[bank_folder], clock=FixedClock(NOW)) as opened:
        yield opened


def run(study: Study, text: str, *ids: str, limit: int | None = None) -> str:
    target = io.StringIO()
    Session(study, io.StringIO(text), target, Filter(ids=ids or IDS), limit).run()
    return target.getvalue()


def card_of(study: Study, question_id: str) -> Card:
    card = study.next_card(Filter(ids=(question_id,)))
    assert card is not None
    return card


def right_answer(card: Card) -> str:
    letter = {choice.id: LETTERS[i] for i, choice in enumerate(card.variant.choices)}
    return {
        "plain-single": lambda: letter["right"],
        "plain-multiple": lambda: letter["r1"] + letter["r2"],
        "plain-numeric": lambda: "8400 MB",
        "plain-order": lambda: f"{letter['i1']} {letter['i2']} {letter['i3']}",
        "plain-match": lambda: f"1{letter['p1']} 2{letter['p2']} 3{letter['p3']}",
        "plain-short": lambda: "Padding",
    }[card.question.id]()


@pytest.mark.parametrize("question_id", IDS)
def test_every_kind_is_answered_and_stored(study: Study, question_id: str) -> None:
    answer = right_answer(card_of(study, question_id))
    shown = run(study, f"{answer}!\n", question_id, limit=1)
    assert "Which ONE of" in shown, "emphasis survives as capitals"
    assert "\nCorrect" in shown
    assert "Explained." in shown
    assert re.search(r"Source: .*checked \d{4}-\d\d-\d\d\.", shown)
    assert "As of 2026-11-29." in shown
    assert "Next: " in shown
    assert "Answered 1: 1 right." in shown
    review = study.card_info(question_id).reviews[0]
    assert (review.score, review.confidence, review.origin) == (1.0, "sure", "plain")


def test_no_control_characters_reach_the_terminal(study: Study) -> None:
    shown = run(study, "A\n", "plain-single", limit=1)
    assert "The [red]one[/]" in shown
    assert "A third B. of two lines" in shown, "an option cannot pretend to be two"
    assert [c for c in shown if not c.isprintable() and c != "\n"] == []


def test_every_option_has_its_reason_and_the_choice_is_marked(study: Study) -> None:
    card = card_of(study, "plain-single")
    wrong = LETTERS[[c.id for c in card.variant.choices].index("wrong")]
    shown = run(study, f"{wrong}\n", "plain-single", limit=1)
    assert f"{wrong} (wrong, your choice): It is not." in shown
    assert "(right): It is so." in shown
    assert "(wrong): Nor this." in shown
    assert "A common belief: " in shown
    assert "Answered 1: 0 right." in shown


def test_partial_answers_are_counted_apart(study: Study) -> None:
    card = card_of(study, "plain-multiple")
    first = LETTERS[[c.id for c in card.variant.choices].index("r1")]
    shown = run(study, f"{first}\n", "plain-multiple", limit=1)
    assert "Not correct: 1 of 2 found." in shown
    assert "Answered 1: 0 right, 1 partly." in shown


def test_a_trap_is_named(study: Study) -> None:
    shown = run(study, "84 GB?\n", "plain-numeric", limit=1)
    assert "84 GB: A factor of ten." in shown
    assert study.card_info("plain-numeric").reviews[0].confidence == "guess"


def test_what_is_unclear_is_asked_again_and_not_stored(study: Study) -> None:
    shown = run(study, "3,145\n\neight\n8.4\n", "plain-numeric", limit=1)
    assert "Did you mean 3145 or 3.145?" in shown
    assert "Nothing typed." in shown
    assert "does not start with a number" in shown
    assert len(study.card_info("plain-numeric").reviews) == 1


def test_not_knowing_is_blank_not_wrong(study: Study) -> None:
    shown = run(study, "-\n", "plain-short", limit=1)
    assert "Not answered." in shown
    assert "Answer: padding." in shown
    assert "no answer was given" in shown


def test_undo_takes_back_and_asks_again(study: Study) -> None:
    shown = run(study, "-\nu\npadding\n", "plain-short", limit=2)
    assert shown.count("Question 1 of 2") == 2
    assert "The answer to plain-short is taken back." in shown
    assert study.stats()["reviews"] == 1
    assert study.card_info("plain-short").reviews[0].score == 1.0
    run(study, "u\n", "plain-short")
    assert "There is nothing to undo." in run(study, "u\nu\n", "plain-order")


def test_flag_toggles_and_takes_a_reason(study: Study) -> None:
    run(study, "/f the key looks odd\n", "plain-short")
    assert study.card_info("plain-short").flag_reason == "the key looks odd"
    assert "You flagged this question. the key looks odd" in run(study, "f\n", "plain-short")
    assert not study.card_info("plain-short").flagged


def test_skip_moves_on_without_an_answer(study: Study) -> None:
    shown = run(study, "s\n" * len(IDS))
    assert shown.count("Skipped;") == len(IDS)
    assert "Nothing answered." in shown
    assert study.stats()["reviews"] == 0


def test_help_and_quit(study: Study) -> None:
    shown = run(study, "h\nq\n8.4\n", "plain-numeric")
    assert "u undoes the last answer" in shown
    assert study.stats()["reviews"] == 0


def test_the_end_of_input_ends_with_the_summary(study: Study) -> None:
    shown = run(study, "", "plain-short")
    assert shown.rstrip().splitlines()[-1].startswith("Nothing answered. ")


def test_nothing_due_says_what_comes_next(study: Study) -> None:
    study.suspend("plain-short", True)
    shown = run(study, "x\n", "plain-short")
    assert "Question" not in shown
    assert "Nothing answered." in shown


def test_time_is_taken_from_the_clock(study: Study) -> None:
    class Slow(io.StringIO):
        def readline(self, size: int = -1) -> str:  # type: ignore[override]
            study.clock.instant += timedelta(seconds=7)  # type: ignore[attr-defined]
            return super().readline(size)

    Session(study, Slow("padding\n"), io.StringIO(), Filter(ids=("plain-short",)), 1).run()
    assert study.stats()["minutes_today"] == pytest.approx(0.1)


def test_a_changed_key_asks_before_it_goes_on(tmp_path: Path, bank_folder: Path) -> None:
    folder = tmp_path / "bank"
    folder.mkdir()
    text = (bank_folder / "plain.yaml").read_text("utf-8")
    (folder / "plain.yaml").write_text(text, "utf-8")
    clock = FixedClock(NOW)
    with Study.open(home=tmp_path / "home", banks=[folder], clock=clock) as study:
        run(study, "padding\n", "plain-short", limit=1)
    (folder / "plain.yaml").write_text(text.replace("[padding]", "[filler]"), "utf-8")
    clock.instant += timedelta(days=30)
    with Study.open(home=tmp_path / "home", banks=[folder], clock=clock) as study:
        shown = run(study, "maybe\nk\nfiller\n", "plain-short", limit=1)
        assert shown.count("The key of this question has changed") == 2
        assert "\nCorrect." in shown
        assert not card_of_any(study).key_changed


def card_of_any(study: Study) -> Card:
    study.clock.instant += timedelta(days=400)  # type: ignore[attr-defined]
    return card_of(study, "plain-short")


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("f", Command("flag")),
        ("/f why so", Command("flag", "why so")),
        ("QUIT", Command("quit")),
        ("?", Command("help")),
        ("/undo", Command("undo")),
        ("-", Typed(None)),
        ("", None),
        ("padding!", Typed("padding", "sure")),
        ("padding ?", Typed("padding", "guess")),
        ("flagged", Typed("flagged")),
        ("/x", Typed("/x")),
    ],
)
def test_lines_are_commands_or_answers(study: Study, line: str, meaning: object) -> None:
    assert read_line(card_of(study, "plain-short").variant, line) == meaning


def test_a_letter_that_is_an_option_is_an_answer(tmp_path: Path) -> None:
    from quizapp.bank.schema import Single
    from quizapp.bank.variant import make_variant

    first = next(q for q in load_bank().questions.values() if isinstance(q, Single))
    many = [first.options[0].model_copy(update={"id": f"o{i}", "correct": i == 0}) for i in range(8)]
    variant = make_variant(first.model_copy(update={"options": many}), 1)
    assert read_line(variant, "f") == Typed(variant.choices[5].id)
    assert read_line(variant, "h!") == Typed(variant.choices[7].id, "sure")
    assert read_line(variant, "/f") == Command("flag")
    assert read_line(variant, "s") == Command("skip")


# The command, as a process


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("QUIZAPP")}
    return {**kept, "QUIZAPP_HOME": str(home), "TERM": "dumb", **more}


def command(bank_folder: Path, *more: str) -> list[str]:
    topic = bank_folder.resolve().name
    return [sys.executable, "-m", "quizapp", "study", "--plain", "--bank", str(bank_folder), "--topic", topic, *more]


def test_a_pipe_is_read_to_its_end(tmp_path: Path, bank_folder: Path) -> None:
    done = subprocess.run(
        command(bank_folder, "--limit", "3"),
        input=b"\xff\xfe not utf-8\n-\n-\n",
        env=environment(tmp_path, PYTHONIOENCODING="ascii"),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert b"Answered" in done.stdout
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize(("arguments", "code"), [((), 2), (("study",), 2), (("study", "--plain"), 0)])
def test_a_closed_standard_input_is_no_traceback(tmp_path: Path, arguments: tuple[str, ...], code: int) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "quizapp", *arguments],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert ("Nothing answered." in done.stdout) if code == 0 else ("quizapp study --plain" in done.stderr)


def test_an_unknown_topic_is_wrong_usage(tmp_path: Path, bank_folder: Path) -> None:
    done = subprocess.run(
        [*command(bank_folder), "--topic", "nowhere"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "There is no topic 'nowhere'" in done.stderr


def test_a_reader_that_leaves_is_no_traceback(tmp_path: Path, bank_folder: Path) -> None:
    process = subprocess.Popen(
        command(bank_folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    process.stdout.close()
    _, stderr = process.communicate(b"-\n" * 50, timeout=60)
    assert stderr == b""
    assert process.returncode == 0


def test_ctrl_c_exits_130_and_keeps_every_answer(tmp_path: Path, bank_folder: Path) -> None:
    command_line = command(bank_folder)
    child = pexpect.spawn(command_line[0], command_line[1:], env=environment(tmp_path), timeout=60, encoding="utf-8")
    child.expect("Your answer: ")
    child.sendline("-")
    child.expect("Next: ")
    child.expect("Your answer: ")
    child.kill(signal.SIGINT)
    child.expect("Every answer you gave is kept")
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, child.signalstatus) == (130, None)
    with Study.open(home=tmp_path) as study:
        assert study.stats()["reviews"] == 1


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        ("What is **not** *so*, or _so_?", ["What is NOT so, or so?"]),
        ("2 * 3 * 4, a*b*c, `*args*`, `**kw**`, max_num_seqs", ["2 * 3 * 4, a*b*c, `*args*`, `**kw**`, max_num_seqs"]),
        ("Look:\n```\nx = *a* + _b_\n```\n*End*", ["Look:", "x = *a* + _b_", "End"]),
    ],
)
def test_marks_of_emphasis_are_dropped_and_code_is_kept(markdown: str, lines: list[str]) -> None:
    assert list(wording._text(markdown)) == lines


# How sure


class Keyboard(io.StringIO):
    """Typed lines, on a terminal as far as the session can see."""

    def isatty(self) -> bool:
        return True


def typed(study: Study, text: str, question_id: str, limit: int | None = 1) -> str:
    target = io.StringIO()
    Session(study, Keyboard(text), target, Filter(ids=(question_id,)), limit).run()
    return target.getvalue()


@pytest.mark.parametrize(
    ("lines", "said", "prompts"),
    [
        ("padding\n3\n", "sure", 1),
        ("padding\n2\n", "unsure", 1),
        ("padding\nGuess\n", "guess", 1),
        ("padding\nmaybe\n1\n", "guess", 2),
        ("padding\n\n", None, 1),
        ("padding!\n", "sure", 0),
        ("padding?\n", "guess", 0),
        ("-\n", None, 0),
        ("padding\n", None, 1),  # the input ends at the second prompt: the answer is kept
    ],
)
def test_a_terminal_is_asked_how_sure_where_it_is_not_said(
    study: Study, lines: str, said: str | None, prompts: int
) -> None:
    shown = typed(study, lines, "plain-short")
    assert shown.count("How sure? 1 guess, 2 unsure, 3 sure, Enter not said: ") == prompts
    assert "Answered 1: " in shown
    (review,) = study.card_info("plain-short").reviews
    assert review.confidence == said


def test_the_end_of_input_at_how_sure_ends_the_session(study: Study) -> None:
    shown = typed(study, "padding\n", "plain-short", None)
    assert shown.count("Your answer: ") == 1
    assert "Answered 1: 1 right." in shown


def test_ctrl_c_at_how_sure_keeps_the_answer(study: Study) -> None:
    class Interrupted(Keyboard):
        def readline(self, size: int = -1) -> str:  # type: ignore[override]
            line = super().readline(size)
            if line == "^C\n":
                raise KeyboardInterrupt
            return line

    with pytest.raises(KeyboardInterrupt):
        Session(study, Interrupted("padding\n^C\n"), io.StringIO(), Filter(ids=("plain-short",)), None).run()
    assert [one.confidence for one in study.card_info("plain-short").reviews] == [None]


def test_a_pipe_and_the_setting_are_not_asked_how_sure(study: Study) -> None:
    assert "How sure" not in run(study, "padding\n", "plain-short", limit=1)
    study.save_settings(ask_confidence=False)
    assert "How sure" not in typed(study, "8.4\n", "plain-numeric")
    assert study.card_info("plain-numeric").reviews[0].score == 1.0
