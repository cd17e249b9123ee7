"""Lost workers of a job, counted apart from its own failures; the newest releases by an index."""

import sqlalchemy as sa
from alembic import op

revision = "20261123_06"
down_revision = "20261123_05"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("losses", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("ix_releases_published_at_id", "releases", ["published_at", "id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_releases_published_at_id", table_name="releases")
    op.drop_column("jobs", "losses")
