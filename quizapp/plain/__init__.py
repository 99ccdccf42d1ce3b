"""`quizapp study --plain`: the second front end, line by line, for screen readers, pipes and dumb terminals.

No colours, no boxes, no cursor moves: one thing a line. On a terminal long lines are wrapped at words, in a pipe never.
"""
