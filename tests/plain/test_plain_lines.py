"""Long lines: broken at words on a terminal, left alone in a pipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.plain.lines import flowing, fold

COMMANDS = [("exam", "list"), ("lab", "list"), ("lab", "show", "1"), ("claims",), ("bank", "show", "claim-last-ttft")]


@given(st.text("ab -.\n", max_size=400), st.integers(40, 100))
def test_folding_keeps_the_words_and_the_width(text: str, width: int) -> None:
    folded = fold(text, width)
    assert folded.split() == text.split()
    for line in folded.split("\n"):
        assert len(line.rstrip()) <= width or " " not in line.strip()


def test_a_folded_option_hangs_under_its_text_and_a_prompt_keeps_its_space() -> None:
    option = "A. " + "word " * 20
    assert fold(option.strip(), 40).split("\n")[1].startswith("   word")
    assert fold("How many GB does it take, and why is that so? ", 40).endswith("? ")
    assert fold(option, None) == option


def test_prose_flows_together_and_lists_and_code_do_not() -> None:
    prose = "One\nline.\n\n- an item\n  goes on\n- another\n```\na\nb\n```\n1. first\n2. second"
    flown = "One line.\n\n- an item goes on\n- another\n```\na\nb\n```\n1. first\n2. second"
    assert flowing(prose) == flown


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_is_cut_within_a_word_on_a_narrow_terminal(command: tuple[str, ...], tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUIZAPP")}
    environment |= {"QUIZAPP_HOME": str(tmp_path), "TERM": "dumb"}
    child = pexpect.spawn(
        sys.executable, ["-m", "quizapp", *command], env=environment, dimensions=(24, 60), timeout=60, encoding="utf-8"
    )
    child.expect(pexpect.EOF)
    lines = child.before.splitlines()
    assert len(lines) > 5
    assert [line for line in lines if len(line.rstrip()) > 60 and " " in line.strip()] == []


def test_an_exam_on_a_terminal_is_wrapped(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUIZAPP")}
    environment |= {"QUIZAPP_HOME": str(tmp_path), "TERM": "dumb"}
    arguments = ["-m", "quizapp", "exam", "start", "--plain", "--questions", "10"]
    child = pexpect.spawn(sys.executable, arguments, env=environment, dimensions=(24, 60), timeout=60, encoding="utf-8")
    child.expect("Your answer: ")
    lines = child.before.splitlines()
    assert any(line.startswith("Kinds of question here:") for line in lines)
    assert [line for line in lines if len(line.rstrip()) > 60] == []
    child.sendline("/q")
    child.expect(pexpect.EOF)
