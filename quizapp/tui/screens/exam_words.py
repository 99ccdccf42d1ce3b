"""The words of the exam screens: plain values in, blocks of text out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from textual.content import Content

from quizapp.exam.blueprint import quotas
from quizapp.exam.score import differ
from quizapp.exam.sitting import Sitting
from quizapp.study.exam_values import Desk, Finished, Offer, Past
from quizapp.text import counted, one_line, percent, percents
from quizapp.tui.text import GAP, Block, hanging, line, plain, styled
from quizapp.tui.widgets.navigator import Cell

LOW_S = 300
"""From here on the clock shows even when it was hidden."""
BAR = 20
SPARKS = "▁▂▃▄▅▆▇█"


def clock(seconds: float) -> str:
    """Time left or taken, `43:12` or `1:00:00`."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def clock_words(sitting: Sitting) -> Content:
    left = sitting.timer.left_s
    if sitting.hide_clock and left > LOW_S:
        return styled("clock hidden", "$muted")
    return styled(f"{clock(left)} left", "bold $wrong" if left <= LOW_S else "bold")


def cells(sitting: Sitting) -> list[Cell]:
    return [Cell(r.response is not None, r.complete, r.flagged) for r in sitting.replies]


# Before


def offer_rows(offer: Offer, marked: bool, count: int) -> list[Block]:
    gutter = styled("▸ " if marked else "  ", "bold $right")
    look = "on $panel" if marked else ""
    out = [Block(line(offer.blueprint.title, "bold"), gutter, gutter, wrap=False, style=look)]
    if marked:
        size = f"{counted(count, 'question')}, {counted(offer.blueprint.minutes_for(count), 'minute')}"
        kinds = styled("  choice questions only", "$right") if offer.choice_only else styled("")
        out.append(Block(styled(f"  ← {size} →", "$right") + kinds, wrap=False, style=look))
    return out


def offer_details(offer: Offer) -> list[Block]:
    """What must be known of the marked exam, and its weights."""
    new = "all" if offer.unseen == offer.pool else f"{offer.unseen:,}" if offer.unseen else "none"
    pool = f"{counted(offer.pool, 'question')} of the bank can come, {new} of them new to you."
    out = [hanging(line(words, "$muted"), styled("· ", "$muted")) for words in (*offer.says, pool)]
    out += [GAP, Block(styled("Weights of this paper", "bold"))]
    for key, share in quotas(offer.blueprint.weights(), 100).items():  # whole per cent that sum to 100
        title = offer.blueprint.objectives[key].title
        out.append(hanging(line(f"{key}  {title}"), styled(f"{share:>4} %  ", "$right")))
    return out


def not_offered(offers: Sequence[Offer]) -> list[Block]:
    return [
        hanging(
            line(f"No mock exam of {one.blueprint.title}: {one.blueprint.covers}", "$muted"), styled("· ", "$muted")
        )
        for one in offers
    ]


def rules(offer: Offer, count: int) -> list[Block]:
    """The page before the clock starts."""
    minutes = offer.blueprint.minutes_for(count)
    kinds = "all kinds of question" if offer.choice_only else "choice questions only"
    told = (
        f"{counted(count, 'question')}, {counted(minutes, 'minute')}: about {minutes * 60 / count:.0f} seconds each.",
        *(["Choice questions only, with one or several right options."] if offer.choice_only else []),
        "Nothing is shown about right and wrong before you hand in.",
        "An unanswered question counts as wrong, and a wrong answer costs no more than that: answer every one.",
        "The clock goes on when you leave, close the program or put the computer to sleep. "
        "Every answer is kept; you can come back until the time is over.",
        "Flag what you want to see again, strike out what you exclude, hide the clock if it disturbs you.",
    )
    out = [Block(line(offer.blueprint.title, "bold")), GAP]
    out += [hanging(styled(words), "· ") for words in told]
    other = f" k for {kinds}," * offer.mixed
    out += [GAP, Block(styled(f"Press y to start the clock,{other} q to go back.", "bold $right")), GAP]
    return out + [hanging(line(words, "$muted"), styled("· ", "$muted")) for words in offer.says]


def standing(sitting: Sitting) -> str:
    """How many are answered whole, and how many in part: the same words everywhere."""
    total, partly = len(sitting.replies), len(sitting.incomplete)
    parts = f", {partly} with a part missing" if partly else ""
    return f"{total - len(sitting.unanswered) - partly} of {total} answered{parts}"


def running(desk: Desk) -> list[Block]:
    sitting = desk.sitting
    words = f"{standing(sitting)}; {clock(sitting.timer.left_s)} left, and the clock goes on."
    return [
        Block(styled("A mock exam is running", "bold $wrong")),
        Block(line(desk.title)),
        Block(styled(words)),
        Block(styled("Press Enter to go on with it.", "bold $right")),
    ]


def past_row(past: Past, marked: bool, zone: tzinfo) -> Block:
    """The title comes last: where the line has no room left, the next one goes on."""
    when = f"{past.started_at.astimezone(zone):%Y-%m-%d %H:%M}"
    words = styled(f"{when}   ", "$muted") + styled(f"{past.right} of {past.total}", "bold")
    words += styled(f"  {percent(past.rate)} ({percents(past.low, past.high)})", "$muted")
    if past.timed_out:
        words += styled("  time ran out", "$wrong")
    words += styled("  ") + line(past.title, "$muted")
    gutter = styled("▸ " if marked else "  ", "bold $right")
    return hanging(words, gutter, style="on $panel" if marked else "")


def trend(history: Sequence[Past]) -> list[Block]:
    """Results of the exam sat last, oldest first, with what they can and cannot say."""
    mine = [past for past in reversed(history) if past.blueprint == history[0].blueprint][-12:] if history else []
    if len(mine) < 2:
        return []
    sparks = "".join(SPARKS[min(7, int(past.rate * 8))] for past in mine)
    steps = " → ".join(percent(past.rate) for past in mine[-5:])
    apart = differ((mine[0].right, mine[0].total), (mine[-1].right, mine[-1].total))
    words = "a change beyond chance" if apart else "the change may be chance"
    return [Block(styled("trend  ", "$muted") + styled(sparks, "$right") + styled(f"  {steps}: {words}", "$muted"))]


# While it runs


def hand_in(sitting: Sitting) -> list[Block]:
    """The page before handing in: what is missing is named."""
    total, unanswered = len(sitting.replies), sitting.unanswered
    out = [Block(styled("Hand in?", "bold")), GAP]
    if unanswered:
        numbers = ", ".join(str(n + 1) for n in unanswered[:25]) + (" …" if len(unanswered) > 25 else "")
        verbs = ("is", "counts") if len(unanswered) == 1 else ("are", "count")
        what = f"{counted(len(unanswered), 'question')} {verbs[0]} unanswered and {verbs[1]} as wrong"
        out.append(Block(styled(f"! {what}: ", "bold $wrong") + numbers))
        unread = [str(n + 1) for n in unanswered if sitting.replies[n].unread]
        if unread:
            out.append(Block(styled(f"Typed there, but not to be read as an answer: {', '.join(unread)}", "$wrong")))
    elif not sitting.incomplete:
        out.append(Block(styled(f"All {total} questions are answered.")))
    for indexes, words in ((sitting.incomplete, "with a part missing"), (sitting.flagged, "flagged")):
        if indexes:
            out.append(Block(styled(f"{len(indexes)} {words}: {', '.join(str(n + 1) for n in indexes[:25])}")))
    left = clock(sitting.timer.left_s)
    out += [GAP, Block(styled(f"{left} left. Afterwards nothing can be changed.", "$muted")), GAP]
    keys = "Press y to hand in, u for the next unanswered one, q to go back."
    return [*out, Block(styled(keys, "bold $right"))]


def leave(sitting: Sitting) -> list[Block]:
    return [
        Block(styled("Leave the exam?", "bold")),
        GAP,
        Block(styled(f"The clock goes on: {clock(sitting.timer.left_s)} left. Every answer is kept.")),
        Block(styled("You can come back from Mock exam until the time is over; then it is handed in as it is.")),
        GAP,
        Block(styled("Press y to leave, q to stay.", "bold $right")),
    ]


def stuck(problem: str) -> list[Block]:
    """Handing in failed; nothing is lost."""
    return [
        Block(styled("! It could not be handed in", "bold $wrong")),
        Block(plain(problem)),
        GAP,
        Block(styled("What you answered is kept as far as it was saved.", "$muted")),
        Block(styled("Press y to try again, q to leave.", "bold $right")),
    ]


# After


def result(finished: Finished, width: int) -> list[Block]:
    """`width` is the number of columns that there are."""
    told = finished.summary
    head = f"{told['right']} of {told['questions']} right, {percent(told['rate'])}"
    span = f"range {percents(told['low'], told['high'])} ({percent(told['interval'])} interval)"
    out = [Block(styled(head, "bold $right") + styled(f"   {span}", "$muted"))]
    if told["timed_out"]:
        out.append(Block(styled("! Time ran out; what was answered by then was handed in.", "$wrong")))
    if told["unanswered"]:
        out.append(Block(styled(f"{told['unanswered']} unanswered, counted as wrong.")))
    if told["clock_moved"]:
        out.append(Block(styled("The computer's clock was moved meanwhile; the exam's time was not.", "$muted")))
    if told["pass_mark"] == "undisclosed":
        scale = "The vendor publishes neither pass mark nor scale, so there is no verdict here and no scaled score."
        out.append(Block(styled(scale, "$muted")))
    out.append(Block(styled("One paper says little: look at the range, and at two papers in a row.", "$muted")))
    taken = f"Time taken {clock(told['seconds'])} of {told['minutes']}:00"
    away = f", {clock(told['away_seconds'])} of it away" if told["away_seconds"] >= 1 else ""
    out.append(Block(styled(f"{taken}{away}.", "$muted")))
    slow = sorted(told["items"], key=lambda item: -item["seconds"])[:3]
    spent = [f"question {item['number']} ({clock(item['seconds'])})" for item in slow if item["seconds"] >= 1]
    if spent:
        out.append(Block(styled(f"Longest on {', '.join(spent)}.", "$muted")))
    for title, key in (("By domain", "by_domain"), ("By objective", "by_objective"), ("By style", "by_style")):
        out += [GAP, Block(styled(title, "bold")), *_shares(told[key], key == "by_objective", width)]
    out += _beliefs(told["misconceptions"]) + _changes(told["changed"])
    if finished.changed_since:
        since = len(finished.changed_since)
        have = "has" if since == 1 else "have"
        out += [GAP, Block(styled(f"{since} of these questions {have} changed since.", "$muted"))]
    return out


def _shares(shares: Mapping[str, Any], named: bool, width: int) -> list[Block]:
    """The weakest first; objectives with their names. Where a name would break in the middle, names get own lines."""
    rows: list[tuple[Content, Content]] = []
    for key, share in sorted(shares.items(), key=lambda pair: (pair[1]["rate"], pair[0])):
        full = round(share["rate"] * BAR)
        bar = styled("█" * full, "$right") + styled("░" * (BAR - full), "$muted")
        words = styled(
            f" {share['right']:>2} of {share['total']:<2}  {percents(share['low'], share['high']):>8}  ", "$muted"
        )
        rows.append((bar + words, line(f"{key} " * named + (share["title"] or "other"))))
    longest = max((len(word) for _, label in rows for word in label.plain.split()), default=0)
    if longest <= width - max((bar.cell_length for bar, _ in rows), default=0):
        return [hanging(label, bar) for bar, label in rows]
    return [block for bar, label in rows for block in (Block(label), Block(bar))]


def _beliefs(found: Sequence[Mapping[str, Any]]) -> list[Block]:
    if not found:
        return []
    out = [GAP, Block(styled("Beliefs that misled you", "bold"))]
    return out + [hanging(line(one["name"]), styled(f"{one['times']:>3}× ", "$wrong")) for one in found[:8]]


def _changes(changed: Mapping[str, int]) -> list[Block]:
    if not any(changed.values()):
        return []
    words = (
        f"Answers changed: {changed['to right']} to right, {changed['to wrong']} to wrong, "
        f"{changed['wrong to wrong']} from wrong to wrong."
    )
    return [GAP, Block(styled(words, "$muted"))]


def review_head(item: Mapping[str, Any], typed: bool, changed_since: bool) -> list[Block]:
    """One line on how an item went."""
    verdict = "right" if item["correct"] else "wrong" if item["answered"] else "not answered, counted as wrong"
    words = styled(f"{'✓' if item['correct'] else '✗'} {verdict}", "bold $right" if item["correct"] else "bold $wrong")
    words += styled(f"   {clock(item['seconds'])} on it", "$muted")
    if typed and item["answered"]:
        words += styled(" · you typed ", "$muted") + line(item["response"])
    if item.get("unread"):
        words += styled(" · you typed ", "$muted") + line(one_line(item["unread"], 40))
        words += styled(", which cannot be read", "$muted")
    if item["changed"]:
        words += styled(f" · changed {item['changed']}", "$muted")
    if item["flagged"]:
        words += styled(" · ! flagged", "$wrong")
    if changed_since:
        words += styled(" · the bank has changed this question since", "$wrong")
    return [Block(words)]


def started(when: datetime, zone: tzinfo) -> str:
    return f"{when.astimezone(zone):%Y-%m-%d %H:%M}"
