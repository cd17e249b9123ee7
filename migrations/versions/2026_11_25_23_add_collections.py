"""Collections: curated lists of packages, and what moderators did to them."""

import sqlalchemy as sa
from alembic import op

revision = "20261125_23"
down_revision = "20261125_22"
branch_labels = None
depends_on = None

_ORDERED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "collections",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("is_private", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column("hidden_reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collections")),
        sa.UniqueConstraint("owner", "name", name=op.f("uq_collections_owner_name")),
    )
    op.create_table(
        "collection_entries",
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("package_id", _ORDERED, nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collections.id"], name=op.f("fk_collection_entries_collection_id_collections")
        ),
        sa.ForeignKeyConstraint(
            ["package_id"], ["packages.id"], name=op.f("fk_collection_entries_package_id_packages")
        ),
        sa.PrimaryKeyConstraint("collection_id", "position", name=op.f("pk_collection_entries")),
    )
    op.create_index(op.f("ix_collection_entries_package_id"), "collection_entries", ["package_id"])
    op.add_column("moderation_events", sa.Column("collection", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("moderation_events", "collection")
    op.drop_table("collection_entries")
    op.drop_table("collections")
