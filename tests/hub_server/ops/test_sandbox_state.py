"""An engine that takes connections and never answers holds neither a scrape nor the readiness of a hub."""

import contextlib
import math
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hub_server.adapters.sandbox_executor import SandboxExecutor
from hub_server.app import create_app
from hub_server.ops import looks, sandbox_state
from hub_server.ops.sandbox_state import SandboxState
from hub_server.settings import SandboxChoice
from tests.making.action_driver import ActionDriver
from tests.making.altered_library import alter_library
from tests.making.hub import Api

LIMIT_SECONDS = 0.3
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


def test_an_engine_that_never_answers_is_not_known_to_a_scrape_that_ends_soon(
    driver: ActionDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_state, "PATIENCE_SECONDS", LIMIT_SECONDS)
    with mute_engine(tmp_path, monkeypatch) as executor:
        api = Api(create_app(replace(driver.services, executor=executor)))
        began = time.monotonic()
        texts = [api.metrics() for _ in range(3)]
        assert time.monotonic() - began < ENGINE_SECONDS / 2
    for text in texts:
        assert 'verihub_sandbox_available{part="sandbox"} NaN' in text
        assert "verihub_jobs" in text


def test_a_hub_whose_engine_hangs_is_ready(
    driver: ActionDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_state, "PATIENCE_SECONDS", LIMIT_SECONDS)
    with mute_engine(tmp_path, monkeypatch) as executor:
        api = Api(create_app(replace(driver.services, executor=executor)))
        began = time.monotonic()
        answer = api.get("/readyz")
        assert time.monotonic() - began < ENGINE_SECONDS / 2
    assert (answer.status_code, answer.json()["ready"]) == (200, True)
    assert answer.json()["sandbox"] == "unknown: its engine has not answered within 0.3 seconds"


def test_what_answers_is_told(driver: ActionDriver) -> None:
    state = SandboxState(driver.services)
    assert (state.describe(), state.gauge()) == ("ok", 1.0)
    driver.executor.reason = "no engine"
    assert (state.describe(), state.gauge()) == ("no engine", 0.0)


def test_a_process_without_a_thread_does_not_know(driver: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    state = SandboxState(driver.services)
    with monkeypatch.context() as patched:
        alter_library(patched, looks, "threading", Thread=Full)
        assert math.isnan(state.gauge())
    assert state.gauge() == 1.0
