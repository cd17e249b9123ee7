"""Audits and counter-examples."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_04"
down_revision = "20261121_03"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "counter_examples",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("case_key", sa.Text(), nullable=False),
        sa.Column("case", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("submitted_by", sa.Text(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("against", sa.Text(), nullable=False),
        sa.Column("fixed_in", sa.Text(), nullable=True),
        sa.Column("verdicts", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("dispute_reason", sa.Text(), nullable=False),
        sa.Column("disputed_by", sa.Text(), nullable=False),
        sa.Column("state_before_dispute", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_counter_examples_package_id_packages")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_counter_examples")),
        sa.UniqueConstraint("package_id", "case_key", name=op.f("uq_counter_examples_package_id_case_key")),
    )
    op.create_index("ix_counter_examples_package_id_id", "counter_examples", ["package_id", "id"], unique=False)
    op.create_table(
        "audits",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("done_cases", sa.Integer(), nullable=False),
        sa.Column("total_cases", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("report", sa.JSON(), nullable=True),
        sa.Column("replayed", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_audits_package_id_packages")),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f("fk_audits_release_id_releases")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audits")),
    )
    op.create_index("ix_audits_package_id_id", "audits", ["package_id", "id"], unique=False)
    op.create_index(op.f("ix_audits_release_id"), "audits", ["release_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_audits_release_id"), table_name="audits")
    op.drop_index("ix_audits_package_id_id", table_name="audits")
    op.drop_table("audits")
    op.drop_index("ix_counter_examples_package_id_id", table_name="counter_examples")
    op.drop_table("counter_examples")
