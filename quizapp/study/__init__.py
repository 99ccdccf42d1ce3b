"""The use cases, one transaction each: the only room that brings bank, memory, exam and store together."""

from quizapp.store.errors import Conflict, Damaged, ReadOnly, StoreError
from quizapp.study.study import Study
from quizapp.study.values import (
    BrowseRow,
    Card,
    CardInfo,
    Counts,
    Filter,
    HomeView,
    Outcome,
    PastReview,
    Remaining,
    Stats,
    Undone,
)

__all__ = [
    "BrowseRow", "Card", "CardInfo", "Conflict", "Counts", "Damaged", "Filter", "HomeView", "Outcome", "PastReview",
    "ReadOnly", "Remaining", "Stats", "StoreError", "Study", "Undone",
]  # fmt: skip
