"""Who confirms the label of a case that accounts of standing make count, and whether it waits for that."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_15"
down_revision = "20261128_14"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("counter_examples", sa.Column("corroborated_by", sa.Text(), nullable=False, server_default=""))
    op.add_column("counter_examples", sa.Column("waits", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("counter_examples", "waits")
    op.drop_column("counter_examples", "corroborated_by")
