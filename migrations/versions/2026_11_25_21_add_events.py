"""What happened, in the order of the commits, and how far its followers have come."""

import sqlalchemy as sa
from alembic import op

revision = "20261125_21"
down_revision = "20261125_05"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text(), nullable=True),
        sa.Column("version", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_events_package_id_packages")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_events_run_id_runs")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_events")),
        sa.UniqueConstraint("position", name=op.f("uq_events_position")),
    )
    op.create_table(
        "event_followers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_event_followers")),
    )


def downgrade() -> None:
    op.drop_table("event_followers")
    op.drop_table("events")
