"""How many responses the last search of a package left out of the labelling queue, by run and limit."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_13"
down_revision = "20261128_12"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "left_out_responses",
        sa.Column("package_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("reached", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name="fk_left_out_responses_package_id_packages"),
        sa.PrimaryKeyConstraint("package_id", "run_id", "reached", name="pk_left_out_responses"),
    )
    op.create_index("ix_left_out_responses_run_id", "left_out_responses", ["run_id"])


def downgrade() -> None:
    op.drop_index("ix_left_out_responses_run_id", "left_out_responses")
    op.drop_table("left_out_responses")
