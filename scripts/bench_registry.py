"""What a large hub's pages cost: ``scripts/bench registry``.

A hub is filled with made-up packages (``verihub admin seed``) once, in a folder that may be kept with ``--data``. Each
page is then asked for in this process, without a network: CPU time (this process has one thread at work, so it hardly
depends on what else the machine does), SQL statements, and the size of the answer. ``--wall`` adds the 95th percentile
of the wall time, which means something on an idle machine only. Of a PostgreSQL server on this machine its own CPU time
is added (``_server_cpu_ms``, the mean of all requests). ``--routes`` adds every page and list of the API, under its
route, as a moderator sees it. ``--tasks`` adds a stream of so many tasks, beside a route that only sends its bytes.
``--publishing`` adds what publishing costs, by a hub in a process of its own. The last two leave packages there.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
from fastapi import FastAPI
from sqlalchemy import text

from hub_server.app import create_app
from hub_server.catalog.actions.search_updates import catch_up
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.python_gc import keep_what_is_loaded
from hub_server.settings import ServerSettings
from hub_server.settings_groups import StorageSettings
from hub_server.wiring import wire
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from scripts.bench_page import measure_page
from scripts.bench_publishes import measure_publishes
from scripts.bench_routes import largest_owner, measure_routes, prove
from scripts.bench_task_stream import measure_task_stream

_METRICS_TOKEN = "of-this-measurement"  # noqa: S105 -- of a hub that ends with it
_OPERATORS = {"Authorization": f"Bearer {_METRICS_TOKEN}"}
_PATIENCE_SECONDS = 600.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = bench_parser("registry", __doc__)
    parser.add_argument("--packages", type=int, default=50_000)
    parser.add_argument("--releases", type=int, default=500_000)
    parser.add_argument("--data", type=Path, help="the hub's folder; filled where it is not, and kept")
    parser.add_argument("--database", default="", help="postgresql://… in place of SQLite in the folder")
    parser.add_argument("--repeats", type=int, default=15, help="requests of each page")
    parser.add_argument("--wall", action="store_true", help="also the 95th percentile of the wall time, in ms")
    parser.add_argument("--only", default="", help="pages and routes whose name holds this")
    parser.add_argument("--routes", action="store_true", help="also every page and list of the API, by its route")
    parser.add_argument("--tasks", type=int, default=0, help="also a stream of so many tasks")
    parser.add_argument("--publishing", action="store_true", help="also publishes a second, and what a download costs")
    run_bench(parser, _measure, arguments, digits=1)


def _measure(options: argparse.Namespace) -> dict[str, float]:
    folder = options.data or Path(tempfile.mkdtemp(prefix="verihub-registry-"))
    try:
        settings = ServerSettings(
            data=folder, metrics_token=_METRICS_TOKEN, storage=StorageSettings(database_url=options.database)
        )
        _seed(options, folder)
        found = _asked_here(settings, options)
        return found | (measure_publishes(folder, options.database) if options.publishing else {})
    finally:
        if options.data is None:
            shutil.rmtree(folder, ignore_errors=True)


def _seed(options: argparse.Namespace, folder: Path) -> None:
    """Fill the hub where it is empty. A hub that holds packages is measured as it is."""
    environment = os.environ | ({"VERIHUB_SERVER_STORAGE__DATABASE_URL": options.database} if options.database else {})
    command = [sys.executable, "-m", "hub_server", "admin", "seed", "--data", str(folder)]
    command += ["--packages", str(options.packages), "--releases", str(options.releases)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    sys.stderr.write(done.stderr)


def _asked_here(settings: ServerSettings, options: argparse.Namespace) -> dict[str, float]:
    services = wire(settings)
    try:
        with services.database.reading() as session:
            owner = largest_owner(session)
        services.settings.moderators.append(owner)
        app = create_app(services)
        found = _pages(services, app, options)
        asks = {"Authorization": f"Bearer {prove(services, owner)}"} if options.routes or options.tasks else {}
        if options.routes:
            found |= measure_routes(services, app, {"": asks, "/metrics": _OPERATORS}, options)
        if options.tasks:
            found |= measure_task_stream(
                services, app, owner=owner, headers=asks, tasks=options.tasks, repeats=options.repeats
            )
        return found
    finally:
        services.close()


def _pages(services: Services, app: FastAPI, options: argparse.Namespace) -> dict[str, float]:
    figures: dict[str, float] = {}
    began = time.process_time()
    with services.database.reading() as session:
        work = UnitOfWork(session, services)
        assert catch_up(work, patience_seconds=_PATIENCE_SECONDS)
        figures["index_cpu_seconds"] = time.process_time() - began
        addresses = _addresses(work)
    transport = httpx.ASGITransport(app=app)
    keep_what_is_loaded()  # as `verihub serve` does
    for name, address in addresses.items():
        if options.only in name:
            headers = _OPERATORS if name == "metrics" else {}
            client = httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)
            figures.update(asyncio.run(measure_page(client, services, name, address, options)))
    return figures


def _addresses(work: UnitOfWork) -> dict[str, str]:
    """Name -> address of every page that is measured. The package is the one with the most releases up to 300."""
    found = work.services.search.find("", {}, 1)
    package, count = _most_released(work)
    owner, name = package.split("/")
    tag = next(iter(found.facets["tag"]))
    last_tag = list(found.facets["tag"])[-1]
    browse, api = "/packages", "/api/v1/packages"
    return {
        "home": "/",
        "browse": browse,
        "browse_kind": f"{browse}?kind=tool",
        "browse_rare": f"{browse}?kind=tool&tag={last_tag}&grade=U",
        "browse_by_error": f"{browse}?sort=error",
        "browse_by_downloads": f"{browse}?sort=downloads",
        "browse_by_name": f"{browse}?sort=name",
        "search_exact_name": f"{browse}?q={name}",
        "search_exact_id": f"{browse}?q={package}",
        "search_two_words": f"{browse}?q=verifier+answer",
        "search_common_word": f"{browse}?q=the",
        "search_common_word_by_downloads": f"{browse}?q=the&sort=downloads",
        "search_one_letter": f"{browse}?q=t",
        "search_sixteen_words": f"{browse}?q={'+'.join(['the', 'of', 'and', 'to'] * 4)}",
        "search_filtered": f"{browse}?q=the&owner={owner}&tag={tag}",
        "search_typing_error": f"{browse}?q={name[:-1]}x",
        "search_nothing": f"{browse}?q=zqzqzqzq",
        "package": f"{browse}/{package}",
        "package_releases": f"{browse}/{package}/releases",
        "owner": f"/owners/{owner}",
        "compare": "/compare",
        "label": "/label",
        "benchmarks": "/benchmarks",
        "runs": "/runs",
        "api_list": api,
        "api_list_of_100": f"{api}?limit=100",
        "api_search_common_word": f"{api}?q=the",
        "api_package": f"{api}/{package}",
        "api_release": f"{api}/{package}/releases/{count}.0.0",
        "simple_index": "/simple/",
        "simple_project": f"/simple/{package.replace('/', '-')}/",
        "feed_of_all": "/feeds/releases.atom",
        "feed_of_an_owner": f"/feeds/owners/{owner}.atom",
        "metrics": "/metrics",
    }


def _most_released(work: UnitOfWork) -> tuple[str, int]:
    statement = (
        "SELECT package_id, count(*) AS n FROM releases GROUP BY package_id HAVING count(*) <= 300 "
        "ORDER BY n DESC, package_id LIMIT 1"
    )
    row = work.session.execute(text(statement)).one()
    return str(row[0]), int(row[1])


if __name__ == "__main__":
    main()
