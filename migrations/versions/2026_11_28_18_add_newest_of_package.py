"""The newest release of each of an owner's packages is found by an index."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_18"
down_revision = "20261128_17"
branch_labels = None
depends_on = None


def upgrade() -> None:
    since = sa.text("coalesce(public_since, published_at)")
    op.create_index("ix_releases_package_id_seen_since_state", "releases", ["package_id", since, "state"])


def downgrade() -> None:
    op.drop_index("ix_releases_package_id_seen_since_state", "releases")
