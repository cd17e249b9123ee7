"""The accounts that second a counter-example, and the account whose second made it count."""

import sqlalchemy as sa
from alembic import op

revision = "20261122_05"
down_revision = "20261122_04"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("counter_examples", sa.Column("counted_by", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "case_seconds",
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("seconded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["case_id"], ["counter_examples.id"], name=op.f("fk_case_seconds_case_id_counter_examples")
        ),
        sa.PrimaryKeyConstraint("case_id", "account", name=op.f("pk_case_seconds")),
    )
    op.create_index(op.f("ix_case_seconds_account"), "case_seconds", ["account"], unique=False)
    op.create_index(op.f("ix_counter_examples_submitted_by"), "counter_examples", ["submitted_by"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_counter_examples_submitted_by"), table_name="counter_examples")
    op.drop_index(op.f("ix_case_seconds_account"), table_name="case_seconds")
    op.drop_table("case_seconds")
    op.drop_column("counter_examples", "counted_by")
