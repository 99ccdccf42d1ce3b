"""Adding to the rollups and reading them. Rows that come back to nothing are not kept, so that undo leaves no trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import text
from sqlmodel import Session

Key = tuple[str, str, int]
"""(kind, key, day)."""
Tally = tuple[int, int]
"""(count, hits)."""

_ADD = text(
    "INSERT INTO rollup (kind, key, day, count, hits) VALUES (:kind, :key, :day, :count, :hits) "
    "ON CONFLICT (kind, key, day) DO UPDATE SET count = count + excluded.count, hits = hits + excluded.hits"
)
_DROP = text("DELETE FROM rollup WHERE kind = :kind AND key = :key AND day = :day AND count = 0")


def add_tallies(session: Session, tallies: Mapping[Key, Tally], sign: int = 1) -> None:
    """Adds a review's tallies or, with sign -1, takes them back."""
    if not tallies:
        return
    rows = [
        {"kind": kind, "key": key, "day": day, "count": sign * count, "hits": sign * hits}
        for (kind, key, day), (count, hits) in tallies.items()
    ]
    session.execute(_ADD, rows)
    if sign < 0:
        session.execute(_DROP, [{name: row[name] for name in ("kind", "key", "day")} for row in rows])


def replace_all(session: Session, tallies: Mapping[Key, Tally]) -> None:
    session.execute(text("DELETE FROM rollup"))
    add_tallies(session, tallies)


def all_tallies(session: Session) -> dict[Key, Tally]:
    rows = session.execute(text("SELECT kind, key, day, count, hits FROM rollup"))
    return {(kind, key, day): (count, hits) for kind, key, day, count, hits in rows}


def by_key(session: Session, kind: str, since: int = 0) -> dict[str, Tally]:
    """Sums by key over the study days from `since` on."""
    sql = "SELECT key, sum(count), sum(hits) FROM rollup WHERE kind = :kind AND day >= :since GROUP BY key"
    return {key: (count, hits) for key, count, hits in session.execute(text(sql), {"kind": kind, "since": since})}


def by_day(session: Session, kind: str) -> list[tuple[str, int, int, int]]:
    """(key, day, count, hits), oldest day first."""
    sql = "SELECT key, day, count, hits FROM rollup WHERE kind = :kind ORDER BY day, key"
    return [(key, day, count, hits) for key, day, count, hits in session.execute(text(sql), {"kind": kind})]


def questions_by(session: Session, kind: str, column: str) -> dict[int, list[str]]:
    """Questions that have a tally of `kind`, by its `count` or `hits`.

    A hundred thousand names come as a few texts: that is ten times faster than row by row.
    """
    sql = f"SELECT {column}, group_concat(key, char(10)) FROM rollup WHERE kind = :kind GROUP BY {column}"
    return {number: names.split("\n") for number, names in session.execute(text(sql), {"kind": kind})}


def merge(into: dict[Key, Tally], more: Iterable[tuple[Key, Tally]]) -> None:
    for key, (count, hits) in more:
        had = into.get(key, (0, 0))
        into[key] = (had[0] + count, had[1] + hits)
