"""When a release of a private package was made public, as the journal says."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_08"
down_revision = "20261128_07"
branch_labels = None
depends_on = None

_SEEN_SINCE = sa.text("coalesce(public_since, published_at)")


def upgrade() -> None:
    op.add_column("releases", sa.Column("public_since", sa.DateTime(timezone=True), nullable=True))
    # The journal names a release since everybody sees it. Of most that is when it was published: these stay NULL.
    op.execute("""
        UPDATE releases SET public_since = entry.since
        FROM (
            SELECT package_id, version, min(at) AS since FROM journal_entries WHERE act = 'publish'
            GROUP BY package_id, version
        ) AS entry
        WHERE entry.package_id = releases.package_id AND entry.version = releases.version
            AND entry.since > releases.published_at
    """)
    op.drop_index("ix_releases_published_at_id", "releases")
    op.create_index("ix_releases_seen_since_id", "releases", [_SEEN_SINCE, "id"])


def downgrade() -> None:
    op.drop_index("ix_releases_seen_since_id", "releases")
    op.create_index("ix_releases_published_at_id", "releases", ["published_at", "id"])
    op.drop_column("releases", "public_since")
