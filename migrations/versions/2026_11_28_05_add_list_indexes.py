"""Lists are read in their order: packages with the most first, names among equals; runs of one model; questions."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_05"
down_revision = "20261128_04"
branch_labels = None
depends_on = None

_ORDERS = ("updated_at", "created_at", "downloads", "trend")
_RUNS_BY = ("model", "kind", "state")


def upgrade() -> None:
    _order_packages(" DESC")
    _order_questions([sa.text("priority DESC"), "id"])
    op.create_index("ix_labels_labelled_by_question_id", "labels", ["labelled_by", "question_id"])
    for by in _RUNS_BY:
        op.create_index(f"ix_runs_{by}_id", "runs", [by, "id"])


def downgrade() -> None:
    for by in _RUNS_BY:
        op.drop_index(f"ix_runs_{by}_id", "runs")
    op.drop_index("ix_labels_labelled_by_question_id", "labels")
    _order_questions(["priority"])
    _order_packages("")


def _order_packages(direction: str) -> None:
    for order in _ORDERS:
        op.drop_index(f"ix_packages_{order}_id", "packages")
        op.create_index(f"ix_packages_{order}_id", "packages", [sa.text(order + direction), sa.text("id")])


def _order_questions(order: list[sa.TextClause | str]) -> None:
    op.drop_index("ix_label_questions_state_priority", "label_questions")
    op.create_index("ix_label_questions_state_priority", "label_questions", ["state", *order])
