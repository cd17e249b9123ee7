"""What serves leaves its own code to itself when it looks for garbage."""

import gc
import signal
import socket
from collections.abc import Iterator

import pytest
import uvicorn

from hub_server import cli
from hub_server.kernel.services import Services


@pytest.fixture
def as_before() -> Iterator[None]:
    """For the tests that follow in this process: the collector and the signals as they were."""
    threshold = gc.get_threshold()
    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in signals.items():
        signal.signal(number, handler)
    gc.unfreeze()
    gc.set_threshold(*threshold)


@pytest.mark.usefixtures("as_before")
def test_a_process_that_serves_reads_what_it_has_loaded_no_more(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = dict[str, int]()

    def run(_server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        circle: list[object] = []
        circle.append(circle)
        del circle
        seen.update(listeners=len(sockets), kept=gc.get_freeze_count(), new=gc.get_threshold()[0], found=gc.collect())

    monkeypatch.setattr(uvicorn.Server, "run", run)
    with socket.socket() as listener:
        cli._serve_http(services, listener)
    assert seen["listeners"] == 1
    assert seen["kept"] > 100_000, "the code of the hub, at least"
    assert seen["new"] == 10_000
    assert seen["found"] >= 1, "what comes later is still found"
