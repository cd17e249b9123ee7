"""What accounts watch, how they are told, and news that wait for a mail."""

import sqlalchemy as sa
from alembic import op

revision = "20261125_61"
down_revision = "20261125_52"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "watches",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("package_id", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_watches_account_id_accounts")),
        sa.PrimaryKeyConstraint("account_id", "owner", "package_id", name=op.f("pk_watches")),
    )
    op.create_index("ix_watches_owner_package_id", "watches", ["owner", "package_id"])
    op.create_index("ix_watches_package_id", "watches", ["package_id"])
    op.create_table(
        "watchers",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("pace", sa.Text(), nullable=False),
        sa.Column("unsubscribe_code", sa.Text(), nullable=False),
        sa.Column("earliest_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_mail_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_watchers_account_id_accounts")),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_watchers")),
        sa.UniqueConstraint("unsubscribe_code", name=op.f("uq_watchers_unsubscribe_code")),
    )
    op.create_index("ix_watchers_next_mail_at", "watchers", ["next_mail_at"])
    op.create_table(
        "news",
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("event_number", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["watchers.account_id"], name=op.f("fk_news_account_id_watchers")),
        sa.ForeignKeyConstraint(["event_number"], ["events.number"], name=op.f("fk_news_event_number_events")),
        sa.PrimaryKeyConstraint("account_id", "event_number", name=op.f("pk_news")),
    )


def downgrade() -> None:
    op.drop_table("news")
    op.drop_table("watchers")
    op.drop_table("watches")
