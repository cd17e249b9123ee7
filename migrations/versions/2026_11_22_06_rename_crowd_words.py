"""A question's ``urgency`` becomes ``priority``, and the table of MinHash signatures is named after them.

The signatures are dropped, not copied: the worker computes those that are missing.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261122_06"
down_revision = "20261122_05"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_label_questions_state_urgency", table_name="label_questions")
    op.execute("ALTER TABLE label_questions RENAME COLUMN urgency TO priority")
    op.create_index("ix_label_questions_state_priority", "label_questions", ["state", "priority"], unique=False)
    op.execute("ALTER TABLE neighbours RENAME COLUMN source_likeness TO source_similarity")
    op.drop_table("source_sketches")
    _create_table("source_minhashes", "minhash")


def downgrade() -> None:
    op.drop_table("source_minhashes")
    _create_table("source_sketches", "sketch")
    op.execute("ALTER TABLE neighbours RENAME COLUMN source_similarity TO source_likeness")
    op.drop_index("ix_label_questions_state_priority", table_name="label_questions")
    op.execute("ALTER TABLE label_questions RENAME COLUMN priority TO urgency")
    op.create_index("ix_label_questions_state_urgency", "label_questions", ["state", "urgency"], unique=False)


def _create_table(name: str, column: str) -> None:
    op.create_table(
        name,
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column(column, sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f(f"fk_{name}_release_id_releases")),
        sa.PrimaryKeyConstraint("release_id", name=op.f(f"pk_{name}")),
    )
