"""What serves leaves its own code to itself when it looks for garbage."""

import gc
import socket

import pytest
import uvicorn

from hub_server import cli
from hub_server.kernel.services import Services
from tests.sandbox.guest.forked import in_child


def test_a_process_that_serves_reads_what_it_has_loaded_no_more(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = dict[str, int]()

    def run(_server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        circle: list[object] = []
        circle.append(circle)
        del circle
        seen.update(listeners=len(sockets), kept=gc.get_freeze_count(), new=gc.get_threshold()[0], found=gc.collect())

    def body() -> dict[str, int]:
        monkeypatch.setattr(uvicorn.Server, "run", run)
        with socket.socket() as listener:
            cli._serve_http(services, listener)
        return seen

    seen = in_child(body)
    assert seen["listeners"] == 1
    assert seen["kept"] > 100_000, "the code of the hub, at least"
    assert seen["new"] == 10_000
    assert seen["found"] >= 1, "what comes later is still found"
