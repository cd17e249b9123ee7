"""How often models solved each task, so that a page of tasks need not read rollouts."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_17"
down_revision = "20261128_16"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "task_rates",
        sa.Column("package_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("major", sa.Text(), nullable=False),
        sa.Column("successes", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("models", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name="fk_task_rates_package_id_packages"),
        sa.PrimaryKeyConstraint("package_id", "task_id", name="pk_task_rates"),
    )


def downgrade() -> None:
    op.drop_table("task_rates")
