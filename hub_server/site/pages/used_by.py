"""What uses a package: packages that depend on it, lists that name it, and runs."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.catalog import actions as catalog
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.web.dependencies import ReadTransaction
from schemas.kinds import PackageKind
from schemas.package import Dependant
from schemas.run import RunFilter

router = APIRouter(include_in_schema=False)
LISTS = frozenset({PackageKind.BENCHMARK, PackageKind.SUITE, PackageKind.RECIPE})
"""Kinds that name others to measure or train with them; the other kinds run what they depend on."""


@dataclass(frozen=True)
class DependantList:
    """One of the page's two lists of packages."""

    id: str
    title: str
    note: str
    items: list[Dependant]
    count: int
    next_url: str


@router.get("/packages/{owner}/{name}/used-by")
def used_by_page(
    request: Request,
    work: ReadTransaction,
    at: PackageAt,
    cursor: str | None = None,
    packages: str | None = None,
    lists: str | None = None,
) -> HTMLResponse:
    """Three lists, each with its own page: ``packages`` and ``lists`` are cursors, as ``cursor`` is for runs."""
    head = head_of(work, at, "Used by")
    package = head.detail.card.id
    counts = catalog.count_dependants(work, package)
    page = actions.list_runs(work, RunFilter(package=package), cursor=cursor)
    return render(
        request,
        work,
        "used_by.html",
        **head.context(),
        json_url=f"{API}/packages/{package}/dependants",
        dependants=[
            _list(work, head, counts, "packages", packages),
            _list(work, head, counts, "lists", lists),
        ],
        runs=page.items,
        run_count=actions.count_runs_with(work, package),
        next_url=f"{head.base}/used-by?{urlencode({'cursor': page.next})}#runs" if page.next else None,
    )


_TITLES = {
    "packages": ("Packages that depend on it", "By what the release that each shows refers to."),
    "lists": ("Benchmarks, suites and recipes that name it", "They measure or train with it."),
}


def _list(
    work: UnitOfWork, head: PackageHead, counts: dict[PackageKind, int], which: str, cursor: str | None
) -> DependantList:
    kinds = LISTS if which == "lists" else frozenset(PackageKind) - LISTS
    page = catalog.list_dependants(work, head.detail.card.id, kinds, cursor=cursor)
    title, note = _TITLES[which]
    count = sum(counts.get(kind, 0) for kind in kinds)
    more = f"{head.base}/used-by?{urlencode({which: page.next})}#{which}" if page.next else ""
    return DependantList(which, title, note, page.items, count, more)
