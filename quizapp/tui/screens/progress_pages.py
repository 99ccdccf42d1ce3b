"""The pages of Progress: from the plain values of `quizapp.study.progress` to blocks of text. No rules, only words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from textual.content import Content

from quizapp.text import percent
from quizapp.tui.text import GAP, Block, hanging, line, styled
from quizapp.tui.widgets import charts

Page = Callable[[dict[str, Any], int, int], list[Block]]
"""(what is known, width in cells, marked row) → blocks."""

PERIOD_WORDS = {"today": "today", "week": "7 days", "month": "30 days", "all": "all"}
CELL = 20
"""Room for `100 % of 450,000` and a gap."""
STEP_WORDS = {"learn": "new to learn", "review": "faded to review"}


def counted(share: float | None) -> str:
    """A share of things counted: one that is not quite nothing or not quite all does not say it is."""
    if share is not None and 0 < share <= 0.005:
        return "<1 %"
    return ">99 %" if share is not None and 0.995 <= share < 1 else percent(share)


def head(words: str) -> Block:
    return Block(styled(words, "bold"))


def faint(words: str) -> Block:
    return Block(styled(words, "$muted"))


def drawn(content: Content) -> Block:
    return Block(content, wrap=False)


def bar_room(width: int) -> int:
    """Cells of a bar that has a title beside it."""
    return 16 if width >= 90 else 8


def titled(figures: Content, title: Content, width: int) -> Block:
    """A title beside its figures, wrapped under itself where there is room for that, else cut."""
    return hanging(title, figures) if width >= 70 else Block(figures + title, wrap=False)


def plural(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def readiness(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    ready, evidence = found["readiness"], found["readiness"]["evidence"]
    room = max(20, min(60, width - 4))
    out = [
        Block(line(ready["title"], "bold")),
        drawn(charts.scale(ready["low"], ready["middle"], ready["high"], room) + styled("  100 %", "$muted")),
        Block(
            styled(f"{percent(ready['low'])} to {percent(ready['high'])}", "bold $right")
            + styled(" of the marks if the exam were today, with 90 % confidence.")
        ),
    ]
    one = ready["one_exam"]
    out.append(faint(f"One exam of {one['questions']} questions: {percent(one['low'])} to {percent(one['high'])}."))
    later = ready["without_study_until_exam"]
    if later:
        day = date.fromisoformat(later["date"])
        out.append(
            faint(f"If you stopped studying until {day:%d %b}: {percent(later['low'])} to {percent(later['high'])}.")
        )
    if ready["pass_mark"] == "undisclosed":
        out.append(faint("The vendor publishes no pass mark, so nobody can say 'passed' from this."))
    if ready["covers"]:
        out.append(Block(line(ready["covers"], "$muted")))
    out += [GAP, head("What would raise it most")]
    if len(ready["raise"]) > 1:
        out.append(faint("A question of several objectives is counted in the first of these only."))
    out += [_step(number, step) for number, step in enumerate(ready["raise"][:4], 1)]
    if not ready["raise"]:
        out.append(faint("Nothing much: keep what is due under way."))
    out += [GAP, head("By objective")]
    for row in ready["objectives"]:
        figure = styled(f" {percent(row['score']):>5}") + styled(f"  weight {percent(row['weight']):>4}  ", "$muted")
        title = line(f"{row['id']} {row['title']}", "$muted")
        out.append(titled(charts.bar(row["score"], bar_room(width)) + figure, title, width))
    out += [GAP, head("Evidence")]
    out += [faint(words) for words in evidence_words(evidence)]
    return out


def evidence_words(evidence: dict[str, Any]) -> list[str]:
    """One sentence each."""
    out = [
        f"{evidence['seen']:,} of {plural(evidence['questions'], 'question')} answered at least once, "
        f"{evidence['studied']:,} of them studied."
    ]
    if evidence["seen"] > evidence["studied"]:
        out.append("A new card's answer in a mock exam is a first answer, but studies nothing: the card stays new.")
    first, later = evidence["first_answers"], evidence["later_answers"]
    if first:
        share = percent(evidence["first_right"] / first)
        out.append(f"{plural(first, 'first answer')}, {share} right: stands for what you have not seen.")
    if later:
        share = percent(evidence["later_right"] / later)
        out.append(f"{plural(later, 'answer')} a day or more later, {share} right: stands for what you remember.")
        out.append(f"You remember {evidence['memory_factor']:.2f} times as long as the scheduler assumes.")
    if not first and not later:
        out.append("No answers yet: the range is what anyone could have.")
    return [*out, mock_words(evidence)]


def mock_words(evidence: dict[str, Any]) -> str:
    if not evidence["mock_exams"]:
        return "No mock exam of this exam yet."
    best = f"{percent(evidence['best_mock'])} of {plural(evidence['best_mock_questions'], 'question')}"
    return f"{plural(evidence['mock_exams'], 'mock exam')} of this exam; best {best}."


def _step(number: int, step: dict[str, Any]) -> Block:
    what = f"{step['questions']:,} {STEP_WORDS[step['what']]}"
    gain = f"+{step['gain'] * 100:.1f} points, about {plural(step['minutes'], 'minute')}"
    return hanging(line(f"{step['title']}: {what}") + styled(f"  {gain}", "$muted"), styled(f"{number}  ", "$right"))


def plan(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    if "plan" not in found:
        return [faint("Working the plan out …")]
    told = found["plan"]
    if told is None:
        return [
            head("No exam ahead"),
            faint("Set its date in Settings (t on Home): then every day has a plan that aims at that day."),
        ]
    work = told["workload"]
    day = date.fromisoformat(told["exam"])
    out = [
        Block(line(told["title"], "bold")),
        head(f"{plural(told['days'], 'day')} to the exam on {day:%a %d %b}" + f" {day.year}" * (told["days"] > 300)),
        *_today(told),
        GAP,
    ]
    if work is None:
        why = "The exam is too far off" if told["days"] > 300 else "There are too many questions for these minutes"
        return [*out, faint(f"{why} to foresee the days until then.")]
    out.append(head("Minutes a day until then"))
    days = work["days"][: max(7, min(60, width - 8))]
    for number, row in enumerate(charts.columns([one["minutes"] for one in days], 4, told["minutes"])):
        out.append(drawn(styled(f"{told['minutes']:>6.0f} " if number == 0 else " " * 7, "$muted") + row))
    last = date.fromisoformat(days[-1]["date"])
    out.append(drawn(styled(f"       today{' ' * max(1, len(days) - 11)}{last:%d %b}", "$muted")))
    out.append(GAP)
    new, reviews = (sum(one[key] for one in work["days"]) for key in ("new", "reviews"))
    out.append(
        faint(f"{plural(new, 'new question')} and {plural(reviews, 'review')}, if you remember as FSRS expects.")
    )
    out.append(faint(f"On the day: {percent(work['recall_at_exam'])} of what you have seen would be recalled."))
    if work["unseen_at_exam"]:
        short = f"{plural(work['unseen_at_exam'], 'question')} would still be new: more minutes a day would help."
        out.append(Block(styled(short, "$wrong")))
    return out


def _today(told: dict[str, Any]) -> list[Block]:
    """What the plan has for today, and what becomes of the minutes."""
    counts = f"{told['due']:,} due · {told['new']:,} new · {told['ahead']:,} ahead of their day"
    if told["learning"]:
        counts = f"{told['learning']:,} in learning · {counts}"
    spent = f"{told['spent']:.0f} of today's {told['minutes']:.0f} minutes spent"
    out = []
    if told["used_up"]:
        out.append(Block(styled(f"Today's plan is done: {spent}.", "bold $right")))
        out.append(Block(styled("You may go on: ") + styled(counts, "bold")))
    elif told["questions"]:
        lead = f"{spent}; now: " if told["spent"] else f"Today, in {told['minutes']:.0f} minutes: "
        out.append(Block(styled(lead) + styled(counts, "bold $right")))
    else:
        out.append(Block(styled(f"Nothing more raises the score today; {spent}.", "bold $right")))
    if told["learning_later"]:
        ahead = told["next_learning_minutes"]
        when = plural(ahead, "minute") if ahead < 90 else f"{ahead / 60:.0f} hours"
        out.append(faint(f"{told['learning_later']:,} in learning come back later, the first in {when}."))
    if told["questions"]:
        out.append(faint("Enter starts it: what raises the expected score most for its minute comes first."))
    if told["blueprint"]:
        out.append(faint("Only questions of this exam are in the plan; Home counts all."))
    return out


def calendar(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    days = {date.fromisoformat(day["date"]): day for day in found["calendar"]}
    today = date.fromisoformat(found["today"])
    weeks = max(4, min(53, width - 6))
    total = sum(day["reviews"] for day in days.values())
    out = [
        head(f"{plural(total, 'answer')} on {plural(len(days), 'day')}"),
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


def hours(minutes: float) -> str:
    return f"{minutes / 60:,.1f} hours" if minutes >= 90 else plural(round(minutes), "minute")


def retention(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    out = [
        head("True retention"),
        faint("Of cards in review that came back a day or more later, how many you still knew."),
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
    return f"{counted(share['rate'])} of {share['total']:,}" if share["total"] else "–"


def forecast(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    ahead = found["forecast"]
    days = ahead["days"][: max(7, min(30, (width - 8) // 2))]
    counts = [day["due"] for day in days]
    out = [head("Cards that come due"), faint(f"{plural(sum(counts), 'card')} in {len(days)} days.")]
    if ahead["backlog"]:
        out.append(Block(styled(f"{plural(ahead['backlog'], 'card')} waiting from days before today.", "$wrong")))
    out.append(GAP)
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
        faint(f"{plural(ahead['later'], 'card')} later. What today's answers will bring back is not in it."),
    ]
    return [*out, faint(f"From {first:%a %d %b}.")] if width > 100 else out


def mastery(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    out: list[Block] = []
    for name, rows in (("By objective", found["mastery"]["objectives"]), ("By topic", found["mastery"]["topics"])):
        seen = [f"{row['seen']:,} of {row['questions']:,}" for row in rows]
        room = 2 + max([7, *map(len, seen)])
        columns = f"{'':{bar_room(width)}}{'recall':>8}{'studied':>{room}}{'mature':>8}"
        out += [head(name), drawn(styled(columns, "$muted"))]
        for row, told in zip(rows, seen, strict=True):
            figures = styled(f"{percent(row['mastered']):>8}{told:>{room}}{row['mature']:>8,}  ", "$muted")
            title = row["id"] if row["title"] == row["id"] else f"{row['id']} {row['title']}"
            out.append(titled(charts.bar(row["mastered"], bar_room(width)) + figures, line(title), width))
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
        figures = styled(f" {counted(row['rate']):>5}") + styled(f" of {row['total']:,}", "$muted")
        bar = charts.bar(row["rate"] or 0.0, 20)
        out.append(drawn(styled(f"{row['word']:<7} {percent(row['stated']):>5} ", "$muted") + bar + figures))
        style = "$wrong" if row["verdict"] == "overconfident" else "$muted"
        out.append(Block(styled(f"{'':14}{row['verdict']}", style)))
    out.append(GAP)
    if told["brier"] is None:
        return [*out, faint("Say how sure you are when you answer, and this fills.")]
    out.append(Block(styled(f"Brier score {told['brier']:.3f}", "bold") + styled(" (0 is perfect).", "$muted")))
    constant = told["brier_constant"]
    better = "better" if told["brier"] < constant else "worse"
    out.append(faint(f"Always stating your own average would score {constant:.3f}: your words are {better} than that."))
    return out


def beliefs(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    rows = found["misconceptions"]
    out = [
        head("Wrong beliefs you chose"),
        faint("Enter or d drills the marked one: every question that turns on it."),
        GAP,
    ]
    if not rows:
        return [
            head("Wrong beliefs you chose"),
            faint("None yet: each wrong option stands for one, and it is counted here."),
        ]
    for number, row in enumerate(rows):
        mark = "▸ " if number == marked else "  "
        state = (
            styled("kept   ", "bold $wrong")
            if row["kept"]
            else styled("gone   " if not row["recent"] else "once   ", "$muted")
        )
        share = f"{counted(row['share'])} of {row['offered']:,}" if row["share"] is not None else "–"
        told = f"{row['times']:,}×, {row['recent']:,} in 30 days, {share}  "
        body = state + styled(told, "$muted") + line(row["name"], "bold" if number == marked else "")
        out.append(
            hanging(
                body, styled(mark, "bold $right"), "on $panel" if number == marked else "", f"screen.mark({number})"
            )
        )
    return out


def claims(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    told = found["claims"]
    proved = len(told["proved"])
    out = [
        head("Claims of the lessons that you proved"),
        drawn(
            charts.bar(proved / told["total"] if told["total"] else 0.0, 30) + styled(f"  {proved} of {told['total']}")
        ),
        faint(f"{plural(len(told['labs_passed']), 'lab')} passed."),
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
