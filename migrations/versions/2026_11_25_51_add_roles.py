"""Maintainers of organisations, and invitations that were declined. Whoever was a member still publishes."""

import sqlalchemy as sa
from alembic import op

revision = "20261125_51"
down_revision = "20261125_41"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("invitations", sa.Column("declined_at", sa.DateTime(timezone=True), nullable=True))
    for table in ("memberships", "invitations"):
        op.execute(f"UPDATE {table} SET role = 'maintainer' WHERE role = 'member'")  # noqa: S608 -- names of ours


def downgrade() -> None:
    for table in ("memberships", "invitations"):
        op.execute(f"UPDATE {table} SET role = 'member' WHERE role = 'maintainer'")  # noqa: S608 -- names of ours
    op.execute("DELETE FROM invitations WHERE declined_at IS NOT NULL")
    op.drop_column("invitations", "declined_at")
