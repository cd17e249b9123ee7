"""A response to a task may be submitted with another label, and again when its case was refuted; disputes have a date.

``case_key`` stays unique, because SQLite cannot drop a constraint of a table that others refer to: it now holds content
and claim, and of a refuted case its id.
"""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "20261123_01"
down_revision = "20261122_06"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("counter_examples", sa.Column("content_key", sa.Text(), nullable=False, server_default=""))
    op.add_column("counter_examples", sa.Column("claim", sa.Text(), nullable=False, server_default=""))
    op.add_column("counter_examples", sa.Column("disputed_at", sa.DateTime(timezone=True), nullable=True))
    cases = sa.table("counter_examples", *(sa.column(name) for name in ("id", "case_key", "case", "state")))
    columns = ("content_key", "claim", "disputed_at")
    rows = sa.table("counter_examples", *(sa.column(name) for name in ("id", "case_key", *columns)))
    bind = op.get_bind()
    for identifier, key, case, state in bind.execute(sa.select(*cases.c)).all():
        claim = _claim(json.loads(case) if isinstance(case, str) else case)
        place = f"{key} {claim}" if state != "refuted" else f"{key} {claim} {identifier}"
        changed = {"content_key": key, "claim": claim, "case_key": place}
        bind.execute(sa.update(rows).where(rows.c.id == identifier).values(**changed))
    bind.execute(
        sa.text("UPDATE counter_examples SET disputed_at = CURRENT_TIMESTAMP WHERE state = 'disputed'")
    )  # its clock starts now
    op.create_index(
        "ix_counter_examples_package_id_content_key", "counter_examples", ["package_id", "content_key"], unique=False
    )
    op.create_index(op.f("ix_counter_examples_disputed_at"), "counter_examples", ["disputed_at"], unique=False)


def _claim(case: dict[str, Any]) -> str:
    """As the hub makes it; thresholds are not known here, and 0.5 is the usual one."""
    expect = case.get("expect") or {}
    return " ".join(
        [str(case.get("label")), *(f"{name}={int(value >= 0.5)}" for name, value in sorted(expect.items()))]
    )


def downgrade() -> None:
    bind = op.get_bind()
    # A response stands once again: of several cases about one the oldest keeps the key that the code before looks for.
    bind.execute(
        sa.text(
            "UPDATE counter_examples SET case_key = content_key WHERE id IN "
            "(SELECT MIN(id) FROM counter_examples GROUP BY package_id, content_key)"
        )
    )
    op.drop_index(op.f("ix_counter_examples_disputed_at"), table_name="counter_examples")
    op.drop_index("ix_counter_examples_package_id_content_key", table_name="counter_examples")
    op.drop_column("counter_examples", "disputed_at")
    op.drop_column("counter_examples", "claim")
    op.drop_column("counter_examples", "content_key")
