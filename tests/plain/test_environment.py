"""Every environment variable that the program reads stands in the README."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
READ = re.compile(r'environ(?:\.get\(|\.setdefault\(|\[)\s*"([A-Z_]+)"|"(QUIZAPP_[A-Z]+)"|"(SSH_[A-Z]+)"')


def test_each_variable_is_in_the_one_table() -> None:
    code = [
        file.read_text("utf-8") for room in ("quizapp", "labs", "tests/snap") for file in (ROOT / room).rglob("*.py")
    ]
    names = {next(filter(None, found)) for text in code for found in READ.findall(text)}
    assert {"QUIZAPP_HOME", "QUIZAPP_CLOCK", "QUIZAPP_UPTIME", "QUIZAPP_SNAPSHOT", "TZ", "NO_COLOR"} <= names
    section = (ROOT / "README.md").read_text("utf-8").partition("## Environment variables")[2].partition("\n## ")[0]
    assert names - set(re.findall(r"`([A-Z_]+)`", section)) == set()
