"""The live view of a run, drawn: a recording and a step in, blocks of text out. Every picture reads without colour."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from textual.content import Content, Span

from quizapp.tui.lab_recording import (
    IDLE,
    MS,
    PADDING,
    PREEMPTED,
    PREFILL,
    SECOND,
    USEFUL,
    Life,
    Recording,
    Totals,
    percentile,
)
from quizapp.tui.text import GAP, Block, line, styled

STYLES = {
    USEFUL: "$right",
    SECOND: "$text",
    PREFILL: "$text",
    PADDING: "$wrong",
    PREEMPTED: "bold $wrong",
    IDLE: "$muted",
}
LEGEND = ((USEFUL, "useful"), (PREFILL, "prefill"), (PADDING, "padding"), (PREEMPTED, "preempted"), (IDLE, "idle"))
LABEL = 10
"""Cells left of the grid: the slot's number and the request in it."""
BARS = " ▁▂▃▄▅▆▇█"
SYMBOLS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
KV_ROWS = 4
MOST_REQUESTS = 64


@dataclass(frozen=True)
class Look:
    """What to draw: up to which step, how wide, the whole run or its last steps, and which panels."""

    step: int
    width: int
    close: bool = False
    panels: tuple[str, ...] = ("slots", "counters")
    config: Mapping[str, Any] | None = None
    """The engine's settings: `token_budget`, `kv_blocks`, `block_size`."""

    def setting(self, name: str) -> Any:
        return (self.config or {}).get(name)


def live(recording: Recording, look: Look) -> list[Block]:
    """All panels asked for, one below the other."""
    if not look.step:
        return [Block(styled("Waiting for the engine's first step …", "$muted"))]
    draw = {"slots": slots, "queue": queue, "budget": budget, "counters": counters, "kv": blocks, "latency": latency}
    out: list[Block] = []
    for name in look.panels:
        out += [*draw[name](recording, look), GAP]
    return [*out, *requests(recording, look)]


def _row(content: Content) -> Block:
    return Block(content, wrap=False)


def _cells(text: str, styles: Mapping[str, str]) -> Content:
    """Characters, each run of equal ones in its style."""
    spans, at = [], 0
    for char, run in groupby(text):
        length = len(list(run))
        if char in styles:
            spans.append(Span(at, at + length, styles[char]))
        at += length
    return Content(text, spans=spans)


def _joined(parts: Sequence[Content], width: int) -> list[Block]:
    """Parts side by side, each whole, on as many lines as they need."""
    lines: list[Content] = []
    for part in parts:
        if lines and lines[-1].cell_length + 3 + part.cell_length <= width:
            lines[-1] = lines[-1] + "   " + part
        else:
            lines.append(part)
    return [_row(one) for one in lines]


def bars(values: Sequence[float], width: int, most: float | None = None) -> str:
    """A line of `width` bars at most: each stands for as many values as it must, and shows the largest of them."""
    if not values or width < 1:
        return ""
    each = math.ceil(len(values) / width)
    columns = [max(values[at : at + each]) for at in range(0, len(values), each)]
    top = most or max(columns) or 1
    return "".join(BARS[min(8, math.ceil(value / top * 8))] for value in columns)


# ---- panels ------------------------------------------------------------------------------------------------------


def slots(recording: Recording, look: Look) -> list[Block]:
    room = max(8, look.width - LABEL)
    if look.close:
        first, each = max(0, look.step - room), 1
    else:
        first, each = 0, max(1, math.ceil(look.step / room))
    scale = "a column is a step" if each == 1 else f"a column is {each} steps"
    legend = Content("  ").join(
        [styled(mark, STYLES[mark]) + styled(f" {words}", "$muted") for mark, words in _legend(recording)]
    )
    out = [_row(legend)]
    now = recording.holders[look.step - 1]
    for slot, row in enumerate(recording.rows):
        cells = "".join(row[first : look.step])
        text = cells if each == 1 else "".join(_column(cells[at : at + each]) for at in range(0, len(cells), each))
        label = styled(f"{slot + 1:>2} ", "$muted") + line(now[slot]).truncate(LABEL - 4, ellipsis=True)
        out.append(_row(label.extend_right(max(0, LABEL - label.cell_length)) + _cells(text, STYLES)))
    shown = math.ceil((look.step - first) / each)
    left, right = f"step {first + 1:,}", f"{look.step:,}"
    middle = shown - len(left) - len(right)
    axis = f"{left}{scale:^{middle}}{right}" if middle >= len(scale) + 2 else f"{left} to {right}, {scale}"
    return [*out, _row(styled(" " * LABEL + axis, "$muted"))]


def _legend(recording: Recording) -> list[tuple[str, str]]:
    if len(recording.tenants) < 2:
        return list(LEGEND)
    first, *others = recording.tenants
    return [(USEFUL, first), (SECOND, others[0] if len(others) == 1 else "others"), *LEGEND[1:]]


def _column(cells: str) -> str:
    """What a column of several steps shows: a preemption if there was one, else what was most of the time."""
    return PREEMPTED if PREEMPTED in cells else max(STYLES, key=cells.count)


def queue(recording: Recording, look: Look) -> list[Block]:
    count = recording.waiting[look.step - 1]
    names = recording.queue(look.step)
    head = styled("queue".ljust(LABEL), "bold") + styled(f"{count} waiting", "$wrong" if count else "$muted")
    if names and count:
        head += styled("  next: ", "$muted") + line(" ".join(names[:8]) + (" …" if len(names) > 8 else ""))
    history = recording.waiting[: look.step]
    if not any(history):
        return [_row(head)]
    return [_row(head), _plot("", history, look.width, f"most {max(history)}")]


def _plot(name: str, values: Sequence[float], width: int, words: str) -> Block:
    room = max(8, width - LABEL - len(words) - 2)
    drawn = bars(values, room)
    return _row(styled(f"{name:<{LABEL}}", "$muted") + styled(drawn, "$right") + styled(f"  {words}", "$muted"))


def budget(recording: Recording, look: Look) -> list[Block]:
    at = look.step - 1
    prefill, decode, padding = recording.prefill_tokens[at], recording.decode_tokens[at], recording.padding_tokens[at]
    limit = look.setting("token_budget")
    most = max(
        a + b + c
        for a, b, c in zip(recording.prefill_tokens, recording.decode_tokens, recording.padding_tokens, strict=True)
    )
    room = max(8, look.width - LABEL)
    unit = (limit or most or 1) / room
    bar = PREFILL * _part(prefill, unit) + USEFUL * _part(decode, unit) + PADDING * _part(padding, unit)
    bar = bar[:room]
    of = f" of at most {limit:,}" if limit else f"  (largest step {most:,})"
    words = f"{prefill:,} prefill + {decode:,} decode" + (f" + {padding:,} padding" if padding else "")
    history = [
        a + b + c
        for a, b, c in zip(
            recording.prefill_tokens[: look.step],
            recording.decode_tokens,
            recording.padding_tokens,
            strict=False,
        )
    ]
    return [
        _row(styled("tokens".ljust(LABEL), "bold") + styled(f"{words}{of}", "$muted")),
        _row(styled(" " * LABEL) + _cells(bar + IDLE * (room - len(bar)), STYLES)),
        _plot("by step", history, look.width, f"most {max(history):,}"),
    ]


def _part(tokens: int, unit: float) -> int:
    return max(1, round(tokens / unit)) if tokens else 0


def counters(recording: Recording, look: Look) -> list[Block]:
    at = look.step - 1
    so_far: Totals = recording.totals[at]
    area = recording.slots * look.step
    running = recording.running[: look.step]
    figures = (
        ("steps", f"{look.step:,}"),
        ("slot-steps", f"{area:,}"),
        ("useful", f"{so_far.useful:,}"),
        ("padding", f"{so_far.padding:,}"),
        ("waste", f"{100 * (1 - so_far.useful / area):.1f} %"),
        ("running", f"{running[-1]} (mean {sum(running) / look.step:.2f}, most {max(running)})"),
        ("preemptions", f"{so_far.preemptions:,}"),
    )
    out = _joined([styled(f"{name} ", "$muted") + styled(value, "bold") for name, value in figures], look.width)
    return [*out, _plot("running", running, look.width, f"of {recording.slots}")]


def blocks(recording: Recording, look: Look) -> list[Block]:
    """The block map: each cell a few blocks of KV memory, marked with the request that holds most of them."""
    owners = recording.owners(look.step)
    total = look.setting("kv_blocks") or max([*recording.allocated, *owners, 1])
    order = {name: at for at, name in enumerate(recording.lives)}
    names = sorted(set(owners.values()), key=order.__getitem__)
    symbol = {name: SYMBOLS[order[name] % len(SYMBOLS)] for name in names}
    each = math.ceil(total / (max(8, look.width) * KV_ROWS))
    cells = []
    for first in range(1, total + 1, each):
        inside = [owners.get(block) for block in range(first, min(first + each, total + 1))]
        held = [name for name in inside if name is not None]
        cells.append(symbol[Counter(held).most_common(1)[0][0]] if 2 * len(held) >= len(inside) and held else IDLE)
    drawn = "".join(cells)
    size = look.setting("block_size")
    promised = recording.reserved[look.step - 1]
    words = f"{len(owners):,} of {total:,} blocks held"
    words += f", {promised:,} promised" if promised > len(owners) else ""
    words += f", {each} a cell" if each > 1 else f", {size} tokens each" if size else ""
    styles = {IDLE: "$muted"} | {symbol[name]: "$right" if at % 2 else "$text" for at, name in enumerate(names)}
    count = Counter(owners.values())
    owned = [
        styled(symbol[name], f"bold {styles[symbol[name]]}") + " " + line(name) + styled(f" {count[name]}", "$muted")
        for name in names[:16]
    ]
    out = [_row(styled("KV".ljust(LABEL), "bold") + styled(words, "$muted"))]
    out += [_row(_cells(drawn[at : at + look.width], styles)) for at in range(0, len(drawn), max(8, look.width))]
    return [*out, *_joined(owned, look.width)]


def latency(recording: Recording, look: Look) -> list[Block]:
    lives = [life for life in recording.lives.values() if life.admitted and life.admitted <= look.step]
    begun = [life for life in lives if life.first and life.first <= look.step]
    done = [life for life in begun if life.finished and life.finished <= look.step]
    rows = [
        ("queue ms", [(life.admitted_ns - life.arrival_ns) / MS for life in lives]),
        ("first token ms", [(life.first_ns - life.arrival_ns) / MS for life in begun]),
        ("last token ms", [(life.last_ns - life.arrival_ns) / MS for life in done]),
    ]
    out = [_row(styled(f"{'latency':<16}{'p50':>10}{'p95':>10}{'p99':>10}{'most':>10}", "bold"))]
    for name, values in rows:
        cells = [percentile(values, one) for one in (50, 95, 99, 100)] if values else []
        out.append(_row(styled(f"{name:<16}", "$muted") + styled("".join(f"{_ms(one):>10}" for one in cells))))
    longest = recording.totals[look.step - 1].longest_gap_ns
    if not longest:
        return out
    return [
        *out,
        _plot("gap", recording.gap_ns[: look.step], look.width, f"longest between tokens {_ms(longest / MS)} ms"),
    ]


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"


# ---- one line a request ---------------------------------------------------------------------------------------------


def requests(recording: Recording, look: Look) -> list[Block]:
    """Each request up to this step: its first and last step, its first token, its longest wait between tokens."""
    head = f"{'request':<10}{'slot':>4}{'from':>6}{'to':>6}{'tokens':>8}{'first ms':>10}{'gap ms':>8}"
    out = [_row(styled(head, "bold"))]
    lives = [life for life in recording.lives.values() if life.arrived <= look.step]
    for life in lives[:MOST_REQUESTS]:
        out.append(_row(_request(life, look.step)))
    if len(lives) > MOST_REQUESTS:
        out.append(_row(styled(f"… and {len(lives) - MOST_REQUESTS} more", "$muted")))
    return out


def _request(life: Life, step: int) -> Content:
    name = line(life.id).truncate(9, ellipsis=True)
    name = name.extend_right(max(0, 10 - name.cell_length))
    if not life.admitted or life.admitted > step:
        return name + styled("waiting" if not life.reason else line(life.reason).plain, "$muted")
    ended = bool(life.finished) and life.finished <= step
    first = _ms((life.first_ns - life.arrival_ns) / MS) if life.first and life.first <= step else "–"
    gap = _ms(life.longest_gap_ns / MS) if ended else "–"
    to = f"{life.finished}" if ended else "…"
    tokens = f"{life.tokens}" if ended else "…"
    again = f"  × {life.preemptions}" if life.preemptions else ""
    return name + styled(f"{life.slot + 1:>4}{life.admitted:>6}{to:>6}{tokens:>8}{first:>10}{gap:>8}{again}")
