"""`quizapp study --plain`: the second front end, line by line, for screen readers, pipes and dumb terminals.

No colours, no boxes, no cursor moves, no wrapping: one thing a line, and the terminal or the reader does the rest.
"""
