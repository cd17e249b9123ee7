"""A release's state as three columns, hidden cases, and the column ``jaw`` renamed to ``error_bound``."""

import sqlalchemy as sa
from alembic import op

revision = "20261122_02"
down_revision = "20261122_01"
branch_labels = None
depends_on = None

_FACTS = {"yanked": "yanked_reason", "deprecated": "deprecated_reason", "quarantined": "quarantined_reason"}


def upgrade() -> None:
    for state, column in _FACTS.items():
        op.add_column("releases", sa.Column(column, sa.Text(), nullable=True))
        op.execute(f"UPDATE releases SET {column} = state_reason WHERE state = '{state}'")  # noqa: S608 -- constants
    op.add_column("counter_examples", sa.Column("hidden_reason", sa.Text(), nullable=True))
    op.add_column("moderation_events", sa.Column("case_id", sa.Text(), nullable=False, server_default=""))
    op.execute("ALTER TABLE packages RENAME COLUMN jaw TO error_bound")


def downgrade() -> None:
    op.execute("ALTER TABLE packages RENAME COLUMN error_bound TO jaw")
    op.drop_column("moderation_events", "case_id")
    op.drop_column("counter_examples", "hidden_reason")
    for column in _FACTS.values():
        op.drop_column("releases", column)
