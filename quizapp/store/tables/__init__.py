"""The tables, one small module an idea. A migration in `store/migrations/versions` makes each of them."""

from quizapp.store.tables.cards import CardRow, Daily
from quizapp.store.tables.exam import SittingRow
from quizapp.store.tables.lab import LabEvent, LabFollowup, LabRow
from quizapp.store.tables.log import Action, Review, SchedulerRow, Undo
from quizapp.store.tables.rollup import Rollup
from quizapp.store.tables.setting import SettingRow

__all__ = [
    "Action",
    "CardRow",
    "Daily",
    "LabEvent",
    "LabFollowup",
    "LabRow",
    "Review",
    "Rollup",
    "SchedulerRow",
    "SettingRow",
    "SittingRow",
    "Undo",
]
