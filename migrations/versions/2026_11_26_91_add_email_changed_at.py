"""When an account's address was changed: for some days no new password is mailed to a fresh one."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_91"
down_revision = "20261126_88"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("email_changed_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("accounts", "email_changed_at")
