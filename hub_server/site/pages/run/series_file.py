"""A run's series as CSV, for a spreadsheet or a plot of one's own."""

import csv
import io
from collections.abc import Sequence

from fastapi import APIRouter, Response

from hub_server.errors import InvalidRequestError
from hub_server.runs import actions
from hub_server.web.dependencies import ReadTransaction
from schemas.run import MetricPoint

router = APIRouter(include_in_schema=False)
MOST_COLUMNS = 500
"""As many as one step may have. Whoever names other metrics in each of 2000 steps would ask for 10⁹ cells."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet runs a cell that begins so, and whoever reports a run names its metrics."""


@router.get("/runs/{run_id}/series.csv")
def series_file(work: ReadTransaction, run_id: str) -> Response:
    """Every metric by step: one row a step, an empty cell where a metric was not logged.

    Raises ``InvalidRequestError`` for a run of more than ``MOST_COLUMNS`` metrics.
    """
    text = series_csv(actions.get_metrics(work, run_id).items)
    headers = {"Content-Disposition": 'attachment; filename="series.csv"', "Cache-Control": "no-cache"}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


def series_csv(points: Sequence[MetricPoint]) -> str:
    """Columns: step, time (ISO 8601), then metrics by name."""
    names = sorted({name for point in points for name in point.values})
    if len(names) > MOST_COLUMNS:
        raise InvalidRequestError(
            f"This run has {len(names)} metrics, and a table has at most {MOST_COLUMNS} columns: "
            "read them as JSON (`GET /api/v1/runs/RUN/metrics`)."
        )
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    # Quoted, because a spreadsheet that parts cells at semicolons would find a formula behind one.
    header = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    header.writerow(["step", "at", *(f"'{name}" if name.startswith(_FORMULA) else name for name in names)])
    for point in sorted(points, key=lambda point: point.step):
        values = [point.values.get(name) for name in names]
        at = point.at.isoformat() if point.at is not None else ""
        rows.writerow([point.step, at, *("" if value is None else value for value in values)])
    return file.getvalue()
