"""A run's series as CSV."""

import csv
import io

from hub_server.site.pages.run.series_file import series_csv
from schemas.run import MetricPoint
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def test_the_page_leads_to_every_step_that_was_logged(reader: Browser, catalogue: Api, run_id: str) -> None:
    link = next(link for link in reader.get(f"/runs/{run_id}").links if link.endswith("/series.csv"))
    answer = reader.get(f"/runs/{run_id}/series.csv").answer
    assert link.endswith(f"/runs/{run_id}/series.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    points = catalogue.get(f"/api/v1/runs/{run_id}/metrics").json()["items"]
    assert [int(row["step"]) for row in rows] == [point["step"] for point in points]
    for row, point in zip(rows, points, strict=True):
        assert {name: float(value) for name, value in row.items() if name not in ("step", "at") and value} == {
            name: value for name, value in point["values"].items() if value is not None
        }


def test_a_metrics_name_is_no_formula_and_a_gap_is_an_empty_cell() -> None:
    at = "2026-11-01T00:00:00Z"
    points = [
        MetricPoint.read({"step": 2, "at": at, "values": {"b": 1.5}}),
        MetricPoint.read({"step": 1, "at": at, "values": {"=x": 2}}),
    ]
    lines = series_csv(points).splitlines()
    assert lines[0] == "step,at,'=x,b"
    assert [line.split(",")[0] for line in lines[1:]] == ["1", "2"]
    assert lines[2].endswith(",,1.5")


def test_a_run_that_is_not_there_has_no_file(reader: Browser, catalogue: Api) -> None:
    assert reader.get("/runs/none/series.csv").status == 404
