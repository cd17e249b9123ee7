"""The journal of another hub that a mirror copies, and the packages that it keeps up to date."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_51"
down_revision = "20261126_41"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "followed_journal",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("checkpoint", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("event", sa.BigInteger(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("is_stopped", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_followed_journal")),
    )
    op.create_table(
        "mirrored_packages",
        sa.Column("package_id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("wanted", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.Column("look_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("package_id", name=op.f("pk_mirrored_packages")),
    )
    op.create_index(op.f("ix_mirrored_packages_look_at"), "mirrored_packages", ["look_at"])


def downgrade() -> None:
    op.drop_table("mirrored_packages")
    op.drop_table("followed_journal")
