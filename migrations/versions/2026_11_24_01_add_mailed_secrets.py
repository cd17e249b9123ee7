"""Secrets in mails (a new password, a confirmed address), and when an address was confirmed."""

import sqlalchemy as sa
from alembic import op

revision = "20261124_01"
down_revision = "20261123_09"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("email_confirmed_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "mailed_secrets",
        sa.Column("secret_sha256", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_mailed_secrets_account_id_accounts")),
        sa.PrimaryKeyConstraint("secret_sha256", name=op.f("pk_mailed_secrets")),
    )
    op.create_index(op.f("ix_mailed_secrets_account_id"), "mailed_secrets", ["account_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_mailed_secrets_account_id"), table_name="mailed_secrets")
    op.drop_table("mailed_secrets")
    op.drop_column("accounts", "email_confirmed_at")
