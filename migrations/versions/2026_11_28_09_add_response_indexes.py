"""What other packages have about the same response is found by an index."""

from alembic import op

revision = "20261128_09"
down_revision = "20261128_08"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_counter_examples_content_key", "counter_examples", ["content_key"])
    op.create_index("ix_label_questions_case_key", "label_questions", ["case_key"])


def downgrade() -> None:
    op.drop_index("ix_label_questions_case_key", "label_questions")
    op.drop_index("ix_counter_examples_content_key", "counter_examples")
