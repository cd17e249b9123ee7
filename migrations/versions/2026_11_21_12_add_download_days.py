"""Downloads of a package by day."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_12"
down_revision = "20261121_11"
branch_labels = None
depends_on = None

_PACKAGE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "download_days",
        sa.Column("package_id", _PACKAGE, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("downloads", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_download_days_package_id_packages")),
        sa.PrimaryKeyConstraint("package_id", "day", name=op.f("pk_download_days")),
    )


def downgrade() -> None:
    op.drop_table("download_days")
