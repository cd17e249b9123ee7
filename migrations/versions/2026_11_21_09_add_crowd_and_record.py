"""People's labels, comparisons of verifiers, similarity of their sources, and the keys that signed reports."""

import sqlalchemy as sa
from alembic import op

revision = "20261121_09"
down_revision = "20261121_08"
branch_labels = None
depends_on = None

_PACKAGE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("counter_examples", sa.Column("history", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("rollouts", sa.Column("held_out", sa.JSON(), nullable=False, server_default="{}"))
    op.create_table(
        "label_questions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("package_id", _PACKAGE, nullable=False),
        sa.Column("case_key", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("case", sa.JSON(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("rollout_id", sa.BigInteger(), nullable=True),
        sa.Column("step", sa.BigInteger(), nullable=True),
        sa.Column("verdicts", sa.JSON(), nullable=False),
        sa.Column("bits", sa.Double(), nullable=False),
        sa.Column("urgency", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("agreed_label", sa.Text(), nullable=True),
        sa.Column("case_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_label_questions_package_id_packages")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_questions")),
        sa.UniqueConstraint("package_id", "case_key", name=op.f("uq_label_questions_package_id_case_key")),
    )
    op.create_index("ix_label_questions_state_urgency", "label_questions", ["state", "urgency"], unique=False)
    op.create_table(
        "labels",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("labelled_by", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("labelled_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"], ["label_questions.id"], name=op.f("fk_labels_question_id_label_questions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_labels")),
    )
    op.create_index(op.f("ix_labels_question_id"), "labels", ["question_id"], unique=False)
    op.create_table(
        "comparisons",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("left_release_id", sa.Text(), nullable=False),
        sa.Column("right_release_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["left_release_id"], ["releases.id"], name=op.f("fk_comparisons_left_release_id_releases")
        ),
        sa.ForeignKeyConstraint(
            ["right_release_id"], ["releases.id"], name=op.f("fk_comparisons_right_release_id_releases")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparisons")),
    )
    op.create_index(
        op.f("ix_comparisons_left_release_id_right_release_id"),
        "comparisons",
        ["left_release_id", "right_release_id"],
        unique=False,
    )
    op.create_table(
        "source_sketches",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("sketch", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f("fk_source_sketches_release_id_releases")),
        sa.PrimaryKeyConstraint("release_id", name=op.f("pk_source_sketches")),
    )
    op.create_table(
        "neighbours",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("other_release_id", sa.Text(), nullable=False),
        sa.Column("source_likeness", sa.Double(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("agreed", sa.Integer(), nullable=False),
        sa.Column("distance", sa.Double(), nullable=True),
        sa.Column("behaves_alike", sa.Boolean(), nullable=False),
        sa.Column("suite_digest", sa.Text(), nullable=False),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f("fk_neighbours_release_id_releases")),
        sa.ForeignKeyConstraint(
            ["other_release_id"], ["releases.id"], name=op.f("fk_neighbours_other_release_id_releases")
        ),
        sa.PrimaryKeyConstraint("release_id", "other_release_id", name=op.f("pk_neighbours")),
    )
    op.create_index(op.f("ix_neighbours_other_release_id"), "neighbours", ["other_release_id"], unique=False)
    op.create_table(
        "signing_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("first_used_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signing_keys")),
    )


def downgrade() -> None:
    op.drop_table("signing_keys")
    op.drop_index(op.f("ix_neighbours_other_release_id"), table_name="neighbours")
    op.drop_table("neighbours")
    op.drop_table("source_sketches")
    op.drop_index(op.f("ix_comparisons_left_release_id_right_release_id"), table_name="comparisons")
    op.drop_table("comparisons")
    op.drop_index(op.f("ix_labels_question_id"), table_name="labels")
    op.drop_table("labels")
    op.drop_index("ix_label_questions_state_urgency", table_name="label_questions")
    op.drop_table("label_questions")
    op.drop_column("rollouts", "held_out")
    op.drop_column("counter_examples", "history")
