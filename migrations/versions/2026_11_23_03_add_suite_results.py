"""What each audit measured on each suite has a row, so that a suite's page reads no whole reports."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "20261123_03"
down_revision = "20261123_02"
branch_labels = None
depends_on = None

_PREFIX = "tag:suite:"


def upgrade() -> None:
    made = op.create_table(
        "suite_results",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("suite", sa.Text(), nullable=False),
        sa.Column("measurement", sa.JSON(), nullable=False),
        sa.Column("wrong", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f("fk_suite_results_release_id_releases")),
        sa.PrimaryKeyConstraint("release_id", "suite", name=op.f("pk_suite_results")),
    )
    op.create_index(op.f("ix_suite_results_suite"), "suite_results", ["suite"], unique=False)
    bind = op.get_bind()
    newest = sa.text("SELECT MAX(id) FROM audits WHERE state = 'done' GROUP BY release_id")
    for audit_id in bind.execute(newest).scalars().all():
        found = bind.execute(sa.text("SELECT release_id, report FROM audits WHERE id = :id"), {"id": audit_id}).one()
        report = json.loads(found.report) if isinstance(found.report, str) else found.report
        rows = _rows(found.release_id, report or {})
        if rows:
            bind.execute(sa.insert(made), rows)


def _rows(release_id: str, report: dict[str, Any]) -> list[dict[str, Any]]:
    suites = {
        name.removeprefix(_PREFIX): slice_
        for name, slice_ in (report.get("slices") or {}).items()
        if name.startswith(_PREFIX) and "/" in name.removeprefix(_PREFIX)
    }
    wrong: dict[str, dict[str, str]] = {suite: {} for suite in suites}
    for failure in report.get("failures") or []:
        suite, _, case = str(failure.get("case", "")).partition(":")
        if suite in wrong and failure.get("origin") != "held" and failure.get("kind") in ("fp", "fn"):
            wrong[suite][case] = failure["kind"]
    return [
        {"release_id": release_id, "suite": suite, "measurement": found, "wrong": wrong[suite]}
        for suite, found in suites.items()
    ]


def downgrade() -> None:
    op.drop_index(op.f("ix_suite_results_suite"), table_name="suite_results")
    op.drop_table("suite_results")
