"""What the results on one benchmark say."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.evaluations import actions
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.pages.benchmark.benchmark_view import DRAWN, MOST_ROWS, view_of
from hub_server.site.pages.benchmark.leaderboard import ORDERS
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt, ReleaseAt
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.web.dependencies import ReadTransaction

router = APIRouter(include_in_schema=False)


@router.get("/benchmarks/{owner}/{name}")
def benchmark_page(request: Request, work: ReadTransaction, at: PackageAt, sort: str = "") -> HTMLResponse:
    """A benchmark's shown release. ``sort``: one of the leaderboard's orders."""
    return _show(request, work, head_of(work, at, "Results"), sort)


@router.get("/benchmarks/{owner}/{name}/releases/{version}")
def benchmark_release_page(request: Request, work: ReadTransaction, at: ReleaseAt, sort: str = "") -> HTMLResponse:
    """What the results on one release say."""
    return _show(request, work, head_of(work, at, "Results"), sort)


def _show(request: Request, work: UnitOfWork, head: PackageHead, sort: str) -> HTMLResponse:
    package, version = head.detail.card.id, head.release.version
    report = actions.find_report(work, package, version)
    senders = actions.list_senders(work, package, version) if report else {}
    order = sort if sort in ORDERS else ORDERS[0]
    context = head.context()
    context |= {
        "section": "Benchmarks",
        "title": f"Results on {package} {version}",
        "heading_of": f"Results on {version}",
        "lead": head.release.summary,
        "json_url": f"{API}/benchmarks/{package}/releases/{version}/{'report' if report else 'results'}",
        "view": view_of(report, head.release.manifest.evaluated_splits[0], senders, order) if report else None,
        "orders": ORDERS,
        "order": order,
        "most": MOST_ROWS,
        "drawn": DRAWN,
        "results": actions.list_results(work, package, version, limit=20).items,
        "is_waiting": not actions.is_current(work, package, version),
    }
    return render(request, work, "benchmark/benchmark_page.html", **context)
