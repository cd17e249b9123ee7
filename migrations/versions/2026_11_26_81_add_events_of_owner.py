"""Events of one owner are found by an index."""

from alembic import op

revision = "20261126_81"
down_revision = "20261126_71"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_events_owner_number", "events", ["owner", "number"])


def downgrade() -> None:
    op.drop_index("ix_events_owner_number", "events")
