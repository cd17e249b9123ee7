"""Who has left an organisation, and when. Of those who left before nobody has written it down."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_04"
down_revision = "20261128_03"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "former_members",
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("member", sa.Text(), primary_key=True),
        sa.Column("left_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )


def downgrade() -> None:
    op.drop_table("former_members")
