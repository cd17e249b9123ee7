"""The account that caused a job, so that accounts take turns."""

import sqlalchemy as sa
from alembic import op

revision = "20261122_03"
down_revision = "20261122_02"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("account", sa.Text(), nullable=False, server_default=""))
    op.create_index(op.f("ix_jobs_account_ended_at"), "jobs", ["account", "ended_at"])


def downgrade() -> None:
    op.drop_index(op.f("ix_jobs_account_ended_at"), table_name="jobs")
    op.drop_column("jobs", "account")
