"""The pages of Progress but the first two: from the plain values of `quizapp.study.progress` to blocks of text. No
rules, only words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from quizapp.progress.calibration import ENOUGH
from quizapp.progress.words import due_words
from quizapp.text import counted, percent
from quizapp.tui.screens.progress_blocks import Marks, bar_room, drawn, faint, head, hours, share_words
from quizapp.tui.screens.progress_ready import plan, readiness
from quizapp.tui.text import GAP, Block, hanging, line, styled
from quizapp.tui.widgets import charts

Page = Callable[[dict[str, Any], int, int], list[Block]]
"""(what is known, width in cells, marked row) → blocks."""

PERIOD_WORDS = {"today": "today", "week": "7 days", "month": "30 days", "all": "all"}
CELL = 20
"""Room for `100 % of 450,000` and a gap."""


def calendar(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    days = {date.fromisoformat(day["date"]): day for day in found["calendar"]}
    today = date.fromisoformat(found["today"])
    weeks = max(4, min(53, width - 6))
    total = sum(day["reviews"] for day in days.values())
    out = [
        head(f"{counted(total, 'answer')} on {counted(len(days), 'day')}"),
        faint(
            "Answers that moved a card. Those that are only logged (mock exams, practice ahead) add time, no answer."
        ),
    ]
    out += [drawn(row) for row in charts.calendar({day: one["reviews"] for day, one in days.items()}, today, weeks)]
    out.append(faint(f"A column is a week, {charts.SHADES[0]} no answer, {charts.SHADES[4]} your busiest days."))
    spent = found["time"]
    out += [GAP, head("Time spent")]
    out.append(faint(f"{hours(spent['minutes_week'])} in the last 7 days, {hours(spent['minutes'])} in all."))
    most = max(spent["by_origin"].values(), default=0.0) or 1.0
    for origin, minutes in spent["by_origin"].items():
        out.append(
            drawn(
                line(origin)
                + styled(" " * max(1, 10 - len(origin)))
                + charts.bar(minutes / most, 24)
                + styled(f"  {hours(minutes)}", "$muted")
            )
        )
    return out


def retention(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    out = [
        head("True retention"),
        faint("Of cards in review that came back a day or more later, how many you still knew."),
        faint("Readiness counts those in learning as well, and whether the answer was right, not how it was rated."),
        GAP,
        drawn(styled(f"{'':8}{'young':>{CELL}}{'mature':>{CELL}}{'both':>{CELL}}", "$muted")),
    ]
    for period, words in PERIOD_WORDS.items():
        row = found["retention"][period]
        cells = [_cell(row[name]) for name in ("young", "mature", "both")]
        out.append(drawn(styled(words.ljust(8), "$muted") + styled("".join(cell.rjust(CELL) for cell in cells))))
    both = found["retention"]["all"]["both"]
    if both["total"]:
        out += [GAP, faint(f"All: {percent(both['low'], 1)} to {percent(both['high'], 1)} with 90 % confidence.")]
    else:
        out += [GAP, faint("Nothing came back yet: the first numbers stand here a day after your first answers.")]
    return [*out, faint("Mature: the last interval was 21 days or longer.")]


def _cell(share: dict[str, Any]) -> str:
    return f"{share_words(share['rate'])} of {share['total']:,}" if share["total"] else "–"


def forecast(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    ahead = found["forecast"]
    days = ahead["days"][: max(7, min(30, (width - 8) // 2))]
    counts = [day["due"] + ahead["backlog"] * (number == 0) for number, day in enumerate(days)]
    rest = sum(counts[1:])
    out = [
        head("Cards that come due"),
        Block(styled("Today: ") + styled(f"{due_words(ahead)}.", "bold $right")),
        faint(
            f"Then {counted(rest, 'card')} over the next {len(days) - 1} days. "
            f"The first column is today, {counts[0]:,}."
        ),
        GAP,
    ]
    doubled = [value for count in counts for value in (count, 0)]
    most = max(counts, default=0)
    rows = charts.columns(doubled, 6)
    for number, row in enumerate(rows):
        label = f"{most:,}" if number == 0 else "0" if number == len(rows) - 1 else ""
        out.append(drawn(styled(f"{label:>6} ", "$muted") + row))
    first, last = date.fromisoformat(days[0]["date"]), date.fromisoformat(days[-1]["date"])
    gap = " " * max(1, len(doubled) - 1 - 5 - 6)
    out.append(drawn(styled(f"       today{gap}{last:%d %b}", "$muted")))
    out += [
        GAP,
        faint(f"Today about {hours(ahead['minutes_today'])}, at {ahead['seconds_a_card']:.0f} s a card."),
        faint(f"{counted(ahead['later'], 'card')} later. What today's answers will bring back is not in it."),
    ]
    return [*out, faint(f"From {first:%a %d %b}.")] if width > 100 else out


def mastery(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    out: list[Block] = [faint("Enter or d drills the marked one."), GAP]
    marks = Marks(marked)
    for name, rows in (("By objective", found["mastery"]["objectives"]), ("By topic", found["mastery"]["topics"])):
        seen = [f"{row['seen']:,} of {row['questions']:,}" for row in rows]
        room = 2 + max([7, *map(len, seen)])
        columns = f"  {'':{bar_room(width)}}{'recall':>8}{'studied':>{room}}{'mature':>8}"
        out += [head(name), drawn(styled(columns, "$muted"))]
        for row, told in zip(rows, seen, strict=True):
            figures = styled(f"{percent(row['mastered']):>8}{told:>{room}}{row['mature']:>8,}  ", "$muted")
            title = row["id"] if row["title"] == row["id"] else f"{row['id']} {row['title']}"
            out += marks.row(line(title), charts.bar(row["mastered"], bar_room(width)) + figures, width)
        out.append(GAP)
    return [*out, faint("The share of all questions that you would recall today; a new one counts as not known.")]


def calibration(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    told = found["calibration"]
    out = [
        head("How sure, and how right"),
        faint("Each word stands for a chance; the bar is how often you were right."),
        GAP,
    ]
    for row in told["levels"]:
        figures = styled(f" {share_words(row['rate']):>5}") + styled(f" of {row['total']:,}", "$muted")
        bar = charts.bar(row["rate"] or 0.0, 20)
        out.append(drawn(styled(f"{row['word']:<7} {percent(row['stated']):>5} ", "$muted") + bar + figures))
        style = "$wrong" if row["verdict"] == "overconfident" else "$muted"
        out.append(Block(styled(f"{'':14}{row['verdict']}", style)))
    out.append(GAP)
    if told["brier"] is None:
        return [*out, faint("Say how sure you are when you answer, and this fills.")]
    if told["answers"] < ENOUGH:
        return [*out, faint(f"A Brier score says something from {ENOUGH} answers on: {told['answers']} so far.")]
    out.append(Block(styled(f"Brier score {told['brier']:.3f}", "bold") + styled(" (0 is perfect).", "$muted")))
    constant = told["brier_constant"]
    better = "better" if told["brier"] < constant else "worse"
    out.append(faint(f"Always stating your own average would score {constant:.3f}: your words are {better} than that."))
    return out


def beliefs(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    rows = found["misconceptions"]
    if not rows:
        return [
            head("Wrong beliefs you chose"),
            faint("None yet: each wrong option stands for one, and it is counted here."),
        ]
    out = [
        head("Wrong beliefs you chose"),
        faint("Enter or d drills the marked one: every question that turns on it."),
        faint("Each row: how often you chose it ever, and in the last 30 days; its share of the answers to questions "
              "that offer it; what it is. Kept: more than once, and in the last 30 days. Gone: not in them."),
        GAP,
    ]  # fmt: skip
    marks = Marks(marked)
    for row in rows:
        state = (
            styled("kept   ", "bold $wrong")
            if row["kept"]
            else styled("gone   " if not row["recent"] else "once   ", "$muted")
        )
        share = f"{share_words(row['share'])} of {row['offered']:,}" if row["share"] is not None else "–"
        told = f"{row['times']:,}×, {row['recent']:,} in 30 days, {share}  "
        out += marks.row(state + styled(told, "$muted") + line(row["name"], "bold" if marks.here() else ""))
    return out


def claims(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    told = found["claims"]
    proved = len(told["proved"])
    out = [
        head("Claims of the lessons that you proved"),
        drawn(
            charts.bar(proved / told["total"] if told["total"] else 0.0, 30) + styled(f"  {proved} of {told['total']}")
        ),
        faint(f"{counted(len(told['labs_passed']), 'lab')} passed."),
        GAP,
    ]
    out += [hanging(line(name, "$muted"), styled("✓ ", "bold $right")) for name in told["labs_passed"]]
    return out if told["labs_passed"] else [*out, faint("A lab proves a claim on a real engine: press l on Home.")]


PAGES: tuple[tuple[str, Page], ...] = (
    ("Readiness", readiness),
    ("Plan", plan),
    ("Days and time", calendar),
    ("Retention", retention),
    ("Forecast", forecast),
    ("Mastery", mastery),
    ("Confidence", calibration),
    ("Beliefs", beliefs),
    ("Claims", claims),
)
