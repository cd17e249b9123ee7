"""Lists of one kind or grade in an order at whose end all of it stands."""

import sqlalchemy as sa
from alembic import op

revision = "20261127_98"
down_revision = "20261126_97"
branch_labels = None
depends_on = None

# The most comes first and names follow the alphabet: an index in the other order would be sorted again among equals.
_INDEXES = (
    ("kind", "error_bound", ""),
    ("kind", "trend", " DESC"),
    ("kind", "downloads", " DESC"),
    ("grade", "error_bound", ""),
)


def upgrade() -> None:
    for chosen, order, direction in _INDEXES:
        columns = [sa.text(chosen), sa.text(order + direction), sa.text("id")]
        op.create_index(f"ix_packages_{chosen}_{order}_id", "packages", columns)


def downgrade() -> None:
    for chosen, order, _ in _INDEXES:
        op.drop_index(f"ix_packages_{chosen}_{order}_id", "packages")
