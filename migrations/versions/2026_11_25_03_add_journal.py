"""The journal: entries, the Merkle tree over them, and how each signing key was introduced.

Releases that were published before are entered when a hub starts, because entries are signed.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261125_03"
down_revision = "20261125_01"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "journal_entries",
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("version", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_journal_entries")),
    )
    op.create_index("ix_journal_entries_package_id_version", "journal_entries", ["package_id", "version"])
    op.create_table(
        "journal_nodes",
        sa.Column("level", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("level", "position", name=op.f("pk_journal_nodes")),
    )
    op.add_column("signing_keys", sa.Column("introduction", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("signing_keys", "introduction")
    op.drop_table("journal_nodes")
    op.drop_table("journal_entries")
