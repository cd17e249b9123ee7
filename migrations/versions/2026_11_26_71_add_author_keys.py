"""Keys that authors sign their releases with, and their signatures."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_71"
down_revision = "20261126_61"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "author_keys",
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_author_keys_account_id_accounts")),
        sa.PrimaryKeyConstraint("public_key", name=op.f("pk_author_keys")),
    )
    op.create_index(op.f("ix_author_keys_account_id"), "author_keys", ["account_id"])
    op.add_column("releases", sa.Column("author_key", sa.Text(), nullable=True))
    op.add_column("releases", sa.Column("author_signature", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("releases", "author_signature")
    op.drop_column("releases", "author_key")
    op.drop_table("author_keys")
