"""Pages of benchmarks: what still tells models apart, and what one benchmark's results say."""

# ruff: noqa: FAST003 -- the address classes of catalog.addresses take the path's parts

from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.catalog import actions as catalog
from hub_server.catalog.addresses import PackageAt, ReleaseAt
from hub_server.catalog.pages import API, head_of
from hub_server.catalog.presenting import PackageHead
from hub_server.catalog.rules import SearchRequest
from hub_server.evaluations import actions
from hub_server.evaluations.presenting import DRAWN, MOST_ROWS, relation_matrix, view_of
from hub_server.web.dependencies import ReadWork
from hub_server.web.rendering import render
from hub_server.work import Work
from schemas.benchmark import BenchmarkReport
from schemas.package import PackageCard

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class BenchmarkRow:
    """A benchmark of the list with what its results say, if there are any."""

    card: PackageCard
    report: BenchmarkReport | None


@router.get("/benchmarks")
def benchmarks_page(request: Request, work: ReadWork, cursor: str = "") -> HTMLResponse:
    """Benchmarks that still tell models apart, drawn."""
    asked = SearchRequest(kinds=("benchmark",), sort="updated", cursor=cursor or None)
    page = catalog.search_packages(work, asked)
    rows = [BenchmarkRow(card, _report(work, card.id, card.latest)) for card in page.items]
    return render(
        request,
        work,
        "evaluations/benchmarks.html",
        title="Benchmarks",
        section="Benchmarks",
        json_url=f"{API}/packages?kind=benchmark",
        rows=rows,
        relations=relation_matrix({row.card.id: row.report for row in rows if row.report is not None}),
        drawn=DRAWN,
        next_url=f"/benchmarks?{urlencode({'cursor': page.next})}" if page.next else None,
    )


def _report(work: Work, package: str, version: str | None) -> BenchmarkReport | None:
    return actions.find_report(work, package, version) if version else None


@router.get("/benchmarks/{owner}/{name}")
def benchmark_page(request: Request, work: ReadWork, at: PackageAt) -> HTMLResponse:
    """A benchmark's shown release."""
    return _show(request, work, head_of(work, at, "Results"))


@router.get("/benchmarks/{owner}/{name}/releases/{version}")
def benchmark_release_page(request: Request, work: ReadWork, at: ReleaseAt) -> HTMLResponse:
    """What the results on one release say."""
    return _show(request, work, head_of(work, at, "Results"))


def _show(request: Request, work: Work, head: PackageHead) -> HTMLResponse:
    package, version = head.detail.card.id, head.release.version
    report = actions.find_report(work, package, version)
    context = head.context()
    context |= {
        "section": "Benchmarks",
        "title": f"Results on {package} {version}",
        "heading_of": f"Results on {version}",
        "lead": head.release.summary,
        "json_url": f"{API}/benchmarks/{package}/releases/{version}/{'report' if report else 'results'}",
        "view": view_of(report, head.release.manifest.evaluated_splits[0]) if report else None,
        "most": MOST_ROWS,
        "drawn": DRAWN,
        "results": actions.list_results(work, package, version, limit=20).items,
        "is_waiting": not actions.is_current(work, package, version),
    }
    return render(request, work, "evaluations/benchmark.html", **context)
