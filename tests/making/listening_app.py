"""An app behind a real socket, for what an in-process transport cannot show."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI


@dataclass(frozen=True)
class Served:
    """Where it listens."""

    url: str


@contextlib.contextmanager
def serving(app: FastAPI, config: uvicorn.Config | None = None) -> Iterator[Served]:
    """Serve ``app`` on a free loopback port from a thread. ``config`` brings its own app."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = config or uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
