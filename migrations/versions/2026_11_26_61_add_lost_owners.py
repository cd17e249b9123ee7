"""When an owner whom another owner removes is lost."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_61"
down_revision = "20261126_51"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("memberships", sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("memberships", sa.Column("ends_as", sa.Text(), nullable=True))
    op.add_column("memberships", sa.Column("ends_by", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("memberships", "ends_by")
    op.drop_column("memberships", "ends_as")
    op.drop_column("memberships", "ends_at")
