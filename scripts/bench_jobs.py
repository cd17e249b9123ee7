"""How many audits a second a hub's workers do: ``scripts/bench jobs``.

A hub without workers is started in a temporary folder. For one, two and four workers, small verifiers are published
(each is one audit to do), and then so many ``verihub worker`` processes with one thread each are started. The rate is
that of the audits that end after as many as there are workers have ended, so that no start counts. It needs the
sandbox's engine, and means something on an idle machine only. ``VERIHUB_SERVER_STORAGE__DATABASE_URL`` names a
PostgreSQL database, an empty one.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from hub_client.client import Hub
from hub_client.settings import ClientSettings
from hub_client.transport.requests import audits
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.checks.samples import Sample
from scripts.bench_hub import publish, running_hub

_CASES = "".join(
    f'{{"id": "a{number}", "task": {{"id": "t{number}", "prompt": "?", "answer": "{number}"}}, '
    f'"response": "{number if number % 2 else "x"}", "label": "{"correct" if number % 2 else "incorrect"}"}}\n'
    for number in range(20)
)
_SAMPLE = Sample(
    "def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n",
    head='verifier = "PACKAGE:verify"\naudit = ["audit.jsonl"]',
    files={"audit.jsonl": _CASES},
    isolation="batch",
)
_POLL_SECONDS = 0.5
_PATIENCE_SECONDS = 1800.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; exit status 8 where there is no engine."""
    parser = bench_parser("jobs", __doc__)
    parser.add_argument("--audits", type=int, default=40, help="for each number of workers")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    run_bench(parser, _measure, arguments, digits=2)


def _measure(options: argparse.Namespace) -> dict[str, float]:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder, running_hub(Path(folder)) as (_, settings):
        for count in options.workers:
            packages = [f"jobs-{count}-{number}" for number in range(options.audits)]
            for name in packages:
                publish(settings, replace(_SAMPLE, name=name))
            with _workers(Path(folder) / "hub", count):
                ended = _ends(settings, packages)
            name = f"{count}_worker{'s' if count > 1 else ''}"
            figures[f"audits_per_second_{name}"] = (len(ended) - count) / (ended[-1] - ended[count - 1])
            figures[f"lost_audits_{name}"] = options.audits - len(ended)
    figures["load_average"] = os.getloadavg()[0]
    return figures


@contextmanager
def _workers(data: Path, count: int) -> Iterator[None]:
    command = [sys.executable, "-m", "hub_server", "worker", "--data", str(data), "--threads", "1"]
    started = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(60)


def _ends(settings: ClientSettings, names: Sequence[str]) -> list[float]:
    """When each audit ended, in order; those that did not within half an hour are left out."""
    ended: dict[str, float] = {}
    deadline = time.monotonic() + _PATIENCE_SECONDS
    with Hub(settings=settings) as hub:
        while len(ended) < len(names) and time.monotonic() < deadline:
            for name in names:
                if name not in ended:
                    newest = hub.send(audits.list_audits(f"sample/{name}", "1.0.0")).items[:1]
                    if newest and newest[0].finished_at is not None:
                        ended[name] = newest[0].finished_at.timestamp()
            time.sleep(_POLL_SECONDS)
    return sorted(ended.values())


if __name__ == "__main__":
    main()
