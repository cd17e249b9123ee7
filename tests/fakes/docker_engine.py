"""A Docker engine in this process, over a Unix socket: it answers as told, also wrongly, half, late or never.

Without being told it behaves: containers are created, attached, started and removed, images are found in ``images``.
"""

import fnmatch
import json
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import responses
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

FIT = {
    "MemoryLimit": True,
    "PidsLimit": True,
    "CpuCfsQuota": True,
    "CpuCfsPeriod": True,
    "SecurityOptions": ["name=seccomp,profile=default"],
}
DOCKER = {"ApiVersion": "1.41", "MinAPIVersion": "1.12", "Version": "20.10.24", "Arch": "amd64",
          "Components": [{"Name": "Engine", "Version": "20.10.24"}]}  # fmt: skip
PODMAN = {**DOCKER, "Version": "4.3.1", "Components": [{"Name": "Podman Engine", "Version": "4.3.1"}]}


@dataclass(frozen=True)
class Asked:
    """One request: ``path`` without the version and the query, the body as sent."""

    method: str
    path: str
    query: dict[str, list[str]] = field(default_factory=dict)
    body: bytes = b""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """``body``: bytes as they are, anything else as JSON. ``cut``: after so many of its bytes the engine hangs up."""

    body: Any = b""
    status: int = 200
    cut: int | None = None

    def as_bytes(self) -> bytes:
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        head = f"HTTP/1.1 {self.status} {responses[self.status]}\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + (body if self.cut is None else body[: self.cut])


def refusal(status: int, message: str) -> Reply:
    """As the engine refuses: an object with its words."""
    return Reply({"message": message}, status)


class Raw(bytes):
    """Bytes in the place of an HTTP answer, after which the engine hangs up."""


HANGS_UP = Raw()
SILENT = object()
"""The request is taken and never answered, until :meth:`ScriptedEngine.end_silence`."""
_ATTACHES = Raw(b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
Answer = Any
"""A :class:`Reply`, :class:`Raw`, ``SILENT``, or a function of the :class:`Asked` that gives one of them."""


class ScriptedEngine:
    """``told``: "METHOD /path" (with * and ?) -> its answer, or a list of answers of which the last stays."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "engine.sock"
        self.url = f"unix://{self.path}"
        self.asked: list[Asked] = []
        self.told: dict[str, Answer] = {}
        self.images: dict[str, dict[str, Any]] = {}
        self.containers: dict[str, dict[str, Any]] = {}
        """What was created and not removed, by id: its configuration."""
        self.rows: list[Any] = []
        """Answer to a list of containers."""
        self.attached: dict[str, socket.socket] = {}
        self.started: list[str] = []
        self._silence = threading.Event()
        self._server: _Server | None = None
        self._usual: dict[str, Answer] = {
            "GET /version": Reply(DOCKER),
            "GET /info": Reply(FIT),
            "POST /containers/create": self._create,
            "GET /containers/json": lambda _: Reply(self.rows),
            "POST /containers/*/attach": _ATTACHES,
            "POST /containers/*/start": self._start,
            "POST /containers/*/wait": Reply({"StatusCode": 0}),
            "PUT /containers/*/archive": Reply(),
            "DELETE /containers/*": self._remove,
            "GET /images/*/json": self._inspect,
        }

    def names(self) -> list[str]:
        """The requests so far, without those by which a client learns what it talks to."""
        return [one.name for one in self.asked if one.path not in ("/version", "/info", "/_ping")]

    def end_silence(self) -> None:
        self._silence.set()

    @contextmanager
    def listening(self) -> Iterator["ScriptedEngine"]:
        self._server = _Server(str(self.path), self)
        thread = threading.Thread(target=self._server.serve_forever, args=(0.005,))
        thread.start()
        try:
            yield self
        finally:
            self.end_silence()
            self._server.shutdown()
            thread.join()
            self._server.hang_up()
            self._server.server_close()

    def answer(self, asked: Asked) -> Answer:
        for pattern, told in (*self.told.items(), *self._usual.items()):
            if fnmatch.fnmatchcase(asked.name, pattern):
                answer = (told.pop(0) if len(told) > 1 else told[0]) if isinstance(told, list) else told
                return answer(asked) if callable(answer) else answer
        return refusal(404, f"page not found: {asked.name}")

    def wait(self) -> None:
        self._silence.wait()

    def _create(self, asked: Asked) -> Reply:
        ident = f"c{sum(one.path == asked.path for one in self.asked)}"
        self.containers[ident] = asked.json()
        return Reply({"Id": ident}, 201)

    def _start(self, asked: Asked) -> Reply:
        self.started.append(asked.path.split("/")[2])
        return Reply(status=204)

    def _remove(self, asked: Asked) -> Reply:
        ident = asked.path.split("/")[2]
        gone = self.containers.pop(ident, None)
        return Reply(status=204) if gone is not None else refusal(404, f"No such container: {ident}")

    def _inspect(self, asked: Asked) -> Reply:
        found = self.images.get(asked.path.removeprefix("/images/").removesuffix("/json"))
        return Reply(found) if found is not None else refusal(404, "No such image")


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: str, engine: ScriptedEngine) -> None:
        self.engine = engine
        self._lines: list[socket.socket] = []
        super().__init__(path, _Handler)

    def get_request(self) -> tuple[Any, Any]:
        line, address = super().get_request()
        self._lines.append(line)
        return line, address

    def hang_up(self) -> None:
        for line in self._lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()

    def shutdown_request(self, request: Any) -> None:
        """Lines that are attached to a container stay open."""
        if request not in self.engine.attached.values():
            super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no matter."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        asked = self._asked()
        engine = self.server.engine
        engine.asked.append(asked)
        answer = engine.answer(asked)
        if answer is SILENT:
            engine.wait()
            answer = HANGS_UP
        if answer is _ATTACHES:
            engine.attached[asked.path.split("/")[2]] = self.connection
        is_whole = isinstance(answer, Reply) and answer.cut is None
        self.connection.sendall(answer.as_bytes() if isinstance(answer, Reply) else answer)
        self.close_connection = not is_whole

    def _asked(self) -> Asked:
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        if path.startswith("/v1."):
            path = "/" + path.partition("/v1.")[2].partition("/")[2]
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return Asked(self.command, path, parse_qs(parts.query), body)

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""
