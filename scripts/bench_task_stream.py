"""What a stream of tasks costs a large hub: a part of ``scripts/bench registry``.

A package with a file of tasks is published once and stays in the folder. Its stream is read in this process, in turns
with a bare route that sends the same bytes in pieces of the same size, and with checking the rows of the same file
here. Of each the least CPU time counts, so that the ratios hold on a busy machine too.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping

import httpx
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from hub_server.kernel.services import Services
from scripts.bench_page import read_raw
from tests.making.hub import make_package
from tests.making.wheel import MANIFEST

_PROMPT = "A train leaves with twelve people and picks up three at each stop. " * 4
_LINES_AT_ONCE = 256
"""As many as a hub sends together."""


def measure_task_stream(
    services: Services, app: FastAPI, *, owner: str, headers: Mapping[str, str], tasks: int, repeats: int
) -> dict[str, float]:
    """Rows for each second of CPU, and ratios of CPU: 1 is as little as the bare route, or as reading the file."""
    hub = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost", headers=headers)
    digest = asyncio.run(_publish(hub, owner, tasks))
    address = f"/api/v1/packages/{owner}/task-stream/releases/1.0.0/tasks?split=train"
    contents = services.wheels.contents(digest)
    began = time.process_time()
    lines = asyncio.run(hub.get(address)).content.splitlines(keepends=True)
    first = time.process_time() - began
    assert json.loads(lines[-1])["summary"]["count"] == tasks, lines[-1]
    bare = httpx.AsyncClient(transport=httpx.ASGITransport(app=_bare_app(lines)), base_url="http://localhost")
    size = sum(map(len, lines))
    ways: dict[str, Callable[[], bool]] = {
        "hub": lambda: asyncio.run(read_raw(hub, address)) == size,
        "bare": lambda: asyncio.run(read_raw(bare, "/")) == size,
        "file": lambda: sum(1 for _ in contents.tasks("train")) == tasks,
    }
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(repeats):
        for name, read in ways.items():
            began = time.process_time()
            assert read(), name
            least[name] = min(least[name], time.process_time() - began)
    return {
        "task_stream_rows_per_cpu_second": tasks / least["hub"],
        "task_stream_to_bare_route_ratio": least["bare"] / least["hub"],
        "task_stream_to_file_read_ratio": least["file"] / least["hub"],
        "first_task_stream_to_file_read_ratio": least["file"] / first,
    }


async def _publish(hub: httpx.AsyncClient, owner: str, tasks: int) -> str:
    """The digest of the package, which is published where it is not there."""
    address = f"/api/v1/packages/{owner}/task-stream/releases/1.0.0"
    if (await hub.get(address)).status_code == 404:
        rows = (json.dumps({"id": f"t{number}", "prompt": _PROMPT, "answer": "1"}) + "\n" for number in range(tasks))
        manifest = MANIFEST.replace('audit = ["audit.jsonl"]\n', "")
        wheel = make_package(f"{owner}/task-stream", manifest=manifest, package_files={"tasks.jsonl": "".join(rows)})
        published = await hub.post("/api/v1/packages", content=wheel)
        assert published.status_code == 201, published.text
    return str((await hub.get(address)).json()["digest"])


def _bare_app(lines: list[bytes]) -> Starlette:
    pieces = [b"".join(lines[at : at + _LINES_AT_ONCE]) for at in range(0, len(lines), _LINES_AT_ONCE)]

    async def all_pieces() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def answer(_: Request) -> StreamingResponse:
        return StreamingResponse(all_pieces(), media_type="application/x-ndjson")

    return Starlette(routes=[Route("/", answer)])
