"""Who yanked or deprecated a release, and when. Of those that are yanked already nobody has written it down."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_03"
down_revision = "20261128_02"
branch_labels = None
depends_on = None
FACTS = ("yanked", "deprecated")


def upgrade() -> None:
    for fact in FACTS:
        op.add_column("releases", sa.Column(f"{fact}_by", sa.Text(), nullable=True))
        op.add_column("releases", sa.Column(f"{fact}_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    for fact in FACTS:
        op.drop_column("releases", f"{fact}_at")
        op.drop_column("releases", f"{fact}_by")
