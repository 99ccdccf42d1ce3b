"""The keys of the labs, as rows of the action table (`quizapp.tui.actions.Action`, field by field)."""

from __future__ import annotations

DIGITS = "1,2,3,4,5,6,7,8,9"
EVERY = "labs claims lab"

LAB_ROWS = (
    # The two lists
    ("lab-open", "enter", "Open the marked lab", "labs", "Labs", "open", 1, "open", False),
    ("claim-open", "enter", "Open a lab that measures the marked claim", "claims", "Labs", "open", 1, "its lab", False),
    ("claim-filter", "v", "Next filter: all, does not hold, answered, proved", "claims", "Labs", "filter", 3, "filter"),
    ("labs-up", "up,k", "Up", "labs claims", "Move", "move(-1)", 0, "", False),
    ("labs-down", "down,j", "Down", "labs claims", "Move", "move(1)", 0, "", False),
    ("labs-top", "home", "To the top", "labs claims", "Move", "move(-100000)", 0, "", False),
    ("labs-bottom", "end", "To the bottom", "labs claims", "Move", "move(100000)", 0, "", False),
    # Inside a lab
    ("lab-digit", DIGITS, "Choose what has this number", "lab.digits", "Lab", "digit({key})", 0, "", False),
    ("lab-retype", "e", "Type the answer again", "lab.digits", "Lab", "change_answer", 0, "", False),
    ("lab-type", "e", "Back to the answer box", "lab.type", "Lab", "type", 1, "type the answer"),
    ("lab-keep", "enter", "Keep what the box says", "box.lab", "Lab", "keep_answer", 1, "keep", False),
    ("lab-look-box", "tab", "The run, or back to the page", "box.lab.two", "Lab", "look", 2, "page or run", False),
    ("lab-tab-out", "tab", "Leave the box", "box.lab.one", "Lab", "leave_box", 0, "", False),
    ("lab-leave-box", "escape,ctrl+t", "Leave the box (Backspace in the empty box does, too): letters are keys again",
     "box.lab", "Lab", "leave_box", 91, "other keys", False),
    ("lab-run", "enter", "Run the engine", "lab.run", "Lab", "run", 1, "run"),
    ("lab-cancel", "c", "Cancel the run", "lab.running", "Lab", "cancel", 1, "cancel"),
    ("lab-next", "enter", "Go on", "lab.next", "Lab", "next", 1, "go on"),
    ("lab-fast", "f", "Fast track: predict the transfer at once", "lab.fast", "Lab", "fast", 8, "fast track"),
    ("lab-hint", "h", "The next hint", "lab.hints", "Lab", "hint", 6, "hint"),
    ("lab-reset", "x", "Begin again on new numbers", "lab.still", "Lab", "reset", 0, ""),
    ("lab-look", "v,tab", "Look at the run, or back at the page", "lab.seen", "Lab", "look", 2, "page or run"),
    # Looking at a run
    ("lab-play", "space", "Play or pause", "lab.play", "A run", "play", 3, "play"),
    ("lab-forward", "right", "A step forward", "lab.play", "A run", "seek(1)", 0, ""),
    ("lab-backward", "left", "A step back", "lab.play", "A run", "seek(-1)", 5, "step back"),
    ("lab-far-forward", "shift+right,full_stop", "Twenty steps forward", "lab.play", "A run", "seek(20)", 0, ""),
    ("lab-far-backward", "shift+left,comma", "Twenty steps back", "lab.play", "A run", "seek(-20)", 0, ""),
    ("lab-start", "home", "To the first step", "lab.play", "A run", "seek(-1000000)", 0, ""),
    ("lab-end", "end", "To the newest step", "lab.play", "A run", "seek(1000000)", 0, ""),
    ("lab-faster", "plus,equals_sign", "Play faster", "lab.play", "A run", "faster(1)", 0, ""),
    ("lab-slower", "minus", "Play slower", "lab.play", "A run", "faster(-1)", 0, ""),
    ("lab-zoom", "z", "The whole run, or one column a step", "lab.play", "A run", "zoom", 7, "zoom"),
    ("lab-other", "n", "The next run of this lab", "lab.play", "A run", "other_run", 7, "next run"),
    # Moving
    ("lab-up", "up,k", "Scroll up", "lab box.lab", "Move", "scroll_body(-1)", 0, "", False),
    ("lab-down", "down,j", "Scroll down", "lab box.lab", "Move", "scroll_body(1)", 4, "more", False),
    ("lab-back", "q,backspace,escape", "Back", EVERY, "Everywhere", "back", 91, "back"),
    # From a question
    ("prove", "p", "Open the lab that measures this", "study.proof", "After the answer", "prove", 3, "prove it"),
)  # fmt: skip
