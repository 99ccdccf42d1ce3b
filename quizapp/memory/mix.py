"""How new cards are spread among the day's reviews."""

from __future__ import annotations


def new_comes_first(new_done: int, new_left: int, due_done: int, due_left: int) -> bool:
    """Whether a new card is next: both kinds are used up at the same pace, reviews first.

    `done` are today's answers of a kind and `left` what is still to come within the limits.
    """
    if new_left == 0:
        return False
    if due_left == 0:
        return True
    # share of new cards done < share of reviews done, without division
    return new_done * (due_done + due_left) < due_done * (new_done + new_left)
