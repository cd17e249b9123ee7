"""In stored JSON, ``lean`` is called ``acceptance`` and ``standing`` is called ``trust_level``."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "20261122_04"
down_revision = "20261122_03"
branch_labels = None
depends_on = None

_RENAMED = (("label_questions", "id", "verdicts", "lean", "acceptance"),
            ("benchmark_reports", "release_id", "report", "standing", "trust_level"))  # fmt: skip
"""(table, its key, the column with JSON, old name, new name)"""
_ROWS = 200
"""So many rows are in memory at a time: a report can be large."""


def upgrade() -> None:
    for table, key, column, old, new in _RENAMED:
        _rename(table, key, column, old, new)


def downgrade() -> None:
    for table, key, column, old, new in _RENAMED:
        _rename(table, key, column, new, old)


def _rename(table: str, key: str, column: str, old: str, new: str) -> None:
    rows = sa.table(table, sa.column(key, sa.Text()), sa.column(column, sa.JSON()))
    connection, last = op.get_bind(), ""
    while True:
        page = sa.select(rows.c[key], rows.c[column]).where(rows.c[key] > last).order_by(rows.c[key]).limit(_ROWS)
        found = connection.execute(page).all()
        for identifier, value in found:
            renamed = _renamed(value, old, new)
            if renamed != value:
                connection.execute(sa.update(rows).where(rows.c[key] == identifier).values({column: renamed}))
        if len(found) < _ROWS:
            return
        last = found[-1][0]


def _renamed(value: Any, old: str, new: str) -> Any:
    """``value`` with the key renamed at every level, but not among rewards: authors choose their names."""
    if isinstance(value, list):
        return [_renamed(one, old, new) for one in value]
    if isinstance(value, dict):
        return {
            new if name == old else name: one if name == "rewards" else _renamed(one, old, new)
            for name, one in value.items()
        }
    return value
