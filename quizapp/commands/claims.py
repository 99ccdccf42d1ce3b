"""`quizapp claims`: what the lessons state, what is exact, and whether it holds."""

from __future__ import annotations

from typing import Any

import typer

from quizapp.output import BankOption, JsonOption, emit_json, say


def register(app: typer.Typer) -> None:
    app.command()(claims)


def claims(as_json: JsonOption = False, bank: BankOption = None) -> None:
    """Every testable claim of the lessons with its recomputed value and verdict."""
    from labs.claims import VERDICT_WORDS, load_claims
    from quizapp.bank.load import load_bank
    from quizapp.store.location import locate

    questions = load_bank(extra=bank or (), cache=locate().cache).questions
    by_claim: dict[str, list[str]] = {}
    for question in questions.values():
        for claim in question.claims:
            by_claim.setdefault(claim, []).append(question.id)
    rows: list[dict[str, Any]] = []
    for one in load_claims().values():
        known = {"id": one.id, "source": one.source, "statement": one.statement, "stated": one.stated}
        found = {"exact": one.exact.value(), "unit": one.unit, "verdict": one.verdict, "note": one.note}
        rows.append({**known, **found, "labs": one.labs, "questions": sorted(by_claim.get(one.id, []))})
    if as_json:
        emit_json(rows)
        return
    say(
        "What two lessons on LLM batching state (a long one on static, dynamic and continuous batching with a worked "
        "scenario of eight requests, a short one on continuous batching), and what is so:"
    )
    for row in rows:
        verdict = VERDICT_WORDS[row["verdict"]]
        say(f"{row['id']:<12} {verdict}: {row['statement']}")
        say(f"{'':<12} stated {row['stated']:g}, exact {row['exact']:g} {row['unit']}. {row['note']}")
