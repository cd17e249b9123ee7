"""Discussions on packages and counter-examples, who follows them, and what moderators did there."""

import sqlalchemy as sa
from alembic import op

revision = "20261126_87"
down_revision = "20261126_81"
branch_labels = None
depends_on = None

_ORDERED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "discussions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("package_id", _ORDERED, nullable=False),
        sa.Column("case_id", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("activity", _ORDERED, nullable=False),
        sa.Column("last_post_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("post_count", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("is_private", sa.Boolean(), nullable=False),
        sa.Column("closed_by", sa.Text(), nullable=False),
        sa.Column("closed_as", sa.Text(), nullable=False),
        sa.Column("closed_reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_discussions_package_id_packages")),
        sa.ForeignKeyConstraint(
            ["case_id"], ["counter_examples.id"], name=op.f("fk_discussions_case_id_counter_examples")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_discussions")),
    )
    op.create_index("ix_discussions_package_id_activity", "discussions", ["package_id", "activity"])
    op.create_index("ix_discussions_case_id", "discussions", ["case_id"])
    op.create_table(
        "posts",
        sa.Column("discussion_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("edited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("hidden_reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["discussion_id"], ["discussions.id"], name=op.f("fk_posts_discussion_id_discussions")),
        sa.PrimaryKeyConstraint("discussion_id", "number", name=op.f("pk_posts")),
    )
    op.create_index("ix_posts_author_posted_at", "posts", ["author", "posted_at"])
    op.create_table(
        "discussion_watches",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("discussion_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["watchers.account_id"], name=op.f("fk_discussion_watches_account_id_watchers")
        ),
        sa.ForeignKeyConstraint(
            ["discussion_id"], ["discussions.id"], name=op.f("fk_discussion_watches_discussion_id_discussions")
        ),
        sa.PrimaryKeyConstraint("account_id", "discussion_id", name=op.f("pk_discussion_watches")),
    )
    op.create_index("ix_discussion_watches_discussion_id", "discussion_watches", ["discussion_id"])
    for table in ("reports", "moderation_events"):
        op.add_column(table, sa.Column("discussion", sa.Text(), nullable=False, server_default=""))
        op.add_column(table, sa.Column("post", sa.Integer(), nullable=True))


def downgrade() -> None:
    for table in ("moderation_events", "reports"):
        op.drop_column(table, "post")
        op.drop_column(table, "discussion")
    op.drop_table("discussion_watches")
    op.drop_table("posts")
    op.drop_table("discussions")
