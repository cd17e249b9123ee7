"""Who has disputed a case, by account: until now only each case's history said so."""

import json

import sqlalchemy as sa
from alembic import op

revision = "20261128_14"
down_revision = "20261128_13"
branch_labels = None
depends_on = None

_AT_ONCE = 500
_PAGE = "SELECT id, history FROM counter_examples WHERE id > :after ORDER BY id LIMIT :many"


def upgrade() -> None:
    table = op.create_table(
        "case_disputes",
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["counter_examples.id"], name="fk_case_disputes_case_id_counter_examples"),
        sa.PrimaryKeyConstraint("case_id", "account", name="pk_case_disputes"),
    )
    connection, after = op.get_bind(), ""
    while rows := connection.execute(sa.text(_PAGE), {"after": after, "many": _AT_ONCE}).all():
        found = {(case_id, event["by"]) for case_id, said in rows for event in _events(said) if _is_dispute(event)}
        if found:
            op.bulk_insert(table, [{"case_id": case_id, "account": account} for case_id, account in sorted(found)])
        after = rows[-1][0]
    op.create_index("ix_case_disputes_account", "case_disputes", ["account"])


def _events(history: str | list[dict[str, str]] | None) -> list[dict[str, str]]:
    """SQLite gives the text, PostgreSQL the list."""
    return (json.loads(history) if isinstance(history, str) else history) or []


def _is_dispute(event: dict[str, str]) -> bool:
    return event.get("what") == "disputed" and "by" in event


def downgrade() -> None:
    op.drop_index("ix_case_disputes_account", "case_disputes")
    op.drop_table("case_disputes")
