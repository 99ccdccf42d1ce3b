"""What a question looks like, before and after the answer: plain values in, blocks of text out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from textual.content import Content

from quizapp.bank.grade import Grade, Part
from quizapp.bank.variant import Variant
from quizapp.tui import draft as drafts
from quizapp.tui.text import GAP, Block, address, hanging, inline, line, markdown, styled

KINDS = {
    "single": "choose one",
    "numeric": "a number",
    "order": "put in order",
    "match": "find the partners",
    "short": "a word or two",
}
INDENT = 6


@dataclass(frozen=True)
class Facts:
    """What the bank knows beside the question: sources as (title, address, day checked), beliefs as (name, truth)."""

    sources: Sequence[tuple[str, str, str]] = ()
    beliefs: Sequence[tuple[str, str]] = ()


def new_draft(variant: Variant) -> drafts.Draft:
    question = variant.question
    items = [drafts.Item(c.id, c.text) for c in variant.choices]
    match question.kind:
        case "single":
            return drafts.Single(items)
        case "multiple":
            return drafts.Multiple(items, question.choose)
        case "order":
            return drafts.Order(items)
        case "match":
            return drafts.Match([drafts.Item(c.id, c.text) for c in variant.lefts], items)
        case _:
            return drafts.Entry(question.kind == "numeric", variant.unit, variant.whole)


def kind_words(question: Any) -> str:
    return f"choose {question.choose}" if question.kind == "multiple" else KINDS[question.kind]


def stem(variant: Variant) -> list[Block]:
    return markdown(variant.ask, "$text")


# Before the answer


def options(draft: drafts.Draft) -> list[Block]:
    """The rows of a draft; a click does what the row's digit does."""
    rows = draft.rows()
    if isinstance(draft, drafts.Match):
        return _match(draft, rows)
    loose = len(rows) <= 5 and all(len(row.text) < 140 for row in rows)
    out: list[Block] = []
    for n, row in enumerate(rows):
        look = "on $panel" if row.marked else ""
        gutter = styled(f" {row.mark} ", "bold $right") + styled(f"{row.number}  ", "bold $right")
        body = inline(row.text, "bold" if row.marked else "")
        out.append(hanging(body, gutter, style=look, click=f"screen.choose({n + 1})"))
        if loose:
            out.append(GAP)
    return out


def _match(draft: drafts.Match, rows: list[drafts.Row]) -> list[Block]:
    out = []
    for n, row in enumerate(rows):
        body = inline(row.text, "bold" if row.marked else "")
        body = body + styled("  →  ", "$muted") + (line(row.tail, "$right") if row.tail else styled("?", "$muted"))
        gutter = styled(f" {row.mark} ", "bold $right") + styled(f"{row.number}  ", "bold $right")
        out.append(hanging(body, gutter, style="on $panel" if row.marked else "", click=f"screen.mark({n})"))
    out += [GAP, Block(styled("   partners", "$muted"))]
    used = set(draft.pairs.values())
    for n, item in enumerate(draft.items):
        body = inline(item.text, "$muted" if n in used else "")
        out.append(hanging(body, styled(f"   {n + 1}  ", "bold $right"), click=f"screen.choose({n + 1})"))
    return out


# After the answer


def verdict(grade: Grade, confidence: str | None) -> list[Block]:
    """One line: a glyph, the word, and what the learner had said of it."""
    said = {"sure": "you were sure", "unsure": "you were unsure", "guess": "you guessed"}.get(confidence or "", "")
    if grade.correct:
        mark, style = "✓ ", "bold $right"
    elif grade.blank:
        mark, style = "– ", "bold $wrong"
    else:
        mark, style = ("~ " if grade.score > 0 else "✗ "), "bold $wrong"
    words = styled(mark, style) + line(grade.message, style)
    return [Block(words + styled(f"   {said}", "$muted") if said else words)]


def parts(variant: Variant, grade: Grade, response: Any) -> list[Block]:
    """Every option, item or pair with its verdict and its why."""
    kind = variant.question.kind
    out: list[Block] = []
    if kind in ("numeric", "short") and not (grade.correct or grade.blank or any(part.chosen for part in grade.parts)):
        typed = line(response, "bold") + styled("   your answer", "$wrong")
        out += [hanging(typed, styled(" ✗    ", "bold $wrong")), GAP]
    for n, part in enumerate(grade.parts):
        mark, tag, good = _mark(kind, part, grade, response, variant)
        number = str(n + 1) if kind in ("single", "multiple", "order") else " "
        colour = "$right" if good else "$wrong" if mark == "✗" else "$muted"
        gutter = styled(f" {mark} {number}", f"bold {colour}") + "  "
        body = inline(part.text, "bold" if good or mark == "✗" else "")
        out.append(hanging(body + styled(f"   {tag}", colour) if tag else body, gutter))
        out += [*markdown(part.why, "$muted", indent=INDENT), GAP]
    return out


def _mark(kind: str, part: Part, grade: Grade, response: Any, variant: Variant) -> tuple[str, str, bool]:
    """(glyph, words, whether to show it as right)."""
    if kind in ("single", "multiple"):
        if part.right:
            return "✓", "right, your choice" if part.chosen else "right", True
        return ("✗", "your choice", False) if part.chosen else (" ", "", False)
    if kind == "order":
        if part.right or not part.chosen:
            return ("✓", "", True) if part.right else (" ", "", False)
        return "✗", f"you had it at {list(response).index(part.id) + 1}", False
    if kind == "match":
        return _match_mark(part, response, variant)
    if part.id == "answer":
        if part.right:
            return (
                "✓",
                "your answer" if str(response).strip() == part.text else f"your answer: {line(response).plain}",
                True,
            )
        return "✓", "the answer", True
    return "✗", "your answer", False


def _match_mark(part: Part, response: Any, variant: Variant) -> tuple[str, str, bool]:
    if not any(left.id == part.id for left in variant.lefts):
        return ("✗", "belongs to none of them", False) if part.chosen else (" ", "belongs to none of them", False)
    if part.right:
        return "✓", "", True
    if not part.chosen:
        return " ", "no partner given", False
    texts = {choice.id: choice.text for choice in variant.choices}
    return "✗", f"you had: {line(texts[response[part.id]]).plain}", False


def explanation(variant: Variant, facts: Facts) -> list[Block]:
    """Why, what belief misled, and where it is from."""
    out = [Block(styled("Why", "bold $right")), *markdown(variant.explain)]
    for name, truth in facts.beliefs:
        out += [GAP, Block(styled("A common mix-up: ", "bold $wrong") + inline(name, "bold")), *markdown(truth)]
    out += [GAP, *_sources(variant.question, facts)]
    return out


def _sources(question: Any, facts: Facts) -> Iterable[Block]:
    pad = Content(" " * 8)
    for title, where, checked in facts.sources:
        yield hanging(line(title) + styled(f"  checked {checked}", "$muted"), styled("source  ", "$muted"))
        if where != "computed":
            yield Block(address(where, "$muted"), pad, pad, steps=True)
    fact = f"as of {question.as_of}, difficulty {question.difficulty} of 5"
    yield hanging(styled(fact, "$muted"), styled("fact    ", "$muted"))
    if question.labs:
        yield hanging(line(", ".join(question.labs)), styled("lab     ", "$muted"))


def as_text(variant: Variant, grade: Grade | None) -> str:
    """A question for the clipboard; with its key once it was answered."""
    out = [block.body.plain for block in stem(variant)]
    out += [f"{n}. {line(c.text).plain}" for n, c in enumerate(variant.lefts, 1)]
    out += [f"{chr(64 + n)}. {line(c.text).plain}" for n, c in enumerate(variant.choices, 1)]
    if grade is not None:
        out += ["", "Right: " + "; ".join(line(p.text).plain for p in grade.parts if p.right or p.id == "answer")]
        out += [block.body.plain for block in markdown(variant.explain)]
    return "\n".join([*out, f"[{variant.question.id}, seed {variant.seed}]"])


def key(variant: Variant) -> list[Block]:
    """The answer of a question that was not asked: for Browse."""
    from quizapp.bank.grade import grade

    blank = grade(variant, None)
    return parts(variant, blank, None)
