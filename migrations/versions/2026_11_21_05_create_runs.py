"""Runs, metrics, rollouts."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_05"
down_revision = "20261121_04"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("packages", sa.JSON(), nullable=False),
        sa.Column("rewards", sa.JSON(), nullable=False),
        sa.Column("config", sa.JSON(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_step", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index("ix_runs_owner_id", "runs", ["owner", "id"], unique=False)
    op.create_table(
        "metric_points",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_metric_points_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "step", name=op.f("pk_metric_points")),
    )
    op.create_table(
        "rollouts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("package", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("rewards", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("advantage", sa.Double(), nullable=True),
        sa.Column("tokens", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_rollouts_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rollouts")),
    )
    op.create_index("ix_rollouts_run_id_id", "rollouts", ["run_id", "id"], unique=False)
    op.create_index("ix_rollouts_run_id_step", "rollouts", ["run_id", "step"], unique=False)
    op.create_table(
        "run_packages",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_packages_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "package_id", name=op.f("pk_run_packages")),
    )
    op.create_index(op.f("ix_run_packages_package_id"), "run_packages", ["package_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_run_packages_package_id"), table_name="run_packages")
    op.drop_table("run_packages")
    op.drop_index("ix_rollouts_run_id_step", table_name="rollouts")
    op.drop_index("ix_rollouts_run_id_id", table_name="rollouts")
    op.drop_table("rollouts")
    op.drop_table("metric_points")
    op.drop_index("ix_runs_owner_id", table_name="runs")
    op.drop_table("runs")
