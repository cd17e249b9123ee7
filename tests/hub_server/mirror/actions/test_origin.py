"""Questions to the other hub over real sockets: limits, redirects, private addresses."""

import socket
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from hub_server.adapters.checked_http import CheckedHttp
from hub_server.errors import StorageUnavailableError
from hub_server.mirror.actions.origin import OriginHub
from hub_server.mirror.errors import NotThereError, OriginAwayError, UntrueError
from schemas.names import digest_of
from tests.making.action_driver import ActionDriver
from tests.making.hostile_hub import Script, answer, endless, raw_hub
from tests.sandbox.guest.forked import in_child


def asking(driver: ActionDriver, url: str, *allowed: str) -> OriginHub:
    mirror = driver.services.settings.mirror.model_copy(update={"of": url, "answer_bytes": 2**16, "seconds": 5.0})
    settings = driver.services.settings.model_copy(update={"mirror": mirror})
    return OriginHub(replace(driver.services, settings=settings, outgoing=CheckedHttp(allowed, 5.0)))


HERE = "127.0.0.0/8"


@pytest.mark.parametrize(
    "script",
    [
        endless(b"x" * 4096),
        endless(b"1000\r\n" + b"x" * 4096 + b"\r\n", "Transfer-Encoding: chunked\r\n"),
        answer(b"{", headers={"Content-Length": "100"}),
        answer(b"no json"),
        answer(b"[" * 60_000),
        answer(b"", status="302 Found", headers={"Location": "http://169.254.169.254/"}),
        answer(b"", status="500 No"),
        lambda _request, caller: caller.close(),
    ],
)
def test_what_is_too_long_elsewhere_or_no_answer_is_a_hub_that_is_away(driver: ActionDriver, script: Script) -> None:
    with raw_hub(script) as hub:
        with pytest.raises(OriginAwayError):
            asking(driver, hub.url, HERE).entries(0)
        assert len(hub.requests) == 1, "no redirect is followed"


def test_a_hub_at_a_private_address_is_asked_only_where_the_operator_allows_it(driver: ActionDriver) -> None:
    with raw_hub(answer(b"{}", status="404 No")) as hub:
        with pytest.raises(OriginAwayError, match="not public"):
            asking(driver, hub.url).keys()
        assert hub.requests == []
        with pytest.raises(NotThereError):
            asking(driver, hub.url, HERE).keys()


def test_a_wheel_is_read_up_to_its_own_limit_and_held_against_its_digest(driver: ActionDriver, tmp_path: Path) -> None:
    wheel, into = b"w" * 200_000, tmp_path / "w.whl"
    with raw_hub(answer(wheel)) as hub:
        asking(driver, hub.url, HERE).fetch_wheel("alice/sums", "1.0", digest_of(wheel), into)
        assert into.read_bytes() == wheel
        with pytest.raises(UntrueError, match="other bytes"):
            asking(driver, hub.url, HERE).fetch_wheel("alice/sums", "1.0+local", digest_of(b"other"), into)
    assert b"GET /api/v1/packages/alice/sums/releases/1.0%2Blocal/wheel " in hub.requests[1]


def test_a_wheel_is_never_whole_in_memory(driver: ActionDriver, tmp_path: Path) -> None:
    def in_pieces(_request: bytes, caller: socket.socket) -> None:
        caller.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % 2**24)
        for _ in range(2**6):
            caller.sendall(bytes(2**18))

    digest = digest_of(bytes(2**24))

    def body() -> int:
        with raw_hub(in_pieces) as hub:
            asked = asking(driver, hub.url, HERE)
            tracemalloc.start()
            asked.fetch_wheel("alice/sums", "1.0", digest, tmp_path / "w.whl")
            _, most = tracemalloc.get_traced_memory()
        return most

    assert in_child(body) < 4 * 2**20


def test_a_wheel_that_breaks_off_or_has_no_end_is_no_wheel(driver: ActionDriver, tmp_path: Path) -> None:
    for script in (
        endless(b"x" * 2**20),
        answer(b"xx", headers={"Content-Length": "100"}),
        answer(b"", status="500 No"),
    ):
        with raw_hub(script) as hub, pytest.raises(OriginAwayError):
            asking(driver, hub.url, HERE).fetch_wheel("alice/sums", "1.0", digest_of(b"xx"), tmp_path / "w.whl")


def test_a_full_disk_is_the_mirrors_own_and_not_the_other_hubs(driver: ActionDriver) -> None:
    wheel = b"w" * 200_000
    with raw_hub(answer(wheel)) as hub, pytest.raises(StorageUnavailableError, match="No space left"):
        asking(driver, hub.url, HERE).fetch_wheel("alice/sums", "1.0", digest_of(wheel), Path("/dev/full"))
