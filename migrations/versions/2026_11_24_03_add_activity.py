"""Who changed what."""

import sqlalchemy as sa
from alembic import op

revision = "20261124_03"
down_revision = "20261124_02"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "activity",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_activity_account_id_accounts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_activity")),
    )
    op.create_index(op.f("ix_activity_at"), "activity", ["at"])
    op.create_index("ix_activity_account_id_id", "activity", ["account_id", "id"])


def downgrade() -> None:
    op.drop_table("activity")
