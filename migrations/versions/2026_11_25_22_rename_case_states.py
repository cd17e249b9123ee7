"""A counter-example's states ``confirmed`` and ``held`` are called ``reproduced`` and ``agreed``.

A case's history keeps the old names: ``schemas.audit.CaseState`` reads both.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261125_22"
down_revision = "20261125_21"
branch_labels = None
depends_on = None

_NAMES = (("confirmed", "reproduced"), ("held", "agreed"))
_COLUMNS = ("state", "state_before_dispute")


def upgrade() -> None:
    for old, new in _NAMES:
        _rename(old, new)


def downgrade() -> None:
    for old, new in _NAMES:
        _rename(new, old)


def _rename(old: str, new: str) -> None:
    cases = sa.table("counter_examples", *(sa.column(name) for name in _COLUMNS))
    for name in _COLUMNS:
        column = cases.c[name]
        op.get_bind().execute(sa.update(cases).where(column == old).values({name: new}))
