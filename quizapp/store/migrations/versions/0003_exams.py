"""Sittings of mock exams."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "sitting",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("blueprint", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("open", sa.Boolean, nullable=False),
        sa.Column("started_at", sa.Integer, nullable=False),
        sa.Column("saved_at", sa.Integer, nullable=False),
        sa.Column("submitted_at", sa.Integer),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("paper", sa.String, nullable=False),
        sa.Column("questions", sa.String, nullable=False),
        sa.Column("record", sa.String, nullable=False),
        sa.Column("summary", sa.String),
        sa.CheckConstraint("open = (submitted_at IS NULL)", name="sitting_open"),
        sa.CheckConstraint("open = (summary IS NULL)", name="sitting_summary"),
    )
    # At most one exam runs at a time.
    op.create_index("sitting_running", "sitting", ["open"], unique=True, sqlite_where=sa.text("open = 1"))
