"""The progress document as one page to share: HTML with inline SVG, no script, nothing fetched.

Everything that comes from a bank is escaped; the page says when it was made and what the figures rest on.
"""

from __future__ import annotations

from datetime import date, timedelta
from html import escape
from typing import Any

from quizapp.progress.calibration import ENOUGH
from quizapp.progress.words import TIME_WORDS, due_words, flatter_words, target_words, when_words
from quizapp.text import percent

BLUE, ORANGE, GREY, INK = "#0072b2", "#d55e00", "#c8c8c8", "#222222"
"""Okabe and Ito's blue and vermilion: told apart by everyone."""
WIDTH = 720
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:760px;margin:2rem auto;padding:0 1rem}"
    "body{color:#222;background:#fff}"
    "h1,h2{line-height:1.2}table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left}"
    "td.n{text-align:right}svg{max-width:100%;height:auto}.m{color:#555}"
)


def html(found: dict[str, Any]) -> str:
    """A whole page."""
    ready = found["readiness"]
    parts = [
        f"<h1>Progress, {escape(found['today'])}</h1>",
        f"<h2>{escape(ready['title'])}</h2>",
        _svg(_interval(ready), 60),
        f"<p><strong>{percent(ready['low'])} to {percent(ready['high'])}</strong> {when_words(found['exam'])}, "
        "with 90 % confidence.</p>",
        *(f"<p>{escape(words)}</p>" for words in (target_words(ready), flatter_words(ready["evidence"])) if words),
        f'<p class="m">{escape(TIME_WORDS)}</p>',
        f'<p class="m">{escape(ready["covers"])}</p>' if ready["covers"] else "",
        _table(("objective", "weight", "expected"), [
            (f"{row['id']} {row['title']}", percent(row["weight"]), percent(row["score"]))
            for row in ready["objectives"]
        ]),
        _evidence(ready["evidence"]),
        "<h2>Days</h2>", _svg(_calendar(found), 120),
        "<h2>True retention</h2>",
        _table(("", "young", "mature", "both"), [
            (period, *(_share(row[name]) for name in ("young", "mature", "both")))
            for period, row in found["retention"].items()
        ]),
        "<h2>Cards that come due</h2>", _svg(_forecast(found["forecast"]), 140),
        f"<p>Today: {escape(due_words(found['forecast']))}.</p>",
        "<h2>Mastery</h2>",
        _table(("topic", "studied", "recalled today"), [
            (row["title"], f"{row['seen']:,} of {row['questions']:,}", percent(row["mastered"]))
            for row in found["mastery"]["topics"]
        ]),
        "<h2>Confidence</h2>",
        _table(("said", "stands for", "right"), [
            (row["word"], percent(row["stated"]), _share(row)) for row in found["calibration"]["levels"]
        ]),
        _brier(found["calibration"]),
        "<h2>Wrong beliefs</h2>",
        _table(("belief", "times", "last 30 days"), [
            (row["name"], f"{row['times']:,}", f"{row['recent']:,}") for row in found["misconceptions"][:20]
        ]) if found["misconceptions"] else "<p>None so far.</p>",
        f"<p>{len(found['claims']['proved'])} of {found['claims']['total']} claims of the lessons proved in labs; "
        f"{found['time']['minutes']:,.0f} minutes of answers in all.</p>",
        f'<p class="m">Made by quizapp, {escape(found["as_of"])}.</p>',
    ]  # fmt: skip
    title = f"Progress, {escape(found['today'])}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>\n" + "\n".join(part for part in parts if part) + "\n</body></html>\n"
    )


def svg(found: dict[str, Any]) -> str:
    """Readiness, days and forecast as one picture."""
    ready = found["readiness"]
    words = f"{ready['title']}: {percent(ready['low'])} to {percent(ready['high'])} (90 %), {found['today']}"
    rows = [
        _text(0, 20, words, 16),
        f'<g transform="translate(0,30)">{_interval(ready)}</g>',
        f'<g transform="translate(0,110)">{_calendar(found)}</g>',
        f'<g transform="translate(0,250)">{_forecast(found["forecast"])}</g>',
    ]
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _svg("".join(rows), 400) + "\n"


def _svg(inside: str, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" font-family="sans-serif">{inside}</svg>'
    )


def _text(x: float, y: float, words: str, size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{INK}">{escape(words)}</text>'


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'


def _interval(ready: dict[str, Any]) -> str:
    low, middle, high = (ready[name] * WIDTH for name in ("low", "middle", "high"))
    ticks = "".join(_text(min(at * WIDTH / 100, WIDTH - 40), 52, f"{at} %") for at in (0, 25, 50, 75, 100))
    return (
        _box(0, 18, WIDTH, 6, GREY) + _box(low, 12, high - low, 18, BLUE) + _box(middle - 2, 8, 4, 26, ORANGE) + ticks
    )


def _calendar(found: dict[str, Any]) -> str:
    today = date.fromisoformat(found["today"])
    reviews = {date.fromisoformat(day["date"]): day["reviews"] for day in found["calendar"]}
    start = today - timedelta(days=today.weekday(), weeks=51)
    days = [start + timedelta(days=n) for n in range((today - start).days + 1)]
    busiest = max((reviews.get(day, 0) for day in days), default=0) or 1
    cells = []
    for number, day in enumerate(days):
        count = reviews.get(day, 0)
        shade = f'<g opacity="{0.25 + 0.75 * count / busiest:.2f}">' if count else "<g>"
        cell = _box(number // 7 * 13, number % 7 * 13, 11, 11, BLUE if count else "#eeeeee")
        cells.append(f"{shade}<title>{day.isoformat()}: {count}</title>{cell}</g>")
    return "".join(cells) + _text(0, 108, f"{days[0].isoformat()} to {today.isoformat()}, a column a week")


def _forecast(ahead: dict[str, Any]) -> str:
    days = [{**day, "due": day["due"] + ahead["backlog"] * (n == 0)} for n, day in enumerate(ahead["days"])]
    most = max((day["due"] for day in days), default=0) or 1
    step = WIDTH / len(days)
    bars = [
        f"<g><title>{day['date']}: {day['due']}</title>"
        + _box(number * step, 110 - day["due"] / most * 100, step - 3, day["due"] / most * 100, BLUE)
        + "</g>"
        for number, day in enumerate(days)
    ]
    return "".join(bars) + _text(
        0, 130, f"{days[0]['date']} to {days[-1]['date']}; the highest column is {most:,} cards"
    )


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(_td(n, cell) for n, cell in enumerate(row))}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _td(number: int, cell: str) -> str:
    return f"<td>{escape(cell)}</td>" if number == 0 else f'<td class="n">{escape(cell)}</td>'


def _share(share: dict[str, Any]) -> str:
    return f"{percent(share['rate'])} of {share['total']:,}" if share["total"] else "–"


def _evidence(evidence: dict[str, Any]) -> str:
    return (
        f"<p>Rests on {evidence['seen']:,} of {evidence['questions']:,} questions answered at least once "
        f"({evidence['studied']:,} studied, the others in mock exams only), "
        f"{evidence['first_answers']:,} first answers ({evidence['first_right']:,} right), "
        f"{evidence['later_answers']:,} answers a day or more later ({evidence['later_right']:,} right), "
        f"{evidence['mock_exams']} mock exams of this exam{_best(evidence)}.</p>"
    )


def _best(evidence: dict[str, Any]) -> str:
    if not evidence["mock_exams"]:
        return ""
    return f", the best {percent(evidence['best_mock'])} of {evidence['best_mock_questions']} questions"


def _brier(told: dict[str, Any]) -> str:
    if told["answers"] < ENOUGH:
        return ""
    return (
        f"<p>Brier score {told['brier']:.3f}; always stating the average would score {told['brier_constant']:.3f}.</p>"
    )
