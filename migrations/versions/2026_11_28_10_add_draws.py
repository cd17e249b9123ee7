"""The letters of releases for which cases were drawn, by their code."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_10"
down_revision = "20261128_09"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "draws",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("minhash", sa.JSON(), nullable=False),
        sa.Column("grade", sa.Text(), nullable=False),
        sa.Column("measured_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"]),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"]),
        sa.PrimaryKeyConstraint("release_id"),
    )
    op.create_index("ix_draws_package_id", "draws", ["package_id"])
    op.create_index("ix_draws_code", "draws", ["code"])


def downgrade() -> None:
    op.drop_table("draws")
