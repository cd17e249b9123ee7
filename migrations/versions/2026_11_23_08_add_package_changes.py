"""Which packages changed, in order. The search index follows it outside of the database, so its tables go."""

import sqlalchemy as sa
from alembic import op

revision = "20261123_08"
down_revision = "20261123_07"
branch_labels = None
depends_on = None


INDEXES = (
    ("packages", "created_at", "id"),
    ("packages", "downloads", "id"),
    ("packages", "error_bound", "id"),
    ("releases", "package_id", "published_at"),
)
"""The orders of lists: without them each page of a list sorts all packages."""


def upgrade() -> None:
    op.create_table(
        "package_changes",
        sa.Column("package_id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_package_changes_package_id_packages")),
        sa.PrimaryKeyConstraint("package_id", name=op.f("pk_package_changes")),
        sa.UniqueConstraint("position", name=op.f("uq_package_changes_position")),
    )
    op.execute(
        "INSERT INTO package_changes (package_id, position) "
        "SELECT id, row_number() OVER (ORDER BY updated_at, id) FROM packages"
    )
    op.execute("DROP TABLE package_search")
    for table, *columns in INDEXES:
        op.create_index("_".join(["ix", table, *columns]), table, columns)


def downgrade() -> None:
    """The search of the older release finds nothing until each package is published again."""
    for table, *columns in INDEXES:
        op.drop_index("_".join(["ix", table, *columns]), table_name=table)
    if op.get_context().dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE package_search USING fts5("
            "package_id UNINDEXED, name, tags, summary, readme, tokenize = 'porter unicode61')"
        )
    else:
        op.execute("CREATE TABLE package_search (package_id TEXT PRIMARY KEY, document TSVECTOR NOT NULL)")
        op.execute("CREATE INDEX ix_package_search_document ON package_search USING gin (document)")
    op.drop_table("package_changes")
