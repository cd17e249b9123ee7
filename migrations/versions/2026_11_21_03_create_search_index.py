"""The search index: FTS5 on SQLite, tsvector on PostgreSQL."""

from alembic import op

revision = "20261121_03"
down_revision = "20261121_02"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_context().dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE package_search USING fts5("
            "package_id UNINDEXED, name, tags, summary, readme, tokenize = 'porter unicode61')"
        )
    else:
        op.execute("CREATE TABLE package_search (package_id TEXT PRIMARY KEY, document TSVECTOR NOT NULL)")
        op.execute("CREATE INDEX ix_package_search_document ON package_search USING gin (document)")


def downgrade() -> None:
    op.execute("DROP TABLE package_search")
