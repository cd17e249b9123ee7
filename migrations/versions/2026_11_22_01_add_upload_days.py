"""Uploads of an account by day, so that refused ones count against its limits."""

import sqlalchemy as sa
from alembic import op

revision = "20261122_01"
down_revision = "20261121_12"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "upload_days",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_upload_days_account_id_accounts")),
        sa.PrimaryKeyConstraint("account_id", "day", name=op.f("pk_upload_days")),
    )


def downgrade() -> None:
    op.drop_table("upload_days")
