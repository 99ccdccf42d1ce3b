"""Adding to the rollups. Rows that come back to nothing are not kept, so that undo leaves no trace."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

Key = tuple[str, str, int]
"""(kind, key, day)."""
Tally = tuple[int, int]
"""(count, hits)."""

_ADD = (
    "INSERT INTO rollup (kind, key, day, count, hits) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (kind, key, day) DO UPDATE SET count = count + excluded.count, hits = hits + excluded.hits"
)
_DROP = "DELETE FROM rollup WHERE kind = ? AND key = ? AND day = ? AND count = 0"


def add_tallies(connection: sqlite3.Connection, tallies: Mapping[Key, Tally], sign: int = 1) -> None:
    """Adds a review's tallies or, with sign -1, takes them back."""
    connection.executemany(_ADD, [(*key, sign * count, sign * hits) for key, (count, hits) in tallies.items()])
    if sign < 0:
        connection.executemany(_DROP, tallies)


def replace_all(connection: sqlite3.Connection, tallies: Mapping[Key, Tally]) -> None:
    connection.execute("DELETE FROM rollup")
    add_tallies(connection, tallies)


def all_tallies(connection: sqlite3.Connection) -> dict[Key, Tally]:
    rows = connection.execute("SELECT kind, key, day, count, hits FROM rollup")
    return {(kind, key, day): (count, hits) for kind, key, day, count, hits in rows}


def merge(into: dict[Key, Tally], more: Iterable[tuple[Key, Tally]]) -> None:
    for key, (count, hits) in more:
        had = into.get(key, (0, 0))
        into[key] = (had[0] + count, had[1] + hits)
