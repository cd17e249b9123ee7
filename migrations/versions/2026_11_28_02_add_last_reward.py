"""The last reward of a run, by which runs are listed. Runs that are there get it from the points that they sent."""

import json

import sqlalchemy as sa
from alembic import op

revision = "20261128_02"
down_revision = "20261128_01"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("last_reward", sa.Float(), nullable=True))
    op.add_column("runs", sa.Column("last_reward_step", sa.BigInteger(), nullable=True))
    op.create_index("ix_runs_last_reward_id", "runs", ["last_reward", "id"])
    connection = op.get_bind()
    newest = sa.text("SELECT step, metrics FROM metric_points WHERE run_id = :run ORDER BY step DESC LIMIT 20")
    write = sa.text("UPDATE runs SET last_reward = :reward, last_reward_step = :step WHERE id = :run")
    for run in connection.execute(sa.text("SELECT id FROM runs")).scalars().all():
        for step, stored in connection.execute(newest, {"run": run}):
            metrics = json.loads(stored) if isinstance(stored, str) else stored
            reward = metrics.get("reward") if isinstance(metrics, dict) else None
            if isinstance(reward, int | float):
                connection.execute(write, {"reward": float(reward), "step": step, "run": run})
                break


def downgrade() -> None:
    op.drop_index("ix_runs_last_reward_id", "runs")
    op.drop_column("runs", "last_reward_step")
    op.drop_column("runs", "last_reward")
