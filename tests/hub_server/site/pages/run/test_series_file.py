"""A run's series as CSV."""

import csv
import io

import pytest

from hub_server.errors import InvalidRequestError
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
    assert lines[0] == '"step","at","\'=x","b"'
    assert [line.split(",")[0] for line in lines[1:]] == ["1", "2"]
    assert lines[2].endswith(",,1.5")


def test_a_run_that_is_not_there_has_no_file(reader: Browser, catalogue: Api) -> None:
    assert reader.get("/runs/none/series.csv").status == 404


def test_a_name_hides_no_formula_behind_a_semicolon() -> None:
    (point,) = [MetricPoint.read({"step": 1, "at": None, "values": {"a;=x": 1.0}})]
    assert series_csv([point]).splitlines()[0].endswith('"a;=x"')


def test_a_run_with_other_metrics_in_each_step_makes_no_table() -> None:
    points = [
        MetricPoint.read({"step": step, "at": None, "values": {f"m{step}-{n}": 1.0 for n in range(100)}})
        for step in range(6)
    ]
    with pytest.raises(InvalidRequestError, match="600 metrics"):
        series_csv(points)
    assert series_csv(points[:5]).count("\n") == 6


def test_the_refusal_is_answered_and_no_fault_of_the_hub(reader: Browser, catalogue: Api, run_id: str) -> None:
    items = [{"step": 100 + step, "values": {f"m{step}-{n}": 1.0 for n in range(300)}} for step in range(2)]
    assert catalogue.post(f"/api/v1/runs/{run_id}/metrics", json={"items": items}).status_code < 300
    assert reader.get(f"/runs/{run_id}/series.csv").status == 422
