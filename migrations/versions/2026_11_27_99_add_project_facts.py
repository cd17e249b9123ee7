"""Authors, links and notes of releases. Those that are there keep none: their wheels are not read again."""

import sqlalchemy as sa
from alembic import op

revision = "20261127_99"
down_revision = "20261127_98"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("releases", sa.Column("authors", sa.JSON(), nullable=True))
    op.add_column("releases", sa.Column("links", sa.JSON(), nullable=True))
    op.add_column("releases", sa.Column("notes", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    for name in ("notes", "links", "authors"):
        op.drop_column("releases", name)
