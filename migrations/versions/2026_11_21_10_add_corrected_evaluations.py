"""Outcomes of an evaluation's attempts, attempts left out of results, and agreement between benchmarks."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_10"
down_revision = "20261121_09"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("outcomes", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("benchmark_results", sa.Column("left_out", sa.JSON(), nullable=False, server_default="{}"))
    op.create_table(
        "benchmark_relations",
        sa.Column("first_release_id", sa.Text(), nullable=False),
        sa.Column("second_release_id", sa.Text(), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("relation", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["first_release_id"], ["releases.id"], name=op.f("fk_benchmark_relations_first_release_id_releases")
        ),
        sa.ForeignKeyConstraint(
            ["second_release_id"], ["releases.id"], name=op.f("fk_benchmark_relations_second_release_id_releases")
        ),
        sa.PrimaryKeyConstraint("first_release_id", "second_release_id", name=op.f("pk_benchmark_relations")),
    )
    op.create_index(
        op.f("ix_benchmark_relations_second_release_id"), "benchmark_relations", ["second_release_id"], unique=False
    )


def downgrade() -> None:
    op.drop_index(op.f("ix_benchmark_relations_second_release_id"), table_name="benchmark_relations")
    op.drop_table("benchmark_relations")
    op.drop_column("benchmark_results", "left_out")
    op.drop_column("runs", "outcomes")
