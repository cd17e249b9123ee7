"""A proxy of 127.0.0.1 that opens tunnels (CONNECT), whatever name is asked for, to one server."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.making.hostile_hub import RawHub


class ConnectProxy(RawHub):
    """``requests`` holds the heads that it was asked with. ``bytes_seen``: all that callers sent into the tunnels."""

    def __init__(self, target: tuple[str, int], refusal: str = "") -> None:
        self.bytes_seen = b""
        self._target, self._refusal = target, refusal
        super().__init__(self._tunnel)

    def _tunnel(self, _request: bytes, caller: socket.socket) -> None:
        if self._refusal:
            caller.sendall(f"HTTP/1.1 {self._refusal}\r\nContent-Length: 0\r\n\r\n".encode())
            return
        with socket.create_connection(self._target) as server:
            caller.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_copy, args=(server, caller), daemon=True)
            back.start()
            with suppress(OSError):
                while piece := caller.recv(65536):
                    self.bytes_seen += piece
                    server.sendall(piece)
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            back.join(60)


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


@contextmanager
def connect_proxy(target: tuple[str, int], refusal: str = "") -> Iterator[ConnectProxy]:
    """A proxy for the length of the ``with``. ``refusal``: a status with which it answers instead."""
    proxy = ConnectProxy(target, refusal)
    try:
        yield proxy
    finally:
        proxy.close()
