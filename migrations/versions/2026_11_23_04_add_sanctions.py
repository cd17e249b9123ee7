"""What moderators can stop: accounts, whole packages, names; and a log that is about any of them."""

import sqlalchemy as sa
from alembic import op

revision = "20261123_04"
down_revision = "20261123_03"
branch_labels = None
depends_on = None

_ADDED = (
    ("accounts", "suspended_reason"),
    ("accounts", "hidden_reason"),
    ("packages", "quarantined_reason"),
    ("packages", "hidden_reason"),
    ("packages", "taken_down_reason"),
    ("releases", "taken_down_reason"),
)


def upgrade() -> None:
    for table, column in _ADDED:
        op.add_column(table, sa.Column(column, sa.Text(), nullable=True))
    op.create_index(op.f("ix_accounts_hidden_reason"), "accounts", ["hidden_reason"], unique=False)
    op.create_table(
        "blocked_names",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_folded", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("blocked_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_blocked_names")),
    )
    op.create_index(op.f("ix_blocked_names_name_folded"), "blocked_names", ["name_folded"], unique=False)
    op.add_column("moderation_events", sa.Column("account", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("moderation_events") as events:  # no other table refers to this one
        events.alter_column("package_id", existing_type=sa.Text(), nullable=True)


def downgrade() -> None:
    op.execute("DELETE FROM moderation_events WHERE package_id IS NULL")
    with op.batch_alter_table("moderation_events") as events:
        events.alter_column("package_id", existing_type=sa.Text(), nullable=False)
    op.drop_column("moderation_events", "account")
    op.drop_index(op.f("ix_blocked_names_name_folded"), table_name="blocked_names")
    op.drop_table("blocked_names")
    op.drop_index(op.f("ix_accounts_hidden_reason"), table_name="accounts")
    for table, column in reversed(_ADDED):
        op.drop_column(table, column)
