"""What publishing costs on a large hub: a part of ``scripts/bench registry``.

A hub is served in a process of its own, and clients publish small environments of two tasks there, each client for an
account of its own and each as fast as it is answered. Nothing measures what was published meanwhile. At the end every
acknowledged wheel is downloaded again and compared. Clients share the machine with the hub.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from scripts.load_test import LoadTest, figures

_SECONDS = 8.0
_PATIENCE_SECONDS = 60.0


def measure_publishes(folder: Path, database: str, publishers: tuple[int, ...] = (1, 16)) -> dict[str, float]:
    """Publishes a second, p95 in ms, the hub's CPU in ms for each and for each download, and what was lost."""
    found: dict[str, float] = {}
    variables = {"VERIHUB_SERVER_STORAGE__DATABASE_URL": database} if database else {}
    with _served(folder, variables) as (process, url):
        for count in publishers:
            test = LoadTest([url])
            test.start(readers=0, publishers=count, scorers=0, runs=0)
            cpu, began = _cpu_seconds(process), time.perf_counter()
            already = len(test.book.releases)
            test.stopped.wait(_SECONDS)
            test.stop()
            spent, published = time.perf_counter() - began, len(test.book.releases) - already
            cpu_each = (_cpu_seconds(process) - cpu) / max(published, 1)
            name = f"{count}_publisher{'s' if count > 1 else ''}"
            found[f"publishes_per_second_{name}"] = published / spent
            found[f"publish_cpu_ms_{name}"] = cpu_each * 1e3
            found[f"publish_p95_wall_ms_{name}"] = figures(test.book, spent)["acts"]["publish"]["p95"]
            found[f"refused_or_failed_publishes_{name}"] = test.book.refusals.total() + test.book.faults.total()
            cpu, began = _cpu_seconds(process), time.perf_counter()
            found[f"lost_publishes_{name}"] = len(test.lost())
            spent, cpu = time.perf_counter() - began, _cpu_seconds(process) - cpu
            found["wheel_download_cpu_ms"] = cpu / (published + already) * 1e3
            found["wheel_downloads_per_second_1_client"] = (published + already) / spent
    return found


@contextmanager
def _served(folder: Path, variables: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """A hub on ``folder``: its process and its address."""
    command = [sys.executable, "-m", "hub_server", "serve", "--port", "0", "--no-worker", "--data", str(folder)]
    # Every client signs up from one address.
    limits = {"VERIHUB_SERVER_LIMITS__LOGINS_BURST": "100", "VERIHUB_SERVER_LOG__REQUESTS": "false"}
    environment = {**os.environ, **variables, **limits}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stderr is not None
        yield process.pid, _address(process.stderr)
    finally:
        process.terminate()
        process.wait(_PATIENCE_SECONDS)


def _address(told: IO[str]) -> str:
    for line in told:
        if "Verihub is at " in line:
            return line.partition("Verihub is at ")[2].split()[0]
    raise SystemExit("error: the hub did not start")


def _cpu_seconds(process: int) -> float:
    """User and system time of a process with all its threads and ended children, to a hundredth of a second."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[at]) for at in range(11, 15)) / os.sysconf("SC_CLK_TCK")
