"""Archived packages, packages that were given away, and which packages a release refers to."""

import json
import re
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "20261125_52"
down_revision = "20261125_51"
branch_labels = None
depends_on = None

_BATCH = 500
_ORDERED_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_REFERENCE = re.compile(r"([a-z0-9]{2,39}/[a-z0-9]+(?:-[a-z0-9]+)*)(?:@.*)?")
_DEPENDENCY = re.compile(r"\s*([A-Za-z0-9]+)[-_.]+([A-Za-z0-9][A-Za-z0-9._-]*)")
_needs = sa.table("release_needs", sa.column("release_id"), sa.column("package_id"))


def upgrade() -> None:
    op.add_column("packages", sa.Column("archived_reason", sa.Text(), nullable=True))
    op.create_table(
        "former_owners",
        sa.Column("package_id", _ORDERED_TEXT, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_former_owners_package_id_packages")),
        sa.PrimaryKeyConstraint("package_id", "owner", name=op.f("pk_former_owners")),
    )
    op.create_index(op.f("ix_former_owners_owner"), "former_owners", ["owner"])
    op.create_table(
        "transfers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("package_id", _ORDERED_TEXT, nullable=False),
        sa.Column("from_owner", sa.Text(), nullable=False),
        sa.Column("to_owner", sa.Text(), nullable=False),
        sa.Column("offered_by", sa.Text(), nullable=False),
        sa.Column("offered_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("answered_by", sa.Text(), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_transfers_package_id_packages")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transfers")),
    )
    for column in ("package_id", "from_owner", "to_owner"):
        op.create_index(op.f(f"ix_transfers_{column}"), "transfers", [column])
    op.create_table(
        "release_needs",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("package_id", _ORDERED_TEXT, nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["releases.id"], name=op.f("fk_release_needs_release_id_releases")),
        sa.PrimaryKeyConstraint("release_id", "package_id", name=op.f("pk_release_needs")),
    )
    op.create_index(op.f("ix_release_needs_package_id"), "release_needs", ["package_id"])
    _fill_needs(op.get_bind())


def _fill_needs(connection: sa.Connection) -> None:
    known = set(connection.scalars(sa.text("SELECT id FROM packages")))
    after = ""
    while True:
        rows = connection.execute(
            sa.text(
                "SELECT id, package_id, manifest, dependencies FROM releases WHERE id > :after ORDER BY id LIMIT :most"
            ),
            {"after": after, "most": _BATCH},
        ).all()
        if not rows:
            return
        found = [
            {"release_id": release_id, "package_id": needed}
            for release_id, package_id, manifest, dependencies in rows
            for needed in sorted({*_named_in(_read(manifest)), *_named_by(_read(dependencies))} & known - {package_id})
        ]
        if found:
            op.bulk_insert(_needs, found)
        after = rows[-1][0]


def _read(stored: Any) -> Any:
    return json.loads(stored) if isinstance(stored, str) else stored


def _named_in(manifest: dict[str, Any]) -> Iterator[str]:
    """As ``Manifest.references`` found them when this step was written."""
    for key in ("verifier", "tools", "environments", "harnesses"):
        yield from _references(manifest.get(key))


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        match = _REFERENCE.fullmatch(value)
        if match is not None:
            yield match[1]
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _references(part)


def _named_by(dependencies: list[str]) -> Iterator[str]:
    """``alice-some_sums>=1`` -> ``alice/some-sums``."""
    for text in dependencies or ():
        match = _DEPENDENCY.match(text)
        if match is not None:
            name = re.sub(r"[-_.]+", "-", match[2]).strip("-")
            yield f"{match[1]}/{name}".lower()


def downgrade() -> None:
    """A package that was given away goes back to whom it is named after: the older hub knows no other owner."""
    connection = op.get_bind()
    for package_id in connection.scalars(sa.text("SELECT DISTINCT package_id FROM former_owners")).all():
        connection.execute(
            sa.text("UPDATE packages SET owner = :owner WHERE id = :id"),
            {"owner": package_id.partition("/")[0], "id": package_id},
        )
    op.drop_table("release_needs")
    op.drop_table("transfers")
    op.drop_table("former_owners")
    op.drop_column("packages", "archived_reason")
