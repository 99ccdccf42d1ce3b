"""Rollups for the progress screens, filled from the log that is there.

The rules are those of `quizapp.study.tallying` as they were when this migration was written.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

EDGES = [2.0**-6 * 2 ** (n / 4) for n in range(47)]
ANSWERS = (
    "SELECT r.*, json_extract(r.before, '$.last_day') AS last_day, json_extract(r.before, '$.stability') AS stability, "
    "coalesce(json_extract(r.before, '$.interval'), 0) AS was, coalesce(json_extract(r.before, '$.state'), 'new') "
    "AS stage FROM review r LEFT JOIN undo u ON u.review_id = r.id "
    "WHERE u.review_id IS NULL AND r.origin NOT IN ('keep', 'forget')"
)
# kind, key, day, hits, condition
FILLED = (
    ("question", "question_id", "0", "sum(correct)", "1"),
    ("first", "question_id", "0", "sum(correct)", "json_extract(before, '$.review') IS NULL"),
    (
        "retention",
        "CASE WHEN was >= 21 THEN 'mature' ELSE 'young' END",
        "day",
        "sum(rating <> 1)",
        "stage = 'review' AND rating IS NOT NULL AND day > last_day",
    ),
    ("confidence", "confidence", "day", "sum(correct)", "confidence IS NOT NULL"),
    ("time", "origin", "day", "sum(duration_ms)", "1"),
)


def upgrade() -> None:
    op.create_table(
        "rollup",
        sa.Column("kind", sa.String, primary_key=True),
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("day", sa.Integer, primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("hits", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    insert = "INSERT INTO rollup (kind, key, day, count, hits)"
    for kind, key, day, hits, condition in FILLED:
        op.execute(
            f"{insert} SELECT '{kind}', {key} AS k, {day} AS d, count(*), {hits} FROM ({ANSWERS}) "
            f"WHERE {condition} GROUP BY k, d"
        )
    op.execute(
        f"{insert} SELECT 'misconception', m.value, a.day, count(DISTINCT a.id), 0 FROM ({ANSWERS}) a, "
        "json_each(a.misconceptions) m GROUP BY m.value, a.day"
    )
    below = " + ".join(f"((day - last_day) * 1.0 / stability >= {edge!r})" for edge in EDGES)
    op.execute(
        f"{insert} SELECT 'recall', printf('%02d', bin), 0, count(*), sum(correct) FROM "
        f"(SELECT {below} AS bin, correct FROM ({ANSWERS}) WHERE day > last_day AND stability IS NOT NULL "
        "AND (rating IS NOT NULL OR origin = 'exam')) GROUP BY bin"
    )
