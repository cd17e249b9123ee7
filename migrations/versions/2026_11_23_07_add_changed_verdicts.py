"""What an audit's verdicts were, and which of them an earlier audit of the same release contradicts."""

import sqlalchemy as sa
from alembic import op

revision = "20261123_07"
down_revision = "20261123_06"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("audits", sa.Column("verdicts", sa.JSON(), nullable=True))
    op.add_column("audits", sa.Column("changed", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("audits", "changed")
    op.drop_column("audits", "verdicts")
