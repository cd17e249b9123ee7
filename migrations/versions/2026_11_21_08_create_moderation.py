"""Reports, and the log of what moderators did."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_08"
down_revision = "20261121_07"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "moderation_events",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("version", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_moderation_events_package_id_packages")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_moderation_events")),
    )
    op.create_index(op.f("ix_moderation_events_package_id"), "moderation_events", ["package_id"], unique=False)
    op.create_table(
        "reports",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("version", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("reporter", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_reports_package_id_packages")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reports")),
    )
    op.create_index(op.f("ix_reports_package_id"), "reports", ["package_id"], unique=False)
    op.create_index("ix_reports_state_id", "reports", ["state", "id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_reports_state_id", table_name="reports")
    op.drop_index(op.f("ix_reports_package_id"), table_name="reports")
    op.drop_table("reports")
    op.drop_index(op.f("ix_moderation_events_package_id"), table_name="moderation_events")
    op.drop_table("moderation_events")
