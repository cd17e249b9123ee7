"""Reports about collections: which one, and no package then."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_97"
down_revision = "20261126_96"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("reports") as reports:
        reports.alter_column("package_id", existing_type=sa.Text(), nullable=True)
        reports.add_column(sa.Column("collection", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.execute("DELETE FROM reports WHERE package_id IS NULL")
    with op.batch_alter_table("reports") as reports:
        reports.drop_column("collection")
        reports.alter_column("package_id", existing_type=sa.Text(), nullable=False)
