"""Keeps the search index at the state of the database: whoever searches reads first what changed since."""

import time
from collections.abc import Mapping

from hub_server.catalog.models import PackageRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.rules.facets import facet_words
from hub_server.database import package_changes
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.search_index import SearchDocument

_BATCH = 500
_README_CHARACTERS = 50_000  # chosen: what a package is about stands before that
_PATIENCE_SECONDS = 2.0  # chosen: how long a search waits for an index that is behind
WHOLE_INDEX_SECONDS = 3600.0
"""More than building it for any hub takes: 20 s for 50,000 packages."""


def catch_up(work: UnitOfWork, *, patience_seconds: float = _PATIENCE_SECONDS) -> bool:
    """Bring the index to the newest change that this transaction sees; True when it stands there.

    A search that finds the index far behind (the first one on a hub whose index was lost) stops waiting after
    ``patience_seconds`` and answers with what is indexed.
    """
    index = work.services.search
    newest = package_changes.newest_position(work.session)
    if index.position() > newest:  # the database is an older one than the index was made of
        index.clear()
    deadline = time.monotonic() + patience_seconds
    while (before := index.position()) < newest:
        if time.monotonic() > deadline:
            return False
        changes = package_changes.changes_after(work.session, before, _BATCH)
        documents, gone = _documents(work, [change.package_id for change in changes])
        index.write(documents, gone, changes[-1].position)
    return True


def newest_change(work: UnitOfWork) -> int:
    """A number that grows whenever the list of packages, or what a card shows of one, changes."""
    return package_changes.newest_position(work.session)


def is_indexed(work: UnitOfWork) -> bool:
    """Whether the search finds everything that this transaction sees."""
    return work.services.search.position() >= package_changes.newest_position(work.session)


def _documents(work: UnitOfWork, ids: list[str]) -> tuple[list[SearchDocument], list[str]]:
    """What the index holds of these packages, and those that it must not hold."""
    packages = {
        key: row for key, row in package_queries.packages_by_ids(work.session, ids).items() if not row.is_private
    }
    listed = {package_id: package for package_id, package in packages.items() if package.is_listed}
    facets = package_queries.facets_of(work.session, list(listed))
    shown = [package.shown_release_id for package in listed.values() if package.shown_release_id is not None]
    readmes = package_queries.readmes_of(work.session, shown)
    documents = [
        document_of(package, facets[package_id], readmes.get(package.shown_release_id or "", ""))
        for package_id, package in listed.items()
    ]
    return documents, [package_id for package_id in ids if package_id not in listed]


def document_of(package: PackageRow, several: Mapping[str, list[str]], readme: str) -> SearchDocument:
    """What the index holds of a listed package. ``several``: facet -> values; ``readme``: of its shown release."""
    tags = several.get("tag", [])
    return SearchDocument(
        package_id=package.id,
        name=package.id.replace("/", " ").replace("-", " "),
        tags=f"{' '.join(tags)} {package.kind}",
        summary=package.summary,
        readme=readme[:_README_CHARACTERS],
        facet_words=facet_words(several, package.licence, package.grade),
        facets={
            **several,
            "kind": [package.kind],
            "grade": [package.grade],
            "licence": [package.licence] if package.licence else [],
            "owner": [package.owner],
        },
    )
