"""Small charts of block characters, as text: bars, columns, an interval on a scale, a calendar of weeks.

They read without colour: every figure stands beside its picture, and the calendar's shades are different characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from textual.content import Content

from quizapp.tui.text import styled

EIGHTHS = " ▁▂▃▄▅▆▇█"
LEFT_EIGHTHS = " ▏▎▍▌▋▊▉█"
SHADES = "·░▒▓█"


def bar(share: float, width: int, style: str = "$right") -> Content:
    """A horizontal bar of `width` cells, full at 1."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    drawn = "█" * full + (LEFT_EIGHTHS[rest] if rest else "")
    return styled(drawn, style) + styled("·" * (width - len(drawn)), "$line")


def columns(values: Sequence[float], height: int, top: float | None = None, style: str = "$right") -> list[Content]:
    """A column a value, `height` lines from the highest down. A value above 0 shows at least an eighth."""
    highest = max(top or 0.0, *values, 1e-9)
    eighths = [max(1, round(value / highest * height * 8)) if value > 0 else 0 for value in values]
    lines = []
    for row in range(height - 1, -1, -1):
        lines.append(styled("".join(EIGHTHS[min(8, max(0, e - row * 8))] for e in eighths), style))
    return lines


def scale(low: float, middle: float, high: float, width: int) -> Content:
    """An interval within 0..1 on a line of `width` cells: `·····├───●──┤······`."""
    at = [min(width - 1, max(0, round(value * (width - 1)))) for value in (low, middle, high)]
    cells = ["·"] * width
    for place in range(at[0], at[2] + 1):
        cells[place] = "─"
    cells[at[0]], cells[at[2]], cells[at[1]] = "├", "┤", "●"
    drawn = "".join(cells)
    left, inside, right = drawn[: at[0]], drawn[at[0] : at[2] + 1], drawn[at[2] + 1 :]
    return styled(left, "$line") + styled(inside, "bold $right") + styled(right, "$line")


def calendar(reviews: Mapping[date, int], today: date, weeks: int) -> list[Content]:
    """Seven lines, Monday first, a column a week, the last one this week's; then a line of months.

    A shade is a quarter of the busiest day shown; days to come are blank.
    """
    monday = today - timedelta(days=today.weekday())
    start = monday - timedelta(weeks=weeks - 1)
    shown = [start + timedelta(days=n) for n in range(weeks * 7)]
    busiest = max((reviews.get(day, 0) for day in shown), default=0)
    lines = []
    for weekday, name in enumerate(("Mon", "", "Wed", "", "Fri", "", "Sun")):
        days = shown[weekday::7]
        row = "".join(" " if day > today else _shade(reviews.get(day, 0), busiest) for day in days)
        lines.append(styled(name.ljust(4), "$muted") + styled(row, "$right"))
    return [*lines, styled("    " + _months(shown[::7]), "$muted")]


def _shade(count: int, busiest: int) -> str:
    return SHADES[0] if not count else SHADES[min(4, 1 + (count * 4 - 1) // max(busiest, 1))]


def _months(mondays: Sequence[date]) -> str:
    """Names of months above which they begin, where there is room."""
    cells = [" "] * len(mondays)
    free = 0
    for at, day in enumerate(mondays):
        begins = at == 0 or day.month != mondays[at - 1].month
        if begins and at >= free and at + 3 <= len(cells):
            cells[at : at + 3] = f"{day:%b}"
            free = at + 4
    return "".join(cells)
