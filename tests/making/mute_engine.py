"""An engine that takes connections and never answers, and the hub's executor over it."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub_server.adapters.sandbox_executor import SandboxExecutor
from hub_server.settings import SandboxChoice

ENGINE_SECONDS = 20  # the engine's own timeout: whoever waits for that fails


@contextlib.contextmanager
def mute_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxExecutor]:
    """The executor over an engine that hangs. Its connections are broken off at the end, so that no thread remains."""
    address = f"{tmp_path}/engine.sock"
    monkeypatch.setenv("VERIHUB_SANDBOX_DOCKER_URL", f"unix://{address}")
    monkeypatch.setenv("VERIHUB_SANDBOX_DOCKER_TIMEOUT_SECONDS", str(ENGINE_SECONDS))
    asked: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    asked.append(listener.accept()[0])

        threading.Thread(target=accept, daemon=True).start()
        executor = SandboxExecutor(SandboxChoice())
        yield executor
        listener.shutdown(socket.SHUT_RDWR)
    for line in asked:
        line.close()
    executor.close()
