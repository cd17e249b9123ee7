"""Counts of calls that were run again one isolation level up, and of those judged differently."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_11"
down_revision = "20261121_10"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("releases", sa.Column("replayed_count", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("releases", sa.Column("replay_mismatch_count", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("releases", "replay_mismatch_count")
    op.drop_column("releases", "replayed_count")
