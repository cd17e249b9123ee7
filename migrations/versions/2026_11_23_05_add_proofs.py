"""What a session is (a browser, or a password typed again), what its browser calls itself, when it was proven."""

import sqlalchemy as sa
from alembic import op

revision = "20261123_05"
down_revision = "20261123_04"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("web_sessions", sa.Column("kind", sa.Text(), nullable=False, server_default="browser"))
    op.add_column("web_sessions", sa.Column("client", sa.Text(), nullable=False, server_default=""))
    op.add_column("web_sessions", sa.Column("proven_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("web_sessions", "proven_at")
    op.drop_column("web_sessions", "client")
    op.drop_column("web_sessions", "kind")
