"""What scoring over HTTP costs a hub: ``scripts/bench hub``.

A hub of its own is started in a temporary folder, and a small verifier and a file of tasks are published there.
Clients of one account send requests of many lines each, all at once, and every line must be answered once. CPU time is
that of the hub's process, boxes and clients not included, so that it hardly depends on what else the machine does;
verdicts a second do.
"""

import argparse
import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hub_client.async_client import AsyncHub
from hub_client.client import Hub
from hub_client.settings import ClientSettings
from hub_client.transport.requests import accounts, packages, streams
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.checks.samples import TASK, Sample
from schemas.account import AccountCreate
from schemas.verdict import ScoreRequest
from schemas.wheels.wheel import read_wheel

ENDS_WITH = Sample(
    "def verify(task, response):\n    return {'correct': float(response.endswith(task['answer']))}\n",
    name="bench-hub",
    isolation="batch",
)
_TASKS = 5000
_CLIENTS = (1, 4, 16)
_LINES = 1024
_GROUP = 8
_ROUNDS = 3
_PATIENCE_SECONDS = 60.0
_PROMPT = "A train leaves with twelve people and picks up three at each stop. " * 4
_RESPONSE = "Let us think step by step. " * 20


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; exit status 8 where there is no engine."""
    parser = bench_parser("hub", __doc__)
    parser.add_argument("--lines", type=int, default=_LINES, help="of one request")
    parser.add_argument("--requests", type=int, default=16, help="in a round, shared out among the clients")
    run_bench(parser, _measure, arguments, digits=2)


def _measure(options: argparse.Namespace) -> dict[str, float]:
    figures: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder,
        running_hub(Path(folder)) as (process, settings),
    ):
        publish(settings, ENDS_WITH)
        [(_, body)] = streams.score_bodies(_requests(options.lines))
        _ask(settings, body)  # boxes open
        for clients in _CLIENTS:
            figures.update(_measure_clients(process, settings, body, options, clients))
        figures.update(asyncio.run(_measure_own_client(process, settings, options.lines * options.requests)))
        figures.update(_measure_tasks(process, settings))
    figures["load_average"] = os.getloadavg()[0]
    return figures


def _measure_clients(
    process: int, settings: ClientSettings, body: bytes, options: argparse.Namespace, clients: int
) -> dict[str, float]:
    """The best of a few rounds. Verdicts that did not come are counted over all rounds."""
    count, lost = options.lines * options.requests, 0
    cpu_us, rates = [], []
    for _ in range(_ROUNDS):
        cpu, wall = _cpu_seconds(process), time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            answers = list(pool.map(partial(_ask, settings), [body] * options.requests))
        rates.append(count / (time.perf_counter() - wall))
        cpu_us.append((_cpu_seconds(process) - cpu) / count * 1e6)
        lost += sum(_unanswered(answer, options.lines) for answer in answers)
    name = f"{clients}_client{'s' if clients > 1 else ''}"
    return {
        f"hub_cpu_us_per_verdict_{name}": min(cpu_us),
        f"verdicts_per_second_{name}": max(rates),
        f"lost_verdicts_{name}": lost,
    }


async def _measure_own_client(process: int, settings: ClientSettings, count: int) -> dict[str, float]:
    """The same through ``AsyncHub``, which checks each verdict; its own CPU time as well."""
    requests = _requests(count)
    best: dict[str, float] = {}
    async with AsyncHub(settings=settings) as hub:
        verifier = await hub.verifier(ENDS_WITH.package_id)

        async def sent() -> AsyncIterator[tuple[dict[str, Any], str]]:
            for request in requests:
                yield request.task or {}, request.response or ""

        for _ in range(_ROUNDS):
            cpu, own = _cpu_seconds(process), time.process_time()
            judged = [verdict async for _, verdict in verifier.score_stream(sent())]
            figures = {
                "hub_cpu_us_per_verdict_hub_client": (_cpu_seconds(process) - cpu) / count * 1e6,
                "hub_client_cpu_us_per_verdict": (time.process_time() - own) / count * 1e6,
            }
            assert sum(verdict.error is None for verdict in judged) == count
            best = {name: min(value, best.get(name, value)) for name, value in figures.items()}
    return best


def _measure_tasks(process: int, settings: ClientSettings) -> dict[str, float]:
    """A split of tasks over HTTP, as bytes, beside checking the same file's rows here.

    The first reading, for which the hub opens the wheel and writes every line, and the best of the others.
    """
    task = {"prompt": _PROMPT, "answer": "1"}
    rows = "".join(json.dumps({"id": f"t{number}", **task}) + "\n" for number in range(_TASKS))
    head = 'tasks = { train = "tasks.jsonl" }\n' + ENDS_WITH.head
    sample = replace(ENDS_WITH, name="bench-tasks", kind="environment", head=head, files={"tasks.jsonl": rows})
    contents = read_wheel(publish(settings, sample))
    path = f"{streams.tasks_path(sample.package_id, '1.0.0')}?split=train"
    first = streamed = local = cpu_us = float("inf")
    for turn in range(_ROUNDS + 1):
        cpu, began = _cpu_seconds(process), time.perf_counter()
        answer = _ask(settings, None, path)
        seconds = time.perf_counter() - began
        first, streamed = (seconds, streamed) if turn == 0 else (first, min(streamed, seconds))
        cpu_us = min(cpu_us, (_cpu_seconds(process) - cpu) / _TASKS * 1e6)
        assert json.loads(answer.splitlines()[-1])["summary"]["count"] == _TASKS
        began = time.perf_counter()
        assert sum(1 for _ in contents.tasks("train")) == _TASKS
        local = min(local, time.perf_counter() - began)
    return {
        "hub_cpu_us_per_task": cpu_us,
        "task_stream_to_local_read_ratio": local / streamed,
        "first_task_stream_to_local_read_ratio": local / first,
    }


# -- a hub and its clients -------------------------------------------------------------------------------------------


@contextmanager
def running_hub(folder: Path) -> Iterator[tuple[int, ClientSettings]]:
    """A hub in a process of its own: its number, and settings of an account there."""
    command = [sys.executable, "-m", "hub_server", "serve", "--port", "0", "--no-worker", "--data", str(folder / "hub")]
    environment = dict(os.environ) | {"VERIHUB_SERVER_LOG__REQUESTS": "false"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        settings = ClientSettings.load(url=_address(process), cache_dir=folder / "cache", run_at="hub", token="")
        account = AccountCreate(name="sample", email="sample@example.org", password=secrets.token_urlsafe(16))
        with Hub(settings=settings) as hub:
            token = hub.send(accounts.sign_up(account)).token
        yield process.pid, settings.model_copy(update={"token": token})
    finally:
        process.terminate()
        process.wait(_PATIENCE_SECONDS)


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    for line in process.stderr:
        sys.stderr.write(line)
        if "Verihub is at " in line:
            return line.partition("Verihub is at ")[2].split()[0]
    raise SystemExit("the hub did not start")


def publish(settings: ClientSettings, sample: Sample) -> bytes:
    """The wheel that was published."""
    with tempfile.TemporaryDirectory() as folder, Hub(settings=settings) as hub:
        source = sample.source(Path(folder))
        wheel = source.wheel.read_bytes()
        hub.send(packages.publish(wheel, source.digest))
    return wheel


def _requests(count: int) -> list[ScoreRequest]:
    """Eight responses to each task, as a trainer sends them."""
    made, task = [], dict[str, Any]()
    for number in range(count):
        if number % _GROUP == 0:
            task = {**TASK, "id": f"t{number}", "prompt": _PROMPT, "answer": str(number)}
        made.append(
            ScoreRequest(id=str(number), task=task, response=f"{_RESPONSE}{task['answer'] if number % 2 else 'x'}")
        )
    return made


def _ask(settings: ClientSettings, body: bytes | None, path: str = "") -> bytes:
    """One request's whole answer: verdicts for a ``body``, or what lies at ``path``."""
    address = urlsplit(settings.url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=_PATIENCE_SECONDS)
    headers = {"Authorization": f"Bearer {settings.token}", "Content-Type": "application/x-ndjson"}
    path = path or streams.score_path(ENDS_WITH.package_id, "1.0.0")
    connection.request("POST" if body is not None else "GET", path, body, headers)
    answer = connection.getresponse().read()
    connection.close()
    return answer


def _unanswered(answer: bytes, lines: int) -> int:
    """How many of so many lines have no verdict, or a wrong one."""
    right = set()
    for line in map(json.loads, answer.splitlines()):
        if "verdict" in line and line["verdict"]["rewards"] == {"correct": float(int(line["id"]) % 2)}:
            right.add(line["id"])
    return lines - len(right)


def _cpu_seconds(process: int) -> float:
    """User and system time of a process with all its threads, to a hundredth of a second."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
