"""Local servers answer programs, and nothing that a page of the web could make a browser send."""

import asyncio

import pytest

from hub_client.commands.host_header import HostCheck, is_loopback


def ask(*headers, served_at="127.0.0.1", kind="http"):
    """What is sent back for these headers: the application's "inside", or the code of the refusal."""
    sent = []

    async def inside(scope, receive, send):
        await send({"type": "inside"})

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "headers": [(name, value.encode()) for name, value in headers]}
    asyncio.run(HostCheck(inside, served_at)(scope, receive, send))
    return sent[0].get("status") or sent[0].get("code") or sent[0]["type"]


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8643", "localhost:8643", "LOCALHOST", "[::1]:8643", "127.0.0.2:1", "192.168.1.5:80"]
)
def test_programs_of_the_machine_and_its_network_get_in(host) -> None:
    assert ask((b"host", host)) == "inside"


@pytest.mark.parametrize("served_at", ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::", "localhost"])
@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "evil.example:8643",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "",
        "[::1",
        "a@b",
        "127.0.0.1, evil",
    ],
)
def test_a_name_that_was_bound_to_this_machine_does_not(served_at, name) -> None:
    assert ask((b"host", name), served_at=served_at) == 403


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://evil.example:8643", "null", "http://1.2.3.4", "file://", "http://[::1", ""],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_page_of_another_origin_does_not_even_with_the_right_host(origin, kind) -> None:
    assert ask((b"host", "127.0.0.1:8643"), (b"origin", origin), kind=kind) in (403, 1008)


@pytest.mark.parametrize(
    "origin", ["http://localhost:3000", "http://127.0.0.1:8643", "http://[::1]:1", "http://192.168.1.5"]
)
def test_a_page_of_the_machine_or_of_the_server_does(origin) -> None:
    assert ask((b"host", "192.168.1.5:80"), (b"origin", origin), served_at="0.0.0.0") == "inside"


def test_the_name_that_was_given_is_a_name_of_the_server() -> None:
    assert ask((b"host", "Box.Lan:8643"), served_at="box.lan") == "inside"


def test_two_hosts_or_none_are_refused_and_start_and_stop_pass() -> None:
    assert ask() == 403
    assert ask((b"host", "127.0.0.1"), (b"host", "127.0.0.1")) == 403
    assert ask(kind="lifespan") == "inside"


@pytest.mark.parametrize(("host", "local"), [("127.0.0.1", True), ("127.0.0.9", True), ("::1", True), ("localhost", True),
                                             ("0.0.0.0", False), ("::", False), ("192.168.1.5", False), ("box.lan", False)])  # fmt: skip
def test_what_is_reached_from_this_machine_only(host, local) -> None:
    assert is_loopback(host) == local
