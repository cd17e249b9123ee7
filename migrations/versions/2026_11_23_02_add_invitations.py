"""Somebody who is asked into an organisation accepts or declines; who is a member already stays one."""

import sqlalchemy as sa
from alembic import op

revision = "20261123_02"
down_revision = "20261123_01"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "invitations",
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("invited_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_invitations_account_id_accounts")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["accounts.id"], name=op.f("fk_invitations_organization_id_accounts")
        ),
        sa.PrimaryKeyConstraint("organization_id", "account_id", name=op.f("pk_invitations")),
    )
    op.create_index(op.f("ix_invitations_account_id"), "invitations", ["account_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_invitations_account_id"), table_name="invitations")
    op.drop_table("invitations")
