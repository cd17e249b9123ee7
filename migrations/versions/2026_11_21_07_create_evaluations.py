"""Results on benchmarks and their reports."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_07"
down_revision = "20261121_06"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "benchmark_reports",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f("fk_benchmark_reports_release_id_releases")),
        sa.PrimaryKeyConstraint("release_id", name=op.f("pk_benchmark_reports")),
    )
    op.create_table(
        "benchmark_results",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("environment_version", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("harness", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("submitted_by", sa.Text(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcomes", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f("fk_benchmark_results_release_id_releases")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_benchmark_results")),
        sa.UniqueConstraint(
            "release_id", "environment", "model", "harness", "submitted_by", name="uq_benchmark_results_place"
        ),
    )
    op.create_index(op.f("ix_benchmark_results_release_id"), "benchmark_results", ["release_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_benchmark_results_release_id"), table_name="benchmark_results")
    op.drop_table("benchmark_results")
    op.drop_table("benchmark_reports")
