"""Private packages and runs."""

import sqlalchemy as sa
from alembic import op

revision = "20261125_04"
down_revision = "20261125_03"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("packages", sa.Column("is_private", sa.Boolean(), nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("is_private", sa.Boolean(), nullable=False, server_default="0"))
    private = sa.text("is_private")
    op.create_index("ix_packages_private", "packages", ["id"], sqlite_where=private, postgresql_where=private)


def downgrade() -> None:
    op.drop_index("ix_packages_private", "packages")
    op.drop_column("runs", "is_private")
    op.drop_column("packages", "is_private")
