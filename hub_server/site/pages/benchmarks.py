"""The list of benchmarks: which of them still tell models apart, and how they agree."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.catalog import actions as catalog
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.evaluations import actions
from hub_server.site.pages.benchmark.benchmark_view import DRAWN
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.web.dependencies import ReadTransaction
from schemas.benchmark import (
    BenchmarkReport,
    RelatedBenchmark,
)
from schemas.package import PackageCard, PackageSort

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class BenchmarkRow:
    """A benchmark of the list with what its results say, if there are any."""

    card: PackageCard
    report: BenchmarkReport | None


@router.get("/benchmarks")
def benchmarks_page(request: Request, work: ReadTransaction, cursor: str = "") -> HTMLResponse:
    """Benchmarks that still tell models apart, drawn."""
    asked = SearchRequest(kinds=("benchmark",), sort=PackageSort.UPDATED, cursor=cursor or None)
    page = catalog.search_packages(work, asked)
    reports = actions.find_reports(work, {card.id: card.latest for card in page.items})
    rows = [BenchmarkRow(card, reports.get(card.id)) for card in page.items]
    return render(
        request,
        work,
        "benchmarks.html",
        title="Benchmarks",
        section="Benchmarks",
        json_url=f"{API}/packages?kind=benchmark",
        rows=rows,
        relations=relation_matrix(reports),
        drawn=DRAWN,
        next_url=f"/benchmarks?{urlencode({'cursor': page.next})}" if page.next else None,
    )


@dataclass(frozen=True)
class RelationMatrix:
    """How benchmarks agree in ranking: ``cells[row][column]`` for a row below its column, None where unknown."""

    names: list[str]
    cells: list[list[RelatedBenchmark | None]]


def relation_matrix(reports: Mapping[str, BenchmarkReport]) -> RelationMatrix | None:
    """The benchmarks of which any two share enough entries; None where no two do."""
    found = {
        (name, other.benchmark): other
        for name, report in reports.items()
        for other in report.related
        if other.benchmark in reports
    }
    names = sorted({name for pair in found for name in pair})
    if not names:
        return None
    return RelationMatrix(names, [[found.get((row, column)) for column in names] for row in names])
