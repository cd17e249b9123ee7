"""Packages, releases, files, tags."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_02"
down_revision = "20261121_01"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "packages",
        sa.Column("id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("downloads", sa.Integer(), nullable=False),
        sa.Column("is_listed", sa.Boolean(), nullable=False),
        sa.Column("fixed_case_count", sa.Integer(), nullable=False),
        sa.Column("latest_version", sa.Text(), nullable=True),
        sa.Column("shown_release_id", sa.Text(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("licence", sa.Text(), nullable=False),
        sa.Column("grade", sa.Text(), nullable=False),
        sa.Column("jaw", sa.Double(), nullable=False),
        sa.Column("audit_summary", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_packages")),
    )
    op.create_index("ix_packages_owner", "packages", ["owner"], unique=False)
    op.create_index("ix_packages_updated_at_id", "packages", ["updated_at", "id"], unique=False)
    op.create_table(
        "package_tags",
        sa.Column("package_id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_package_tags_package_id_packages")),
        sa.PrimaryKeyConstraint("package_id", "tag", name=op.f("pk_package_tags")),
    )
    op.create_index(op.f("ix_package_tags_tag"), "package_tags", ["tag"], unique=False)
    op.create_table(
        "releases",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("version_key", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("is_prerelease", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("state_reason", sa.Text(), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_by", sa.Text(), nullable=False),
        sa.Column("requires_python", sa.Text(), nullable=False),
        sa.Column("dependencies", sa.JSON(), nullable=False),
        sa.Column("licence", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("readme", sa.Text(), nullable=False),
        sa.Column("task_counts", sa.JSON(), nullable=False),
        sa.Column("case_count", sa.Integer(), nullable=False),
        sa.Column("blocked", sa.Text(), nullable=False),
        sa.Column("audit_state", sa.Text(), nullable=False),
        sa.Column("audit_summary", sa.JSON(), nullable=True),
        sa.Column("downloads", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_releases_package_id_packages")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_releases")),
        sa.UniqueConstraint("package_id", "version_key", name=op.f("uq_releases_package_id_version_key")),
    )
    op.create_index(op.f("ix_releases_digest"), "releases", ["digest"], unique=False)
    op.create_index("ix_releases_published_by_published_at", "releases", ["published_by", "published_at"], unique=False)
    op.create_table(
        "release_files",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f("fk_release_files_release_id_releases")),
        sa.PrimaryKeyConstraint("release_id", "path", name=op.f("pk_release_files")),
    )


def downgrade() -> None:
    op.drop_table("release_files")
    op.drop_index("ix_releases_published_by_published_at", table_name="releases")
    op.drop_index(op.f("ix_releases_digest"), table_name="releases")
    op.drop_table("releases")
    op.drop_index(op.f("ix_package_tags_tag"), table_name="package_tags")
    op.drop_table("package_tags")
    op.drop_index("ix_packages_updated_at_id", table_name="packages")
    op.drop_index("ix_packages_owner", table_name="packages")
    op.drop_table("packages")
