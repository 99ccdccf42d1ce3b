"""Labs: their records, the append-only log of what was done in them, and the questions a pass calls up."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "lab",
        sa.Column("lab", sa.String, primary_key=True),
        sa.Column("record", sa.String, nullable=False),
        sa.Column("stage", sa.String, nullable=False),
        sa.Column("passed_at", sa.Integer),
    )
    op.create_table(
        "lab_event",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("lab", sa.String, nullable=False, index=True),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("what", sa.String, nullable=False),
        sa.Column("value", sa.String, nullable=False),
    )
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f'CREATE TRIGGER lab_event_no_{verb.lower()} BEFORE {verb} ON "lab_event" '
            "BEGIN SELECT RAISE(ABORT, 'the log is append-only: lab_event rows are never changed or deleted'); END"
        )
    op.create_table(
        "lab_followup",
        sa.Column("question_id", sa.String, primary_key=True),
        sa.Column("lab", sa.String, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
    )
