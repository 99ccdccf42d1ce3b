"""The page of a lab, by step: prose, what was said and what it was, causes with reasons. Values in, blocks out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.content import Content

from quizapp.tui.lab_form import CONFIDENCES, Form, shown
from quizapp.tui.text import GAP, Block, hanging, inline, line, markdown, plain, styled

STEPS = ("predict", "run", "observe", "explain", "transfer")
VERDICTS = {
    "holds": "holds",
    "rounded": "holds, rounded",
    "holds-when": "holds only when …",
    "does-not-hold": "does not hold",
}


def heading(words: str) -> Block:
    return Block(styled(words, "bold $right"))


def page(view: Any, fast: bool, why: bool, hints: Sequence[str]) -> list[Block]:
    """What the learner reads at the step she is at. `why`: the reasons of the explanation are being read."""
    step = "why" if why else view.step(fast)
    part = view.part_of(fast)
    out = _intro(view) if step == "predict" and part == "main" else []
    if step == "why":
        out += explained(view)
    elif step == "passed":
        out += passed(view)
    elif part == "transfer":
        out += transfer(view, step, fast)
    elif step == "predict":
        out += [*markdown(view.text.get("predict", "")), *given(view.main)]
    elif step == "run":
        out += [*markdown(view.text.get("run", "")), *given(view.main), GAP, *runs(view, "main")]
    elif step == "observe":
        out += [*markdown(view.text.get("observe", "")), GAP, *readings(view)]
    elif step == "explain":
        out += [*compared(view.main), *recorded(view.lab), *markdown(view.text.get("explain", "")), GAP, *causes(view)]
    for number, words in enumerate(hints, 1):
        out += [GAP, Block(styled(f"Hint {number}", "bold $wrong")), *markdown(words)]
    return out


EXAMPLE = {"worked": "a worked example", "completion": "a half-worked example", "bare": "no worked example"}
"""What help the prose gives before the first prediction."""


def _intro(view: Any) -> list[Block]:
    lab = view.lab
    facts = f"{EXAMPLE[lab.guidance]} · {lab.family} · about {lab.minutes} minutes"
    out = [
        Block(styled("The claim", "bold $right")),
        Block(line(lab.claim, "bold")),
        Block(styled(facts, "$muted")),
        GAP,
    ]
    if view.path:
        titles = ", ".join(f"{name[:2]} {title}" for name, title in view.path)
        out += [Block(styled("Easier after ", "$muted") + line(titles, "$muted")), GAP]
    if view.text.get("claim"):
        out += [*markdown(view.text["claim"]), GAP]
    return out


# ---- said and found ------------------------------------------------------------------------------------------------


def given(rows: Sequence[Any]) -> list[Block]:
    """Predictions so far, before anything is known."""
    said = [row for row in rows if row.said is not None]
    if not said:
        return []
    out = [GAP, heading("You said")]
    for row in said:
        words = line(shown(row.said.value, row.ask), "bold") + styled(f"   {row.said.confidence} % sure", "$muted")
        out += [hanging(inline(row.ask.ask), styled("· ", "$muted")), hanging(words, "  ")]
    return out


def compared(rows: Sequence[Any]) -> list[Block]:
    """Prediction beside observation."""
    done = [row for row in rows if row.said is not None and row.was is not None]
    if not done:
        return []
    out = [heading("You said · it was")]
    for row in done:
        near = not row.holds and _near(row.said.value, row.was)
        mark = styled(
            "✓ " if row.holds else "≈ " if near else "≠ ", "bold $wrong" if not (row.holds or near) else "bold $right"
        )
        words = line(shown(row.said.value, row.ask), "bold") + styled(f" ({row.said.confidence} % sure)", "$muted")
        words += styled("  ·  it was ", "$muted") + line(shown(row.was, row.ask), "bold $right")
        if near:
            words += styled("   close", "$muted")
        elif not row.holds and row.said.confidence >= 85:
            words += styled("   sure, and off", "$wrong")
        out += [hanging(inline(row.ask.ask), mark), hanging(words, "  ")]
    return [*out, GAP]


def _near(said: Any, was: Any) -> bool:
    """Within a tenth of the truth: right in kind, if not in the last digit."""
    return not isinstance(said, str) and not isinstance(was, str) and abs(said - was) <= 0.1 * abs(was)


def readings(view: Any) -> list[Block]:
    """What was read off the run so far."""
    out = [heading("Read off the run")]
    for ask in view.lab.observe:
        value, right = view.readings.get(ask.key, (None, False))
        if value is None:
            out.append(hanging(inline(ask.ask, "$muted"), styled("· ", "$muted")))
        elif right:
            out.append(
                hanging(
                    inline(ask.ask) + styled("  ") + line(shown(value, ask), "bold $right"), styled("✓ ", "bold $right")
                )
            )
        else:
            wrong = styled("  not ", "$wrong") + line(shown(value, ask), "bold $wrong")
            out.append(hanging(inline(ask.ask) + wrong, styled("✗ ", "bold $wrong")))
    return out


def runs(view: Any, part: str) -> list[Block]:
    out = [heading("Runs")]
    for run in view.lab.part_runs(part):
        receipt = view.receipt(part, run.id)
        done = styled("✓ ", "bold $right") if receipt else styled("· ", "$muted")
        words = line(run.title)
        if receipt:
            on = "virtual executor" if receipt.executor == "virtual" else f"torch on {receipt.device}"
            words += styled("   ") + line(f"{receipt.counters['steps']:,.0f} steps, {on}, the oracle agrees", "$muted")
        out.append(hanging(words, done))
    return out


def figures(receipt: Any) -> list[Block]:
    """Every counter of a finished run, as the engine and the oracle have it."""
    if receipt is None:
        return []
    out = [GAP, heading("All figures of this run")]
    width = max(map(len, receipt.counters))
    for name, value in receipt.counters.items():
        number = (
            f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.1f}"
        )
        out.append(Block(line(name, "$muted") + styled(" " * (width - len(name) + 2) + number), wrap=False))
    return out


def recorded(lab: Any) -> list[Block]:
    out: list[Block] = []
    for one in lab.recorded:
        width = max(len(name) for name, _ in one.rows)
        out.append(Block(styled("Recorded on a real server: ", "bold $right") + line(one.title, "bold")))
        for name, value in one.rows:
            out.append(hanging(line(value), line(name).extend_right(max(0, width - len(name))) + styled("  ")))
        out += [Block(styled("source  ", "$muted") + line(one.source, "$muted")), GAP]
    return out


# ---- explain ---------------------------------------------------------------------------------------------------------


def causes(view: Any) -> list[Block]:
    out = [Block(inline(view.lab.explain.ask, "bold")), GAP]
    for number, option in enumerate(view.lab.explain.options, 1):
        out.append(hanging(inline(option.text), styled(f" {number}  ", "bold $right"), click=f"screen.digit({number})"))
    return out


def explained(view: Any) -> list[Block]:
    """Every cause with why it is or is not one."""
    out = [Block(inline(view.lab.explain.ask, "bold")), GAP]
    for number, option in enumerate(view.lab.explain.options, 1):
        chosen = option.id == view.record.explanation
        mark = "✓" if option.correct else "✗" if chosen else " "
        colour = "$right" if option.correct else "$wrong" if chosen else "$muted"
        tag = {(True, True): "   right, your choice", (True, False): "   right", (False, True): "   your choice"}.get(
            (option.correct, chosen), ""
        )
        body = inline(option.text, "bold" if option.correct or chosen else "") + styled(tag, colour)
        out += [
            hanging(body, styled(f" {mark} {number}  ", f"bold {colour}")),
            *markdown(option.why, "$muted", indent=5),
            GAP,
        ]
    return out


# ---- transfer and pass ---------------------------------------------------------------------------------------------


def transfer(view: Any, step: str, fast: bool) -> list[Block]:
    out: list[Block] = []
    if fast:
        words = "Fast track: predict this one right and at least 85 % sure, and the lab is passed."
        out += [Block(styled(words, "$wrong")), GAP]
    if view.text.get("transfer"):
        out += [*markdown(view.text["transfer"]), GAP]
    out += [heading("Your own numbers"), *markdown(view.transfer_words)]
    if step == "predict":
        return [*out, *given(view.transfer)]
    if step == "missed":
        lead = "Not close enough yet. The lab asks again, on new numbers."
        if all(row.holds for row in view.transfer):
            lead = "Right, but a fast track needs 85 %. Go through the lab, or be surer on new numbers."
        return [*out, GAP, *compared(view.transfer), Block(styled(lead, "bold $wrong"))]
    return [*out, *given(view.transfer), GAP, *runs(view, "transfer")]


def passed(view: Any) -> list[Block]:
    how = "Tested out" if view.record.tested_out else "Passed"
    out = [Block(styled(f"✓ {how}", "bold $right"))]
    if view.followups:
        out.append(Block(styled(f"{len(view.followups)} questions on it are due in Study now.", "$muted")))
    out += [GAP, *markdown(view.text.get("passed", "")), GAP]
    out += [*compared(view.main), *compared(view.transfer), *recorded(view.lab)]
    out.append(heading("What the lessons say, and what holds"))
    for claim in view.claims:
        good = claim.verdict in ("holds", "rounded")
        mark = styled("✓ " if good else "! ", "bold $right" if good else "bold $wrong")
        verdict = styled(f"  {VERDICTS[claim.verdict]}. ", "bold $right" if good else "bold $wrong")
        out.append(hanging(inline(claim.statement) + verdict + inline(claim.note, "$muted"), mark))
    if view.followups:
        out += [GAP, heading("Now due in Study")]
        out += [hanging(inline(title), styled("· ", "$muted")) for _, title in view.followups]
    return out


# ---- the question at the bottom ------------------------------------------------------------------------------------


def asking(form: Form, total: int, resting: bool) -> list[Block]:
    """The open question, and the keys that answer it."""
    ask = form.ask
    at = styled(f"{total - len(form.asks) + 1} of {total}  ", "$muted")
    out = [hanging(inline(ask.ask, "bold"), at)]
    if form.phase == "sure":
        number = plain(form.value or "", "bold")
        words = styled("You say ", "$muted") + number + styled(f" {ask.unit}.  How sure are you?   ", "$muted")
        for key, percent in enumerate(CONFIDENCES, 1):
            words += styled(str(key), "bold $right") + f" {percent} %   "
        out.append(Block(words))
    elif form.phase == "pick":
        for number_, choice in enumerate(ask.choices, 1):
            out.append(
                hanging(inline(choice), styled(f" {number_}  ", "bold $right"), click=f"screen.digit({number_})")
            )
    elif resting:
        out.append(Block(styled("e", "bold $right") + styled(" types the answer", "$muted")))
    return out


def top(view: Any, fast: bool) -> tuple[Content, Content, float | None]:
    """The first line of the screen."""
    if view is None:
        return styled("Lab", "bold $right"), Content(""), None
    left = styled(f"Lab {view.lab.id[:2]}", "bold $right") + styled("  ") + line(view.lab.title)
    if view.stage == "passed":
        return left, styled("passed", "bold $right"), 1.0
    at = STEPS.index("transfer" if fast else view.stage)
    return left, styled(f"{STEPS[at]}, {at + 1} of {len(STEPS)}", "$muted"), at / len(STEPS)
