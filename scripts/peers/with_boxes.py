"""Our own levels, and the usual ways without a framework: a process, `docker exec`, an HTTP server in a container.

Runs in this repository's environment: ``with_boxes.py PYTHON``; PYTHON has math-verify, for a process a call.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from measurement import EQUAL, IN_FLIGHT, MATH, ROUNDS, call_of, measure, report

from sandbox.backends.docker.backend import DockerBackend
from sandbox.checks.benches.math_verify import GROUP, math_verify_source
from sandbox.checks.samples import Sample
from sandbox.interface import BoxResources, BoxRole, BoxSpec, Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

PROGRAM_CALLS = 4
_UID = 65_000
_PLAIN = {"info": {}, "tags": [], "prompt": "", "id": "1"}
_STREAMS = {Isolation.WORKER: 20_000, Isolation.BATCH: 4_000, Isolation.CALL: 400}
_SAMPLE = Sample(
    "def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n",
    name="peers",
    isolation="worker",
)
_SERVER = """
import json, socketserver, sys
from http.server import BaseHTTPRequestHandler
if sys.argv[2] == "math":
    sys.path.append("/verihub/dependencies")
    from math_verify import parse, verify
    def judge(call):
        gold, found = (parse(f"${call[key]}$", parsing_timeout=None) for key in ("answer", "response"))
        return float(verify(gold, found, timeout_seconds=None))
else:
    def judge(call):
        return float(call["response"] == call["answer"])
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    def do_POST(self):
        verdict = json.dumps(judge(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(verdict)))
        self.end_headers()
        self.wfile.write(verdict)
        self.wfile.flush()
    def log_message(self, *rest):
        pass
    def address_string(self):
        return "host"
class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64
Server(sys.argv[1], Handler).serve_forever()
"""


async def main(python: str) -> None:
    """Print figures by name."""
    figures: dict[str, Any] = {"versions": {"docker": version("docker"), "python": sys.version.split()[0]}, "notes": {}}
    with tempfile.TemporaryDirectory(prefix="verihub-peers-") as name:
        folder = Path(name)
        cheap, math = _SAMPLE.source(folder), math_verify_source(folder)
        settings = SandboxSettings(replay_fraction=0.0)
        figures["in_process"] = await measure(_in_process)
        figures["subprocess"] = await measure(lambda number: _program([python, "-I", "-S", "-c", EQUAL], number))
        figures["subprocess_math"] = await measure(
            lambda number: _program([python, "-c", MATH], number), in_flight=PROGRAM_CALLS, rounds=1
        )
        backend = DockerBackend(settings)
        async with Sandbox(backend, settings) as sandbox:
            for level, name_of_level in (
                (Isolation.WORKER, "worker"),
                (Isolation.BATCH, "batch32"),
                (Isolation.CALL, "call"),
            ):
                figures[name_of_level] = await _ours(sandbox, cheap, level, _STREAMS[level])
            figures["call_math"] = await _ours(sandbox, math, Isolation.CALL, 160)
            images = await asyncio.to_thread(_images, backend, cheap, math)
        backend = DockerBackend(settings)
        for kind, image in images.items():
            ending = "_math" if kind == "math" else ""
            async with _container(backend, image, ["sleep", "infinity"]) as container:
                lost: list[int] = []
                judge = _docker_exec(backend, container, kind, lost)
                few = {"in_flight": PROGRAM_CALLS, "rounds": 1} if ending else {}
                figures[f"docker_exec{ending}"] = await measure(judge, **few)
            if lost:
                figures["notes"][f"docker_exec{ending}"] = f"{len(lost)} calls ended without output and were repeated"
            sockets = folder / kind
            sockets.mkdir(mode=0o777)
            sockets.chmod(0o777)
            command = ["python3", "-I", "-c", _SERVER, "/sockets/line", kind]
            async with _container(backend, image, command, sockets=sockets), _http(sockets / "line") as judge:
                figures[f"http_container{ending}"] = await measure(judge)
        await backend.aclose()
        settings = settings.model_copy(update={"batch_calls": GROUP})
        async with Sandbox(DockerBackend(settings), settings) as sandbox:
            figures["batch16_math"] = await _ours(sandbox, math, Isolation.BATCH, 40 * GROUP)
    report(figures)


# -- ours ------------------------------------------------------------------------------------------------------------


async def _ours(sandbox: Sandbox, source: Source, level: Isolation, count: int) -> dict[str, float]:
    """A stream of calls, as a trainer hands them over, and one call alone."""
    await sandbox.warm(source, sandbox.settings.boxes_per_package)
    rates, alone = [], []
    for _ in range(30):
        started = time.perf_counter()
        await _judge_stream(sandbox, source, level, [1])
        alone.append(time.perf_counter() - started)
    for _ in range(ROUNDS):
        started = time.perf_counter()
        await _judge_stream(sandbox, source, level, range(count))
        rates.append(count / (time.perf_counter() - started))
    return {"calls_per_second": max(rates), "alone_ms": sorted(alone)[len(alone) // 2] * 1000}


async def _judge_stream(sandbox: Sandbox, source: Source, level: Isolation, numbers: Any) -> None:
    made = [(number, call_of(number)) for number in numbers]
    calls = [
        Call(str(number), {**_PLAIN, "answer": call["answer"]}, response=f"${call['response']}$")
        for number, call in made
    ]
    if source.manifest.id == _SAMPLE.package_id:
        calls = [
            Call(str(number), {**_PLAIN, "answer": call["answer"]}, response=call["response"]) for number, call in made
        ]
    async for one in sandbox.judge(source, calls, isolation=level):
        assert one.verdict.rewards == {"correct": float(int(one.id) % 2 == 0)}, one.verdict


def _images(backend: DockerBackend, cheap: Source, math: Source) -> dict[str, str]:
    """The very images that our boxes run."""
    built = backend._images  # noqa: SLF001 -- no other way to run something else in the same image
    found = {}
    for kind, source in (("equal", cheap), ("math", math)):
        found[kind] = next(image.image_id for key, image in built.items() if key.startswith(source.digest))
    return found


# -- the usual ways --------------------------------------------------------------------------------------------------


async def _in_process(number: int) -> float:
    call = call_of(number)
    return float(call["response"] == call["answer"])


async def _program(command: list[str], number: int) -> float:
    call = json.dumps(call_of(number))
    process = await asyncio.create_subprocess_exec(*command, call, stdout=asyncio.subprocess.PIPE)
    printed, _ = await process.communicate()
    return float(printed)


def _docker_exec(backend: DockerBackend, container: str, kind: str, lost: list[int]) -> Callable[[int], Any]:
    """Judge by ``docker exec``. A call without output is repeated, and its number is added to ``lost``."""
    threads = ThreadPoolExecutor(IN_FLIGHT)
    api: Any = backend.engine.api
    code = f"import sys; sys.path.append('/verihub/dependencies')\n{MATH}" if kind == "math" else EQUAL
    flags = ["-I"] if kind == "math" else ["-I", "-S"]

    def run(number: int) -> float:
        for _ in range(3):
            ready = api.exec_create(container, ["python3", *flags, "-c", code, json.dumps(call_of(number))])
            if printed := api.exec_start(ready):
                return float(printed)
            lost.append(number)
        raise RuntimeError("docker exec gave no output three times")

    async def judge(number: int) -> float:
        return await asyncio.get_running_loop().run_in_executor(threads, run, number)

    return judge


@asynccontextmanager
async def _container(
    backend: DockerBackend, image: str, command: list[str], *, sockets: Path | None = None
) -> AsyncIterator[str]:
    """A container with the limits of a box; ``sockets`` is what it shares with us besides."""
    box = BoxSpec(BoxRole.SOLUTION, BoxResources(BoxRole.SOLUTION, 512))
    host: dict[str, Any] = backend._config(box, image, _UID, {})["HostConfig"]  # noqa: SLF001 -- a box's own limits
    if sockets is not None:
        host["Binds"] = [f"{sockets}:/sockets"]
    config = {
        "Image": image,
        "Entrypoint": [],
        "Cmd": command,
        "User": f"{_UID}:{_UID}",
        "NetworkDisabled": True,
        "HostConfig": {**host, "AutoRemove": False},
    }
    container = await asyncio.to_thread(backend.engine.create, config)
    try:
        await asyncio.to_thread(backend.engine.api.start, container)
        yield container
    finally:
        await asyncio.to_thread(backend.engine.remove_container, container)


@asynccontextmanager
async def _http(path: Path) -> AsyncIterator[Callable[[int], Any]]:
    """A kept-alive connection for each call in flight, over the container's Unix socket."""
    free: asyncio.LifoQueue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.LifoQueue()
    for _ in range(IN_FLIGHT):
        free.put_nowait(await _connect(path))

    async def judge(number: int) -> float:
        reader, writer = line = await free.get()
        body = json.dumps(call_of(number)).encode()
        writer.write(b"POST / HTTP/1.1\r\nHost: box\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        verdict = float(await reader.readexactly(length))
        free.put_nowait(line)
        return verdict

    try:
        yield judge
    finally:
        while not free.empty():
            free.get_nowait()[1].close()


async def _connect(path: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    for _ in range(300):
        try:
            return await asyncio.open_unix_connection(path)
        except OSError:
            await asyncio.sleep(0.1)
    raise RuntimeError("the HTTP server in the container did not come up within 30 seconds")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
