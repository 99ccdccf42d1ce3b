"""Cards, the append-only log, counts by day, settings."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

APPEND_ONLY = ("scheduler", "review", "undo", "action")


def upgrade() -> None:
    op.create_table(
        "card",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("question_id", sa.String, nullable=False, unique=True),
        sa.Column("topic", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("style", sa.String, nullable=False),
        sa.Column("family", sa.String),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("orphan", sa.Boolean, nullable=False),
        sa.Column("suspended", sa.Boolean, nullable=False),
        sa.Column("flagged", sa.Boolean, nullable=False),
        sa.Column("flag_reason", sa.String, nullable=False),
        sa.Column("buried_on", sa.Integer),
        sa.Column("note", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("step", sa.Integer),
        sa.Column("stability", sa.Float),
        sa.Column("difficulty", sa.Float),
        sa.Column("due_at", sa.Integer),
        sa.Column("due_day", sa.Integer),
        sa.Column("last_at", sa.Integer),
        sa.Column("last_day", sa.Integer),
        sa.Column("interval", sa.Integer, nullable=False),
        sa.Column("reps", sa.Integer, nullable=False),
        sa.Column("lapses", sa.Integer, nullable=False),
        sa.Column("leech", sa.Boolean, nullable=False),
        sa.Column("key", sa.String),
        sa.Column("review", sa.Integer),
        sa.CheckConstraint("state IN ('new', 'learning', 'review', 'relearning')", name="card_state"),
        sa.CheckConstraint("state = 'new' OR stability > 0", name="card_stability"),
        sa.CheckConstraint("(state IN ('learning', 'relearning')) = (due_at IS NOT NULL)", name="card_due_at"),
        sa.CheckConstraint("(state = 'review') = (due_day IS NOT NULL)", name="card_due_day"),
    )
    active = "suspended = 0 AND orphan = 0"
    op.create_index("card_new", "card", ["position"], sqlite_where=sa.text(f"state = 'new' AND {active}"))
    op.create_index("card_due", "card", ["due_day", "position"], sqlite_where=sa.text(f"state = 'review' AND {active}"))
    op.create_index(
        "card_learning",
        "card",
        ["due_at", "buried_on"],
        sqlite_where=sa.text(f"state IN ('learning', 'relearning') AND {active}"),
    )
    op.create_index("card_family", "card", ["family"], sqlite_where=sa.text("family IS NOT NULL"))
    op.create_index("card_family_day", "card", ["last_day", "family"], sqlite_where=sa.text("family IS NOT NULL"))
    op.create_index(
        "card_marked",
        "card",
        ["question_id"],
        sqlite_where=sa.text("suspended = 1 OR flagged = 1 OR leech = 1 OR orphan = 1"),
    )
    op.create_index("card_buried", "card", ["buried_on"], sqlite_where=sa.text("buried_on IS NOT NULL"))

    op.create_table(
        "scheduler",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("config", sa.String, nullable=False, unique=True),
    )
    op.create_table(
        "review",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("card_id", sa.Integer, sa.ForeignKey("card.id"), nullable=False, index=True),
        sa.Column("question_id", sa.String, nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("content", sa.String, nullable=False),
        sa.Column("reviewed_at", sa.Integer, nullable=False, index=True),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("duration_ms", sa.Integer, nullable=False),
        sa.Column("response", sa.String, nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("correct", sa.Boolean, nullable=False),
        sa.Column("blank", sa.Boolean, nullable=False),
        sa.Column("confidence", sa.String),
        sa.Column("rating", sa.Integer),
        sa.Column("rating_reason", sa.String, nullable=False),
        sa.Column("misconceptions", sa.String, nullable=False),
        sa.Column("origin", sa.String, nullable=False),
        sa.Column("before", sa.String, nullable=False),
        sa.Column("after", sa.String, nullable=False),
        sa.Column("scheduler_id", sa.Integer, sa.ForeignKey("scheduler.id"), nullable=False),
        sa.Column("replaces", sa.Integer, sa.ForeignKey("review.id")),
        sa.CheckConstraint("score BETWEEN 0 AND 1", name="review_score"),
        sa.CheckConstraint("duration_ms >= 0", name="review_duration"),
        sa.CheckConstraint("rating BETWEEN 1 AND 4", name="review_rating"),
    )
    op.create_table(
        "undo",
        sa.Column("review_id", sa.Integer, sa.ForeignKey("review.id"), primary_key=True),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
    )
    op.create_table(
        "action",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("card_id", sa.Integer, sa.ForeignKey("card.id"), nullable=False, index=True),
        sa.Column("question_id", sa.String, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("what", sa.String, nullable=False),
        sa.Column("value", sa.String, nullable=False),
    )
    for table in APPEND_ONLY:
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f'CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON "{table}" '
                f"BEGIN SELECT RAISE(ABORT, 'the log is append-only: {table} rows are never changed or deleted'); END"
            )

    op.create_table(
        "daily",
        sa.Column("day", sa.Integer, primary_key=True),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("reviews", "correct", "new", "due", "tested", "retained", "duration_ms")
        ),
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("value", sa.String, nullable=False),
    )
