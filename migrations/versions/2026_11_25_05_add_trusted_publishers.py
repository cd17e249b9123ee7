"""Who may publish a package from continuous integration, tokens for one package, and identity tokens that were used."""

import sqlalchemy as sa
from alembic import op

revision = "20261125_05"
down_revision = "20261125_04"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "trusted_publishers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("workflow", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_trusted_publishers_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trusted_publishers")),
    )
    op.create_index(op.f("ix_trusted_publishers_package_id"), "trusted_publishers", ["package_id"])
    op.create_table(
        "used_identities",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_used_identities")),
    )
    op.create_index(op.f("ix_used_identities_expires_at"), "used_identities", ["expires_at"])
    op.add_column("tokens", sa.Column("package_id", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("tokens", "package_id")
    op.drop_table("used_identities")
    op.drop_table("trusted_publishers")
