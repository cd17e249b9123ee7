"""What an owner says of itself: a description and a link, beside the display name, and why moderators hide them."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_01"
down_revision = "20261127_99"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("description", sa.Text(), nullable=False, server_default=""))
    op.add_column("accounts", sa.Column("link", sa.Text(), nullable=False, server_default=""))
    op.add_column("accounts", sa.Column("profile_hidden_reason", sa.Text(), nullable=True))


def downgrade() -> None:
    for name in ("profile_hidden_reason", "link", "description"):
        op.drop_column("accounts", name)
