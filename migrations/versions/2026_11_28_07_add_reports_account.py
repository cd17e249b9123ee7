"""Reports may be about a person or an organisation."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_07"
down_revision = "20261128_06"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("reports", sa.Column("account", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("reports", "account")
