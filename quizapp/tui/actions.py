"""Every key of the app, in one table.

The table feeds the bindings of the screens, the footer, the `?` help, the command palette and `docs/keys.md`, so none
of them can drift from the others. An action is available where one of its places (`where`) is active: a screen names
its active places, and `study.ask` also covers `study.ask.choice`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from textual.binding import Binding, BindingType

from quizapp.tui.exam_actions import EXAM_ROWS
from quizapp.tui.lab_actions import LAB_ROWS
from quizapp.tui.modes import MODES
from quizapp.tui.progress_actions import PROGRESS_ROWS


@dataclass(frozen=True, slots=True)
class Action:
    """`call` is the Textual action; `{key}` in it stands for the key pressed. `footer` 1 is shown first, 0 never."""

    id: str
    keys: str
    words: str
    where: str
    group: str
    call: str
    footer: int = 0
    short: str = ""
    palette: bool = True

    @property
    def fixed(self) -> bool:
        """Keys that carry a meaning of their own (digits) cannot be remapped."""
        return "{key}" in self.call

    def active(self, places: Collection[str]) -> bool:
        return any(
            mine == "all" or place == mine or place.startswith(f"{mine}.")
            for mine in self.where.split()
            for place in places
        )


class Hint(NamedTuple):
    """A key in the footer. `always` keeps its room however narrow the line is."""

    key: str
    words: str
    call: str
    always: bool = False


NINE = "1,2,3,4,5,6,7,8,9"
BACK = "study.ask study.verdict study.over study.wait study.changed progress "
BACK += "browse settings help exam practice drill result review"
LAST = 90
"""From here on a footer hint stands at the end and always has its room."""
CHOICE = "study.ask.choice sitting.ask.choice"
ORDER = "study.ask.order sitting.ask.order"
MATCH = "study.ask.match sitting.ask.match"
LISTS = f"home browse settings exam.choose practice {CHOICE} {ORDER} {MATCH}"
SCROLLED = "study.verdict study.ask.entry sitting.ask.entry drill help result review progress.page"

ACTIONS: tuple[Action, ...] = (
    # Answering
    Action("choose", NINE, "Choose, or tick, the option with this number", CHOICE, "Answer",
           "choose({key})", palette=False),
    Action("place", NINE, "Move the marked item to this place", ORDER, "Answer",
           "choose({key})", palette=False),
    Action("pair", NINE, "Give the marked left side this partner", MATCH, "Answer",
           "choose({key})", palette=False),
    Action("toggle", "space", "Choose or tick the marked option", CHOICE, "Answer", "toggle", 6, "mark"),
    Action("lift", "space", "Pick the marked item up, or put it down", ORDER, "Answer", "toggle", 3, "pick up"),
    Action("item-up", "K,shift+up", "Move the marked item up", ORDER, "Answer", "shift(-1)"),
    Action("item-down", "J,shift+down", "Move the marked item down", ORDER, "Answer", "shift(1)", 4, "move item"),
    Action("sure", "enter", "Answer, and say: I am sure", "study.ask", "Answer", "submit('sure')"),
    Action("unsure", "u", "Answer, and say: I am unsure", "study.ready", "Answer", "submit('unsure')"),
    Action("guess", "g", "Answer, and say: it is a guess", "study.ready", "Answer", "submit('guess')"),
    Action("blank", "0", "Answer: I don't know", "study.ask.choice study.ask.order study.ask.match", "Answer",
           "blank", 3, "don't know"),
    Action("leave-box", "escape,tab", "Leave the answer box, so that letters are keys again",
           "study.box sitting.box", "Answer", "leave_box", LAST + 1,
           "other keys", palette=False),
    Action("edit", "e,tab", "Back to the answer box", "study.ask.entry sitting.ask.entry", "Answer", "edit", 3, "edit"),
    # After the answer
    Action("next", "enter,space,right", "Next question", "study.verdict", "After the answer", "next", 1, "next"),
    Action("again", "1", "Rate it Again", "study.verdict.now", "After the answer", "rate(1)", palette=False),
    Action("hard", "2", "Rate it Hard", "study.verdict.now", "After the answer", "rate(2)", palette=False),
    Action("good", "3", "Rate it Good", "study.verdict.now", "After the answer", "rate(3)", palette=False),
    Action("easy", "4", "Rate it Easy", "study.verdict.now", "After the answer", "rate(4)", palette=False),
    Action("previous", "left", "Look back at the question before", "study.history", "After the answer", "previous",
           5, "look back"),
    Action("undo", "z", "Take back the last answer, bury or suspension",
           "study.ask study.verdict study.over drill.over", "After the answer", "undo", 4, "undo"),
    # The key was changed by an author
    Action("keep-progress", "k,enter", "Keep what you have learnt of this question", "study.changed", "Study",
           "settle(True)", 1, "keep progress"),
    Action("begin-again", "n", "Begin again with this question, as if it were new", "study.changed", "Study",
           "settle(False)", 2, "begin again"),
    # About this question
    Action("flag", "f", "Flag the question as doubtful, or take the flag off", "study.ask study.verdict browse",
           "This question", "flag", 6, "flag"),
    Action("note", "n", "Write a note to the question", "study.ask study.verdict browse", "This question", "note",
           7, "note"),
    Action("suspend", "s", "Suspend it: never ask again until you bring it back", "study.ask study.verdict browse",
           "This question", "suspend", 8, "suspend"),
    Action("bury", "b", "Bury it: not again today", "study.ask study.verdict browse", "This question", "bury", 9,
           "bury"),
    Action("copy", "y", "Copy the question as text", "study.ask study.verdict browse", "This question", "copy", 9,
           "copy"),
    # Over
    Action("more", "m,enter", "Go on studying", "study.over.more", "Study", "more", 1, "go on"),
    Action("home", "enter,h", "Back to Home", "study.over.done", "Study", "back", 1, "home", palette=False),
    *(
        Action(f"to-{room.lower()}", "enter", f"Back to {room}", f"drill.over.{room.lower()}", "Practice", "back", 1,
               room, palette=False)
        for room in ("Practice", "Progress", "Result")
    ),
    # Home
    *(
        Action(f"open-{m.id}", m.key, f"Open {m.title}: {m.words}", "home", "Rooms", f"open_mode('{m.id}')")
        for m in MODES
    ),
    Action("timed", "m", "Study for your minutes a day, then stop", "home", "Rooms", "timed", 3, "timed study"),
    Action("todays-plan", "d", "Today's plan towards the exam", "home.exam", "Rooms", "plan", 2, "today's plan"),
    Action("enter-room", "enter", "Open the marked room", "home", "Rooms", "open", 4, "open", palette=False),
    Action("retry", "r", "Try to open the store again", "home.failed", "Rooms", "retry", 1, "try again"),
    # Browse
    Action("search", "slash", "Search the bank", "browse", "Browse", "search", 2, "search"),
    Action("filter", "v", "Next filter: all, due, in learning, new, flagged, suspended, leeches", "browse", "Browse",
           "filter", 3, "filter"),
    Action("topic", "t", "Next topic", "browse", "Browse", "topic", 4, "topic"),
    Action("key", "a,enter", "Show or hide the answer", "browse", "Browse", "key", 1, "answer"),
    Action("close-search", "escape,enter,tab,down", "From the search box to the list", "box.browse", "Browse",
           "close_box", LAST + 1, "to the list",
           palette=False),
    Action("read", "enter", "Read what the box says", "study.box", "Answer", "read", 1, "answer", palette=False),
    *(Action(*row) for row in LAB_ROWS),
    # Settings and forms
    Action("change", "enter,space", "Change the marked setting", "settings", "Settings", "change", 1, "change"),
    Action("keep", "enter", "Keep what the box says", "box.settings", "Settings", "close_box", 1, "keep",
           palette=False),
    Action("drop", "escape,tab", "Close the box without a change", "box.settings box.note", "Settings", "drop_box",
           LAST + 1, "close",
           palette=False),
    Action("welcome-next", "enter,down,tab", "Keep this and go on", "welcome", "Welcome", "forward", 1,
           "keep and go on",
           palette=False),
    Action("welcome-skip", "escape,ctrl+t", "Keep all guesses", "welcome", "Welcome", "skip", LAST + 1, "keep all",
           palette=False),
    Action("welcome-change", "space,right", "Another one", "welcome.choice", "Welcome", "change", 2, "another",
           palette=False),
    Action("welcome-back", "up,shift+tab", "One step up", "welcome", "Welcome", "backward", 2, "one up", palette=False),
    Action("keep-note", "enter", "Keep the note", "box.note", "This question", "keep_note", 1, "keep", palette=False),
    # Mock exam and practice
    *(Action(*row) for row in EXAM_ROWS),
    *(Action(*row) for row in PROGRESS_ROWS),
    # Moving
    Action("up", "up,k", "Up", LISTS, "Move", "move(-1)", palette=False),
    Action("down", "down,j", "Down", LISTS, "Move", "move(1)", palette=False),
    Action("item-next", "right", "Next item", "browse", "Move", "move(1)", palette=False),
    Action("item-previous", "left", "Item before", "browse", "Move", "move(-1)", palette=False),
    Action("top", "home", "To the top", "browse settings", "Move", "move(-100000)", palette=False),
    Action("bottom", "end", "To the bottom", "browse settings", "Move", "move(100000)", palette=False),
    Action("scroll-up", "up,k", "Scroll up", SCROLLED, "Move", "scroll_body(-1)",
           palette=False),
    Action("scroll-down", "down,j", "Scroll down", SCROLLED, "Move", "scroll_body(1)",
           2, "more", palette=False),
    Action("page-up", "pageup", "A page up", "all", "Move", "scroll_body(-10)", palette=False),
    Action("page-down", "pagedown", "A page down", "all", "Move", "scroll_body(10)", palette=False),
    # Everywhere
    Action("back", "q,backspace,escape", "Back", BACK, "Everywhere", "back", LAST + 1, "back"),
    Action("leave", "q", "Quit", "home", "Everywhere", "app.leave", LAST + 1, "quit", palette=False),
    Action("help", "question_mark,f1", "Keys of this screen", "all", "Everywhere", "app.help", LAST, "keys"),
    Action("palette", "ctrl+p", "Command palette", "all", "Everywhere", "app.command_palette", palette=False),
    Action("theme", "f2", "Light or dark", "all", "Everywhere", "app.switch_theme"),
    Action("quit", "ctrl+q", "Quit", "all", "Everywhere", "app.leave"),
    Action("interrupt", "ctrl+c", "Copy the selected text, or quit", "all", "Everywhere", "app.interrupt",
           palette=False),
)  # fmt: skip

BESIDE = {"study.ready": "study.ask", "lab.hints": "lab", "lab.still": "lab"}
"""Places that are active together with others of their screen."""
BY_ID = {action.id: action for action in ACTIONS}

LABELS = {
    "enter": "Enter", "space": "Space", "tab": "Tab", "backspace": "Bksp", "escape": "Esc", "home": "Home",
    "end": "End", "pageup": "PgUp", "pagedown": "PgDn", "slash": "/", "question_mark": "?",
    "up": "↑", "down": "↓", "left": "←", "right": "→",
}  # fmt: skip


def label(key: str) -> str:
    """A key as people write it: `ctrl+q` → `Ctrl+Q`."""
    *held, last = key.split("+")
    shown = LABELS.get(last, last.upper() if held or (last[0] == "f" and last[1:].isdigit()) else last)
    return "+".join([*(word.capitalize() for word in held), shown])


def keys_of(action: Action, keymap: Mapping[str, str]) -> list[str]:
    return (keymap.get(action.id) or action.keys).split(",")


def key_words(action: Action, keymap: Mapping[str, str], typing: bool = False) -> str:
    """All keys of an action, for help and docs: `q Bksp Esc`, `1–9`. In a box only those that are no text."""
    if action.keys == NINE:
        return "1–9"
    labels = [label(key) for key in keys_of(action, keymap)]
    return " ".join(one for one in labels if not typing or len(one) > 1 or one in "↑↓←→")


def bindings(where: Iterable[str]) -> list[BindingType]:
    """Bindings for a screen whose places start with any of `where`; `check_action` then decides what is active.

    A key runs its row (`act('name')`), not the row's call: another row with the same call must not let it through.
    """
    roots = tuple(where)
    out: list[BindingType] = []
    for action in ACTIONS:
        if not any(
            mine == "all" or mine == root or mine.startswith(f"{root}.")
            for mine in action.where.split()
            for root in roots
        ):
            continue
        if action.fixed:
            out += [
                Binding(key, f"act('{action.id}', '{key}')", action.words, show=False) for key in action.keys.split(",")
            ]
        else:
            out.append(Binding(action.keys, f"act('{action.id}')", action.words, show=False, id=action.id))
    return out


def allowed(name: str, parameters: tuple[object, ...], places: Collection[str]) -> bool | None:
    """Whether a Textual action may run now: None when the table does not know it."""
    mine = [a for a in ACTIONS if _matches(a.call, name, parameters)]
    return any(a.active(places) for a in mine) if mine else None


def _matches(call: str, name: str, parameters: tuple[object, ...]) -> bool:
    called, _, rest = call.removeprefix("app.").partition("(")
    if called != name:
        return False
    return "{key}" in rest or rest.rstrip(")") == ", ".join(repr(p) for p in parameters)


def hints(places: Collection[str], keymap: Mapping[str, str]) -> list[Hint]:
    """What the footer may show, most needed first."""
    shown = sorted((a for a in ACTIONS if a.footer and a.active(places)), key=lambda a: a.footer)
    typing = any("box" in place or place == "welcome" for place in places)
    return [Hint(_shown_key(a, keymap, typing), a.short or a.words, a.call, a.footer >= LAST) for a in shown]


def _shown_key(action: Action, keymap: Mapping[str, str], typing: bool) -> str:
    """The first key; while a box takes what is typed, the first that is not a character."""
    labels = [label(key) for key in keys_of(action, keymap)]
    return next((one for one in labels if len(one) > 1), labels[0]) if typing else labels[0]


def by_group(places: Collection[str] | None = None) -> dict[str, list[Action]]:
    """Actions under their group headings; with `places` only the ones that may become active on that screen."""
    out: dict[str, list[Action]] = {}
    for action in ACTIONS:
        if places is None or action.active(places):
            out.setdefault(action.group, []).append(action)
    return out


def keymap_problems(keymap: Mapping[str, str]) -> list[str]:
    """What is wrong with a person's own keys, one sentence each."""
    out = []
    for name in keymap:
        if name not in BY_ID:
            out.append(f"keys: there is no action '{name}'; `docs/keys.md` lists them")
        elif BY_ID[name].fixed:
            out.append(f"keys: '{name}' is bound to digits and cannot be changed; remove it")
    for one in ACTIONS:
        for other in ACTIONS:
            if one.id < other.id and (one.id in keymap or other.id in keymap) and _together(one, other):
                for key in set(keys_of(one, keymap)) & set(keys_of(other, keymap)):
                    out.append(
                        f"keys: '{label(key)}' would mean both '{one.id}' and '{other.id}'; give one another key"
                    )
    return out


def _together(one: Action, other: Action) -> bool:
    """Whether two actions can be active at the same time."""
    return any(
        "all" in (a, b) or a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.")
        for a in _everywhere(one)
        for b in _everywhere(other)
    )


def _everywhere(action: Action) -> list[str]:
    """Its places, those that go with every other place of a screen named as the whole screen."""
    return [BESIDE.get(place, place) for place in action.where.split()]


def clashes() -> list[tuple[str, str, str]]:
    """Keys that two actions share in one place: (key, action id, action id). Must be empty."""
    return [
        (key, one.id, other.id)
        for one in ACTIONS
        for other in ACTIONS
        if one.id < other.id and _together(one, other)
        for key in set(one.keys.split(",")) & set(other.keys.split(","))
    ]


def document() -> str:
    """`docs/keys.md`."""
    rows = ["# Keys", "", "Made from the table in `quizapp/tui/actions.py`; do not edit by hand.", ""]
    rows += ["Digits choose, Space marks, Enter answers or opens, `q` and Backspace go back, ← and → move between"]
    rows += ["items. `?` shows the keys of the screen you are on.", ""]
    rows += ["To have other keys, open Settings, Own keys, and write names and keys, for example"]
    rows += ["`flag=m; undo=ctrl+z,z`. The names are in the last column; keys that clash are refused.", ""]
    for group, actions in by_group().items():
        rows += [f"## {group}", "", "| keys | what it does | where | name |", "|---|---|---|---|"]
        rows += [f"| {key_words(a, {})} | {a.words} | {a.where} | `{a.id}` |" for a in actions]
        rows.append("")
    return "\n".join(rows)
