"""Hubs that lie, on real sockets of 127.0.0.1: one answers HTTP with given bytes, one plays episodes by a script."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

Script = Callable[[bytes, socket.socket], None]
"""Gets a request, head and body, and the socket to answer on; what it leaves open is closed."""


class RawHub:
    """Answers every request with ``script``. ``requests`` holds what was asked."""

    def __init__(self, script: Script, identity: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self._script = script
        self._identity = identity
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http{'s' if identity else ''}://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self._listener.accept()
                self._open.append(caller)
                threading.Thread(target=self._answer, args=(caller,), daemon=True).start()

    def _answer(self, caller: socket.socket) -> None:
        with suppress(OSError), self._identified(caller) as line:
            request = read_request(line)
            self.requests.append(request)
            self._script(request, line)

    def _identified(self, caller: socket.socket) -> socket.socket:
        return self._identity.wrap_socket(caller, server_side=True) if self._identity else caller

    def close(self) -> None:
        """Hang up on everybody."""
        self._listener.close()
        for caller in self._open:
            with suppress(OSError):
                caller.shutdown(socket.SHUT_RDWR)


def read_request(caller: socket.socket) -> bytes:
    """Head and body of one request; the body has a length, as httpx sends it."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = caller.recv(65536)
        if not piece:
            return data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += caller.recv(65536)
    return head + b"\r\n\r\n" + body


def answer(body: bytes, *, status: str = "200 OK", headers: dict[str, str] | None = None) -> Script:
    """The same whole answer for everybody."""
    lines = {"Content-Length": str(len(body)), "Connection": "close"} | (headers or {})
    head = f"HTTP/1.1 {status}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
    return lambda _request, caller: caller.sendall(head.encode() + body)


def endless(piece: bytes, headers: str = "") -> Script:
    """An answer that goes on until the reader hangs up."""

    def send(_request: bytes, caller: socket.socket) -> None:
        caller.sendall(f"HTTP/1.1 200 OK\r\nConnection: close\r\n{headers}\r\n".encode())
        while True:
            caller.sendall(piece)

    return send


@contextmanager
def raw_hub(script: Script, identity: ssl.SSLContext | None = None) -> Iterator[RawHub]:
    """A hub for the length of the ``with``; with ``identity`` it speaks TLS."""
    hub = RawHub(script, identity)
    try:
        yield hub
    finally:
        hub.close()


@contextmanager
def session_hub(play: Callable[[ServerConnection], None], identity: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of a WebSocket whose every connection is played by ``play``; with ``identity`` it speaks TLS."""

    def handle(connection: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            play(connection)

    with serve(handle, "127.0.0.1", 0, ssl=identity) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        host, port = server.socket.getsockname()[:2]
        try:
            yield f"ws{'s' if identity else ''}://{host}:{port}/"
        finally:
            server.shutdown()
            thread.join()
