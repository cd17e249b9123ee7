"""Security keys as a second factor, and what a key is asked to sign for a session."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_41"
down_revision = "20261126_31"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "security_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("credential_id", sa.Text(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_security_keys_account_id_accounts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_security_keys")),
        sa.UniqueConstraint("credential_id", name=op.f("uq_security_keys_credential_id")),
    )
    op.create_index("ix_security_keys_account_id", "security_keys", ["account_id"])
    op.add_column("web_sessions", sa.Column("challenge", sa.Text(), nullable=True))
    op.add_column("web_sessions", sa.Column("challenge_until", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("web_sessions", "challenge_until")
    op.drop_column("web_sessions", "challenge")
    op.drop_table("security_keys")
