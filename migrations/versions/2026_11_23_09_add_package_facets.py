"""Tags become one of several facets of a package: what it is tagged, how a model meets it, what it judges."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "20261123_09"
down_revision = "20261123_08"
branch_labels = None
depends_on = None

_BATCH = 500
_ORDERED_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_facets = sa.table("package_facets", sa.column("package_id"), sa.column("facet"), sa.column("value"))


def upgrade() -> None:
    op.create_table(
        "package_facets",
        sa.Column("package_id", _ORDERED_TEXT, nullable=False),
        sa.Column("facet", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_package_facets_package_id_packages")),
        sa.PrimaryKeyConstraint("package_id", "facet", "value", name=op.f("pk_package_facets")),
    )
    op.create_index("ix_package_facets_facet_value", "package_facets", ["facet", "value"])
    op.execute("INSERT INTO package_facets (package_id, facet, value) SELECT package_id, 'tag', tag FROM package_tags")
    op.drop_table("package_tags")
    connection = op.get_bind()
    shown = connection.execute(
        sa.text("SELECT r.package_id, r.manifest FROM packages p JOIN releases r ON r.id = p.shown_release_id")
    )
    rows: list[dict[str, str]] = []
    for package_id, manifest in shown.fetchall():
        found = json.loads(manifest) if isinstance(manifest, str) else manifest
        rows += [{"package_id": package_id, "facet": facet, "value": value} for facet, value in _facets_of(found)]
    for start in range(0, len(rows), _BATCH):
        op.bulk_insert(_facets, rows[start : start + _BATCH])


def _facets_of(manifest: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """As ``hub_server.catalog.rules.facets_of`` read a manifest when this step was written."""
    tags = manifest.get("tags") or []
    if manifest.get("kind") == "environment":
        yield "interaction", "several-turns" if manifest.get("session") else "single-turn"
        if manifest.get("tools") or "tool-use" in tags:
            yield "interaction", "tools"
    if manifest.get("model"):
        yield "interaction", "asks-a-model"
    families = {manifest.get("family"), *(manifest.get("judges") or {})} - {None}
    yield from (("family", family) for family in sorted(families))


def downgrade() -> None:
    """The other facets follow from manifests, so nothing is lost."""
    op.create_table(
        "package_tags",
        sa.Column("package_id", _ORDERED_TEXT, nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["package_id"], ["packages.id"], name=op.f("fk_package_tags_package_id_packages")),
        sa.PrimaryKeyConstraint("package_id", "tag", name=op.f("pk_package_tags")),
    )
    op.create_index(op.f("ix_package_tags_tag"), "package_tags", ["tag"])
    op.execute(
        "INSERT INTO package_tags (package_id, tag) SELECT package_id, value FROM package_facets WHERE facet = 'tag'"
    )
    op.drop_table("package_facets")
