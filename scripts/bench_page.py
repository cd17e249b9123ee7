"""What one answer of a hub costs, asked in this process: a part of ``scripts/bench registry``."""

import argparse
import contextlib
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import event, text

from hub_server.database.engine import Database
from hub_server.kernel.services import Services


async def measure_page(
    client: httpx.AsyncClient, services: Services, name: str, address: str, options: argparse.Namespace
) -> dict[str, float]:
    """CPU time, statements and size."""
    answer = await client.get(address)  # what is made once is made
    assert answer.status_code < 400, (address, answer.status_code, answer.text[:300])
    with sent_statements(services.database.engine) as statements:
        answer = await client.get(address)
    cpu, wall = [], []
    server_began = _server_cpu_ms(services.database)
    for _ in range(options.repeats):
        cpu_began, wall_began = time.process_time(), time.perf_counter()
        await read_raw(client, address)
        cpu.append((time.process_time() - cpu_began) * 1e3)
        wall.append((time.perf_counter() - wall_began) * 1e3)
    figures = {
        f"{name}_cpu_ms": statistics.median(cpu),
        f"{name}_statements": len(statements),
        f"{name}_kilobytes": len(answer.content) / 1000,
    }
    if not services.database.is_sqlite:
        figures[f"{name}_server_cpu_ms"] = (_server_cpu_ms(services.database) - server_began) / options.repeats
    if options.wall:
        figures[f"{name}_p95_wall_ms"] = sorted(wall)[int(0.95 * (len(wall) - 1))]
    return figures


async def read_raw(client: httpx.AsyncClient, address: str) -> int:
    """Ask for a page and leave its bytes compressed: to unpack them is the reader's work. Returns their number."""
    async with client.stream("GET", address) as answer:
        return sum([len(chunk) async for chunk in answer.aiter_raw()])


def _server_cpu_ms(database: Database) -> float:
    """What the PostgreSQL processes that serve this database have used so far, in ms; 0 of SQLite, which has none."""
    if database.is_sqlite:
        return 0.0
    with database.reading() as session:
        serving = session.scalars(text("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"))
        files = [Path(f"/proc/{pid}/schedstat") for pid in serving]  # its first number: ns on a processor
    return sum(int(file.read_text().split()[0]) for file in files if file.exists()) / 1e6


@contextlib.contextmanager
def sent_statements(engine: Any) -> Iterator[list[str]]:
    """What the database is asked meanwhile."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)
