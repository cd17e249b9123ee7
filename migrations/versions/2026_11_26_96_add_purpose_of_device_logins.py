"""What a device asks a person for: a token, or a proof of minutes for one command."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_96"
down_revision = "20261126_91"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("device_logins", sa.Column("purpose", sa.String(), nullable=False, server_default="token"))


def downgrade() -> None:
    op.drop_column("device_logins", "purpose")
