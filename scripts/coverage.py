"""Writes docs/coverage.md: which questions cover which section of the two lessons the bank is built on.

python -m scripts.coverage          write the file
python -m scripts.coverage --check  exit 1 when it is not up to date or a section has no question
"""

from __future__ import annotations

import sys
from pathlib import Path

from quizapp.bank.load import load_bank
from quizapp.bank.model import Bank

TARGET = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
LESSONS = {
    "a-": "Lesson A: the three batching schemes",
    "b-": "Lesson B: Batching and continuous batching",
}
HEAD = """\
# What the bank covers

Every section of the two lessons, and the questions that test it (their `covers`). Sections whose list was lost from the
lesson are rebuilt from sources. Written by `python -m scripts.coverage`; a test keeps it true and complete.
"""


def by_section(bank: Bank) -> dict[str, list[str]]:
    """Question ids by lesson section, sections in the order of lessons.yaml, ids sorted."""
    sections: dict[str, list[str]] = {section: [] for section in bank.lessons}
    for question in bank.questions.values():
        for section in question.covers:
            sections[section].append(question.id)
    return {section: sorted(ids) for section, ids in sections.items()}


def page(bank: Bank) -> str:
    covered = by_section(bank)
    asked = {question for ids in covered.values() for question in ids}
    lines = [HEAD, f"{len(covered)} sections, {len(asked)} questions that cover them.\n"]
    for prefix, title in LESSONS.items():
        lines += [f"## {title}\n", "| section | what it says | questions |", "|---|---|---|"]
        for section, ids in covered.items():
            if section.startswith(prefix):
                lines.append(f"| `{section}` | {bank.lessons[section]} | {', '.join(ids) or '**none**'} |")
        lines.append("")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    bank = load_bank()
    text = page(bank)
    if arguments == ["--check"]:
        gaps = [section for section, ids in by_section(bank).items() if not ids]
        current = TARGET.read_text("utf-8") if TARGET.exists() else ""
        if gaps:
            print(f"no question covers {', '.join(gaps)}", file=sys.stderr)
        if current != text:
            print("docs/coverage.md is not up to date; run: python -m scripts.coverage", file=sys.stderr)
        return 1 if gaps or current != text else 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    TARGET.write_text(text, "utf-8")
    print(f"wrote {TARGET.relative_to(Path.cwd()) if TARGET.is_relative_to(Path.cwd()) else TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
