"""How many senders download a package, and which packages trend."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_88"
down_revision = "20261126_87"
branch_labels = None
depends_on = None

_ORDERED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "download_senders",
        sa.Column("package_id", _ORDERED, nullable=False),
        sa.Column("sender", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_download_senders_package_id_packages")),
        sa.PrimaryKeyConstraint("package_id", "sender", name=op.f("pk_download_senders")),
    )
    op.create_index("ix_download_senders_day", "download_senders", ["day"])
    op.add_column("download_days", sa.Column("senders", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("packages", sa.Column("trend", sa.Float(), nullable=False, server_default="0"))
    op.create_index("ix_packages_trend_id", "packages", ["trend", "id"])


def downgrade() -> None:
    op.drop_index("ix_packages_trend_id", "packages")
    op.drop_column("packages", "trend")
    op.drop_column("download_days", "senders")
    op.drop_table("download_senders")
