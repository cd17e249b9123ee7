"""How many bytes are kept of each run, its metrics and its rollouts, of which an account may have so many."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_12"
down_revision = "20261128_11"
branch_labels = None
depends_on = None

_COUNT = """
    UPDATE runs SET stored_bytes = kept.size FROM (
        SELECT run_id, sum(size) AS size FROM (
            SELECT run_id, {rollout} + 200 AS size FROM rollouts
            UNION ALL SELECT run_id, {metrics} + 100 AS size FROM metric_points
        ) AS rows_of GROUP BY run_id
    ) AS kept WHERE kept.run_id = runs.id
"""


def upgrade() -> None:
    op.add_column("runs", sa.Column("stored_bytes", sa.BigInteger(), nullable=False, server_default="0"))
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    size = "length(CAST({} AS BLOB))" if is_sqlite else "octet_length(CAST({} AS TEXT))"
    rollout = " + ".join(size.format(column) for column in ("prompt", "response", "error", "rewards"))
    op.execute(_COUNT.format(rollout=rollout, metrics=size.format("metrics")))
    op.create_index("ix_runs_owner_stored_bytes", "runs", ["owner", "stored_bytes"])


def downgrade() -> None:
    op.drop_index("ix_runs_owner_stored_bytes", "runs")
    op.drop_column("runs", "stored_bytes")
