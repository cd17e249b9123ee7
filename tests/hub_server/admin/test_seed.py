"""``verihub admin seed``: a hub that can be searched and looked at; never one that somebody uses."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hub_server.admin.command import app as command
from hub_server.app import create_app
from hub_server.settings import ServerSettings
from hub_server.wiring import wire
from tests.making.hub import METRICS_TOKEN, Api, make_package
from tests.making.hub_addresses import read_routes


def seed(data: Path, *more: str):
    return CliRunner().invoke(command, ["seed", "--data", str(data), *more])


def test_every_page_of_a_seeded_hub_can_be_looked_at_and_its_counts_agree(tmp_path: Path) -> None:
    done = seed(tmp_path / "hub", "--packages", "40", "--releases", "200")
    assert done.exit_code == 0, done.output
    services = wire(ServerSettings(data=tmp_path / "hub", metrics_token=METRICS_TOKEN))
    try:
        api = Api(create_app(services))
        found = api.get("/api/v1/packages?limit=100").json()
        assert found["total"] == len(found["items"]) == 40
        assert sum(found["facets"]["kind"].values()) == 40
        for path in (
            "/",
            "/packages?q=the",
            f"/packages/{found['items'][0]['id']}",
            "/simple/",
            "/compare",
        ):
            assert api.get(path).status_code == 200, path
        assert 'verihub_rows{table="packages"} 40' in api.metrics()
        ready = api.get("/readyz").json()
        assert ready["search"] == "ok"
    finally:
        services.close()


def test_a_hub_with_packages_is_left_alone(
    tmp_path: Path, services, alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not services.database.is_sqlite:
        pytest.skip("an optional dependency: the folder of this hub is that of its SQLite file")
    alice.publish(make_package())
    monkeypatch.setenv("VERIHUB_SERVER_STORAGE__DATABASE_URL", services.database.url)
    refused = seed(tmp_path / "other", "--packages", "3")
    assert refused.exit_code == 9
    assert "1 packages already" in refused.stderr
    assert len(alice.get("/api/v1/packages").json()["items"]) == 1


def test_the_bench_of_a_registry_measures_every_page(tmp_path: Path, monkeypatch, capsys) -> None:
    from scripts import bench_registry  # noqa: PLC0415

    data = tmp_path / "hub"
    bench_registry.main(
        ["--packages", "30", "--releases", "90", "--repeats", "2", "--data", str(data), "--format", "json"]
    )
    figures = json.loads(capsys.readouterr().out)
    assert figures["home_cpu_ms"] > 0
    assert 0 < figures["search_common_word_statements"] < 20
    assert figures["index_cpu_seconds"] > 0


def test_the_bench_of_a_registry_measures_every_route_and_names_what_it_leaves_out(tmp_path: Path, capsys) -> None:
    from scripts import bench_registry  # noqa: PLC0415

    hub = ["--packages", "60", "--releases", "200", "--data", str(tmp_path / "hub")]
    bench_registry.main([*hub, "--only", "/", "--repeats", "1", "--routes", "--tasks", "300", "--format", "json"])
    told = capsys.readouterr()
    figures = json.loads(told.out)
    left_out = [line.split()[2] for line in told.err.splitlines() if line.startswith("left out: ")]
    measured = {name.removesuffix("_cpu_ms") for name in figures if name.startswith("/") and name.endswith("_cpu_ms")}
    services = wire(ServerSettings(data=tmp_path / "other"))
    try:
        assert sorted([*measured, *left_out]) == sorted(set(read_routes(create_app(services))))
    finally:
        services.close()
    assert {"/", "/packages", "/packages/{owner}/{name}/settings", "/owners/{owner}", "/metrics"} <= measured
    assert "left out: /runs (no rows in runs)" in told.err
    assert "left out: /runs/{run_id} (the hub has none)" in told.err
    assert figures["task_stream_rows_per_cpu_second"] > 0
    assert figures["task_stream_to_bare_route_ratio"] > 0
