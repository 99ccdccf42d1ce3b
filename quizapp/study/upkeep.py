"""The backup that each day of study leaves behind."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from quizapp.memory.day import StudyDays
from quizapp.store.backup import list_backups, make_backup
from quizapp.store.location import Location


def backup_of_the_day(location: Location, now: datetime, days: StudyDays) -> Path | None:
    """Makes a backup unless this study day has one already. Raises StoreError when it cannot be written."""
    today = days.day_of(now)
    for backup in list_backups(location):
        made = datetime.strptime(backup.made, "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
        if backup.reason == "daily" and days.day_of(made) == today:
            return None
    return make_backup(location, now, "daily")
