"""Read-only mode, and rate limits that several processes count together."""

import sqlalchemy as sa
from alembic import op

revision = "20261125_01"
down_revision = "20261124_03"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "read_only",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_read_only")),
    )
    op.create_table(
        "rate_buckets",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("full_at", sa.Float(53), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_rate_buckets")),
    )
    op.create_index(op.f("ix_rate_buckets_full_at"), "rate_buckets", ["full_at"])


def downgrade() -> None:
    op.drop_table("rate_buckets")
    op.drop_table("read_only")
