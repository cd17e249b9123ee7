"""``verihub admin seed``: fill an empty hub with made-up packages, to see how it behaves when it is large."""

import itertools
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from sqlalchemy import insert
from sqlalchemy.orm import Session

from hub_server.accounts.models import AccountRow
from hub_server.accounts.rules.names import fold_name
from hub_server.admin.made_up_packages import FIRST_DAY, MadeUpPackage, MadeUpRelease, PackageMaker
from hub_server.admin.opened_hub import REFUSED, Data, opened_hub
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import PackageFacetRow, PackageRow, ReleaseFileRow, ReleaseRow
from hub_server.catalog.rules.facets import error_bound_of, facets_of
from hub_server.catalog.rules.versions import version_key
from hub_server.cli import say
from hub_server.database.base import Base, new_id
from hub_server.database.package_changes import mark_changed
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.manifest import Manifest

_BATCH = 500
"""Packages in one transaction."""


def seed(
    packages: Annotated[int, typer.Option(min=1, help="How many packages.")] = 1000,
    releases: Annotated[int, typer.Option(min=1, help="How many releases in all.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The same number makes the same packages.")] = 0,
    data: Data = None,
) -> None:
    """Fill an empty hub with made-up packages.

    They have no wheels: they can be searched and looked at, not downloaded. Only a hub without packages is filled.

    \b
    Examples:
      verihub admin seed --packages 50000 --releases 500000 --data /tmp/large-hub
    """
    with opened_hub(data, may_make=True, on_mirror=False) as services:
        with services.database.reading() as session:
            held = catalog.count_everything(UnitOfWork(session, services))["packages"]
        if held:
            say(f"This hub holds {held} packages already: made-up ones are for an empty hub.")
            raise typer.Exit(REFUSED)
        maker = PackageMaker(packages=packages, releases=releases, seed=seed)
        with services.database.writing() as session:
            _insert(session, AccountRow, [_account(name) for name in maker.owners])
        done = 0
        for batch in _batches(maker.packages()):
            with services.database.writing() as session:
                _write(session, batch)
            done += len(batch)
            if done % 5000 == 0:
                say(f"{done} of {packages} packages")
    say(f"{packages} packages are written. `verihub serve` indexes them for the search when it starts.")


def _batches(packages: Iterator[MadeUpPackage]) -> Iterator[list[MadeUpPackage]]:
    while batch := list(itertools.islice(packages, _BATCH)):
        yield batch


def _write(session: Session, packages: list[MadeUpPackage]) -> None:
    _insert(session, PackageRow, [_package(one) for one in packages])
    _insert(session, PackageFacetRow, [facet for one in packages for facet in _facets(one)])
    _insert(session, ReleaseRow, [_release(one, release) for one in packages for release in one.releases])
    _insert(session, ReleaseFileRow, [file for one in packages for file in _files(one)])
    for one in packages:
        mark_changed(session, one.id)


def _insert(session: Session, table: type[Base], rows: list[dict[str, Any]]) -> None:
    if rows:
        session.execute(insert(table), rows)


def _account(name: str) -> dict[str, Any]:
    """An account that nobody can log in to."""
    return {"id": new_id(FIRST_DAY), "name": name, "name_folded": fold_name(name), "created_at": FIRST_DAY}


def _package(one: MadeUpPackage) -> dict[str, Any]:
    newest = one.releases[-1]
    return {
        "id": one.id,
        "owner": one.id.split("/")[0],
        "kind": one.kind.value,
        "created_at": one.releases[0].published_at,
        "created_by": one.id.split("/")[0],
        "updated_at": newest.published_at,
        "downloads": one.downloads,
        "latest_version": newest.version,
        "shown_release_id": _release_id(newest),
        "summary": one.summary,
        "licence": one.licence,
        "grade": one.audit.grade.value if one.audit is not None else "U",
        "error_bound": error_bound_of(one.audit),
        "audit_summary": one.audit.model_dump(mode="json") if one.audit is not None else None,
    }


def _facets(one: MadeUpPackage) -> list[dict[str, str]]:
    found = facets_of(Manifest.model_validate(one.manifest))
    return [{"package_id": one.id, "facet": name, "value": value} for name, values in found.items() for value in values]


def _release(one: MadeUpPackage, release: MadeUpRelease) -> dict[str, Any]:
    is_newest = release is one.releases[-1]
    return {
        "id": _release_id(release),
        "package_id": one.id,
        "version": release.version,
        "version_key": version_key(release.version),
        "is_prerelease": False,
        "digest": release.digest,
        "size_bytes": 10_000,
        "state": "active",
        "published_at": release.published_at,
        "published_by": one.id.split("/")[0],
        "dependencies": [],
        "licence": one.licence,
        "summary": one.summary,
        "manifest": one.manifest,
        "readme": one.readme,
        "task_counts": {},
        "audit_state": "done" if is_newest and one.audit is not None else "none",
        "audit_summary": one.audit.model_dump(mode="json") if is_newest and one.audit is not None else None,
    }


def _release_id(release: MadeUpRelease) -> str:
    return release.digest.removeprefix("sha256:")[:22]


def _files(one: MadeUpPackage) -> list[dict[str, Any]]:
    """The files of the newest release."""
    folder = one.id.replace("/", "_").replace("-", "_")
    newest = one.releases[-1]
    paths = (f"{folder}/__init__.py", f"{folder}/verihub.toml", f"{folder}/tasks.jsonl")
    return [
        {"release_id": _release_id(newest), "path": path, "size": 1000, "sha256": newest.digest.removeprefix("sha256:")}
        for path in paths
    ]
