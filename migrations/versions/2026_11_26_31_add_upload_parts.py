"""Wheels that come in parts, each of which can be sent again."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_31"
down_revision = "20261125_61"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "upload_parts",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("arrived_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_upload_parts_account_id_accounts")),
        sa.PrimaryKeyConstraint("account_id", "digest", "number", name=op.f("pk_upload_parts")),
    )
    op.create_index("ix_upload_parts_part", "upload_parts", ["part"])


def downgrade() -> None:
    op.drop_table("upload_parts")
