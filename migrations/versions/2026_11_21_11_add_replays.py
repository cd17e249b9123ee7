"""Counts of calls that were run again one isolation level up, and of those judged differently."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_11"
down_revision = "20261121_10"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("releases") as batch:
        batch.add_column(sa.Column("replayed_count", sa.Integer(), nullable=False, server_default=sa.text("0")))
        batch.add_column(sa.Column("replay_mismatch_count", sa.Integer(), nullable=False, server_default=sa.text("0")))


def downgrade() -> None:
    with op.batch_alter_table("releases") as batch:
        batch.drop_column("replay_mismatch_count")
        batch.drop_column("replayed_count")
