"""The first two pages of Progress, about the exam: would she pass, and today's plan. No rules, only words."""

from __future__ import annotations

from datetime import date
from typing import Any

from textual.content import Content

from quizapp.progress.words import TIME_WORDS, exam_words, flatter_words, limit_words, target_words, when_words
from quizapp.text import counted, percent
from quizapp.tui.screens.progress_blocks import Marks, bar_room, drawn, faint, head
from quizapp.tui.screens.progress_drills import STEPS_SHOWN
from quizapp.tui.text import GAP, Block, line, styled
from quizapp.tui.widgets import charts

STEP_WORDS = {"learn": "new to learn", "review": "faded to review"}


def readiness(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    ready, evidence = found["readiness"], found["readiness"]["evidence"]
    room = max(20, min(60, width - len("  100 %")))
    marks = Marks(marked)
    out = [
        Block(line(ready["title"], "bold")),
        drawn(charts.scale(ready["low"], ready["middle"], ready["high"], room) + styled("  100 %", "$muted")),
        Block(
            styled(f"{percent(ready['low'])} to {percent(ready['high'])}", "bold $right")
            + styled(f" {when_words(found['exam'])}, with 90 % confidence.")
        ),
    ]
    one = ready["one_exam"]
    out.append(faint(f"One exam of {one['questions']} questions: {percent(one['low'])} to {percent(one['high'])}."))
    if ready["target"]:
        out.append(Block(styled(target_words(ready), "bold")))
    if words := flatter_words(evidence):
        out.append(Block(styled(words, "$wrong")))
    later = ready["without_study_until_exam"]
    if later:
        day = date.fromisoformat(later["date"])
        out.append(
            faint(f"If you stopped studying until {day:%d %b}: {percent(later['low'])} to {percent(later['high'])}.")
        )
    elif words := found["exam"] and exam_words(found["exam"]):
        out.append(Block(styled(words, "bold")))
    out.append(faint(TIME_WORDS))
    if ready["pass_mark"] == "undisclosed":
        out.append(faint("The vendor publishes no pass mark, so nobody can say 'passed' from this."))
    if ready["covers"]:
        out.append(Block(line(ready["covers"], "$muted")))
    out += [GAP, head("What would raise it most")]
    if len(ready["raise"]) > 1:
        out.append(
            faint("A question of several objectives is counted in the first of these only; a drill has it in each.")
        )
    for number, step in enumerate(ready["raise"][:STEPS_SHOWN], 1):
        out += marks.row(_step(step), f"{number}  ")
    if not ready["raise"]:
        out.append(faint("Nothing much: keep what is due under way."))
    out += [GAP, head("By objective")]
    for row in ready["objectives"]:
        figure = styled(f" {percent(row['score']):>5}") + styled(f"  weight {percent(row['weight']):>4}  ", "$muted")
        title = line(f"{row['id']} {row['title']}", "$muted")
        out += marks.row(title, charts.bar(row["score"], bar_room(width)) + figure, width)
    out += [GAP, head("Evidence")]
    out += [faint(words) for words in evidence_words(evidence)]
    return out


def evidence_words(evidence: dict[str, Any]) -> list[str]:
    """One sentence each."""
    out = [
        f"{evidence['seen']:,} of {counted(evidence['questions'], 'question')} answered at least once, "
        f"{evidence['studied']:,} of them studied."
    ]
    if evidence["seen"] > evidence["studied"]:
        out.append("A new card's answer in a mock exam is a first answer, but studies nothing: the card stays new.")
    first, later = evidence["first_answers"], evidence["later_answers"]
    if first:
        share = percent(evidence["first_right"] / first)
        out.append(f"{counted(first, 'first answer')}, {share} right: stands for what you have not seen.")
    if later:
        share = percent(evidence["later_right"] / later)
        out.append(f"{counted(later, 'answer')} a day or more later, {share} right: stands for what you remember.")
        out.append("Those are all cards met on an earlier day, in learning too; Retention has those in review only.")
        out.append(f"You remember {evidence['memory_factor']:.2f} times as long as the scheduler assumes.")
    if not first and not later:
        out.append("No answers yet: the range is what anyone could have.")
    return [*out, mock_words(evidence)]


def mock_words(evidence: dict[str, Any]) -> str:
    if not evidence["mock_exams"]:
        return "No mock exam of this exam yet."
    best = f"{percent(evidence['best_mock'])} of {counted(evidence['best_mock_questions'], 'question')}"
    return f"{counted(evidence['mock_exams'], 'mock exam')} of this exam; best {best}."


def _step(step: dict[str, Any]) -> Content:
    what = f"{step['questions']:,} {STEP_WORDS[step['what']]}"
    gain = f"+{step['gain'] * 100:.1f} points, about {counted(step['minutes'], 'minute')}"
    name = step["objective"] if step["title"] == step["objective"] else f"{step['objective']} {step['title']}"
    return line(f"{name}: {what}") + styled(f"  {gain}", "$muted")


def plan(found: dict[str, Any], width: int, marked: int) -> list[Block]:
    if "plan" not in found:
        return [faint("Working the plan out …")]
    told = found["plan"]
    if told is None:
        exam = found["exam"]
        if exam and exam["days"] == 0:
            return [
                head(exam_words(exam)),
                faint("No plan is made for the day itself: no answer can come again before."),
            ]
        another = "the next date" if exam else "its date"
        then = f"Set {another} in Settings (t on Home): then every day has a plan that aims at that day."
        return [head(exam_words(exam)), faint(then)]
    work = told["workload"]
    day = date.fromisoformat(told["exam"])
    out = [
        Block(line(told["title"], "bold")),
        head(f"{counted(told['days'], 'day')} to the exam on {day:%a %d %b}" + f" {day.year}" * (told["days"] > 300)),
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
    about = "about " if work["sampled"] else ""
    sums = f"{about}{counted(new, 'new question')} and {counted(reviews, 'review')}, if you remember as FSRS expects."
    out.append(faint(sums[0].upper() + sums[1:]))
    out.append(faint(f"On the day: {percent(work['recall_at_exam'])} of what you have seen would be recalled."))
    if work["unseen_at_exam"]:
        short = (
            f"{about}{counted(work['unseen_at_exam'], 'question')} would still be new: more minutes a day would help."
        )
        out.append(Block(styled(short[0].upper() + short[1:], "$wrong")))
    if work["sampled"]:
        out.append(faint("About: these days are foreseen for a sample of the questions, and scaled."))
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
    if words := limit_words(told):
        out.append(Block(styled(words, "$wrong")))
    if told["learning_later"]:
        ahead = told["next_learning_minutes"]
        when = counted(ahead, "minute") if ahead < 90 else f"{ahead / 60:.0f} hours"
        out.append(faint(f"{told['learning_later']:,} in learning come back later, the first in {when}."))
    if told["questions"]:
        out.append(faint("Enter starts it: what raises the expected score most for its minute comes first."))
    if told["blueprint"]:
        out.append(faint("Only questions of this exam are in it, as many as its minutes take; Home counts all."))
    return out
