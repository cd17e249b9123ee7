"""A token may be of one owner: of those that its account publishes for. Tokens that exist are of none."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_06"
down_revision = "20261128_05"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tokens", sa.Column("owner", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("tokens", "owner")
