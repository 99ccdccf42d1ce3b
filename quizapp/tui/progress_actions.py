"""The keys of Progress: rows of the one action table (`quizapp.tui.actions.Action`)."""

from __future__ import annotations

WHERE, ROWS, PLAN = "progress", "progress.rows", "progress.plan"
GROUP = "Progress"

PROGRESS_ROWS: tuple[tuple[str, str, str, str, str, str, int, str, bool], ...] = (
    ("page-next", "right,n", "Next page", WHERE, GROUP, "turn(1)", 1, "next page", True),
    ("page-previous", "left,p", "Page before", WHERE, GROUP, "turn(-1)", 3, "page before", True),
    ("page-number", "1,2,3,4,5,6,7,8,9", "The page with this number", WHERE, GROUP, "page({key})", 0, "", False),
    ("follow-plan", "enter", "Start today's plan", PLAN, GROUP, "follow", 2, "start", True),
    (
        "drill-row",
        "d,enter",
        "Practise the questions of the marked step, objective, topic or belief",
        ROWS,
        GROUP,
        "drill",
        2,
        "drill",
        True,
    ),
    ("row-up", "up,k", "Up", ROWS, GROUP, "move(-1)", 0, "", False),
    ("row-down", "down,j", "Down", ROWS, GROUP, "move(1)", 0, "", False),
)
