"""What a large hub's pages cost: ``scripts/bench registry``.

A hub is filled with made-up packages (``verihub admin seed``) once, in a folder that may be kept with ``--data``. Each
page is then asked for in this process, without a network: CPU time (this process has one thread at work, so it hardly
depends on what else the machine does), SQL statements, and the size of the answer. ``--wall`` adds the 95th percentile
of the wall time, which means something on an idle machine only. Of a PostgreSQL server on this machine its own CPU time
is added (``_server_cpu_ms``, the mean of all requests). ``--publishing`` adds what publishing costs, by a hub
in a process of its own; it leaves small packages in the folder.
"""

import argparse
import asyncio
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import event, text

from hub_server.app import create_app
from hub_server.catalog.actions.search_updates import catch_up
from hub_server.database.engine import Database
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.python_gc import keep_what_is_loaded
from hub_server.settings import ServerSettings
from hub_server.settings_groups import StorageSettings
from hub_server.wiring import wire
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from scripts.bench_publishes import measure_publishes

_METRICS_TOKEN = "of-this-measurement"  # noqa: S105 -- of a hub that ends with it
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
    parser.add_argument("--only", default="", help="pages whose name holds this")
    parser.add_argument("--publishing", action="store_true", help="also publishes a second, and what a download costs")
    run_bench(parser, _measure, arguments, digits=1)


def _measure(options: argparse.Namespace) -> dict[str, float]:
    folder = options.data or Path(tempfile.mkdtemp(prefix="verihub-registry-"))
    try:
        settings = ServerSettings(
            data=folder, metrics_token=_METRICS_TOKEN, storage=StorageSettings(database_url=options.database)
        )
        _seed(options, folder)
        services = wire(settings)
        try:
            found = _pages(services, options)
        finally:
            services.close()
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


def _pages(services: Services, options: argparse.Namespace) -> dict[str, float]:
    figures: dict[str, float] = {}
    began = time.process_time()
    with services.database.reading() as session:
        work = UnitOfWork(session, services)
        assert catch_up(work, patience_seconds=_PATIENCE_SECONDS)
        figures["index_cpu_seconds"] = time.process_time() - began
        addresses = _addresses(work)
    transport = httpx.ASGITransport(app=create_app(services))
    keep_what_is_loaded()  # as `verihub serve` does
    operators = {"Authorization": f"Bearer {_METRICS_TOKEN}"}
    for name, address in addresses.items():
        if options.only in name:
            headers = operators if name == "metrics" else {}
            client = httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)
            figures.update(asyncio.run(_page(client, services, name, address, options)))
    return figures


async def _page(
    client: httpx.AsyncClient, services: Services, name: str, address: str, options: argparse.Namespace
) -> dict[str, float]:
    answer = await client.get(address)  # what is made once is made
    assert answer.status_code == 200, (address, answer.status_code, answer.text[:300])
    with _counted(services.database.engine) as statements:
        answer = await client.get(address)
    cpu, wall = [], []
    server_began = _server_cpu_ms(services.database)
    for _ in range(options.repeats):
        cpu_began, wall_began = time.process_time(), time.perf_counter()
        await _read(client, address)
        cpu.append((time.process_time() - cpu_began) * 1e3)
        wall.append((time.perf_counter() - wall_began) * 1e3)
    figures = {
        f"{name}_cpu_ms": statistics.median(cpu),
        f"{name}_statements": statements[0],
        f"{name}_kilobytes": len(answer.content) / 1000,
    }
    if not services.database.is_sqlite:
        figures[f"{name}_server_cpu_ms"] = (_server_cpu_ms(services.database) - server_began) / options.repeats
    if options.wall:
        figures[f"{name}_p95_wall_ms"] = sorted(wall)[int(0.95 * (len(wall) - 1))]
    return figures


def _server_cpu_ms(database: Database) -> float:
    """What the PostgreSQL processes that serve this database have used so far, in ms; 0 of SQLite, which has none."""
    if database.is_sqlite:
        return 0.0
    with database.reading() as session:
        serving = session.scalars(text("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"))
        files = [Path(f"/proc/{pid}/schedstat") for pid in serving]  # its first number: ns on a processor
    return sum(int(file.read_text().split()[0]) for file in files if file.exists()) / 1e6


async def _read(client: httpx.AsyncClient, address: str) -> None:
    """Ask for a page and leave its bytes compressed: to unpack them is the reader's work."""
    async with client.stream("GET", address) as answer:
        async for _ in answer.aiter_raw():
            pass


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


@contextlib.contextmanager
def _counted(engine: Any) -> Iterator[list[int]]:
    """How many statements are sent meanwhile."""
    count = [0]

    def note(*_: Any) -> None:
        count[0] += 1

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield count
    finally:
        event.remove(engine, "before_cursor_execute", note)


if __name__ == "__main__":
    main()
