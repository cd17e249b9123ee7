"""Which case counts in the place of one that repeats it, and when an account disputed a case."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_16"
down_revision = "20261128_15"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("counter_examples", sa.Column("repeats", sa.Text(), nullable=False, server_default=""))
    op.add_column("case_disputes", sa.Column("disputed_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("case_disputes", "disputed_at")
    op.drop_column("counter_examples", "repeats")
