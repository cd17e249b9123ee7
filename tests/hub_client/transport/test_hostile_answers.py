"""A hub that sends too much, too slowly, or something else than was asked: the client ends it with a sentence."""

import asyncio
import gzip
import json
import threading

import pytest

from hub_client.errors import HubClientError, HubUnreachableError, NotLoggedInError, UsageError
from hub_client.transport.answer_bodies import TooLongError, split_lines
from hub_client.transport.connection import AsyncConnection, HubConnection
from hub_client.transport.json_endpoint import JsonEndpoint
from hub_client.transport.requests import accounts, packages
from hub_client.transport.requests.call import ApiCall, nothing
from tests.making.hostile_hub import answer, endless, raw_hub

CHUNKED = "Transfer-Encoding: chunked\r\n"


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def whoami(url, **more):
    connection = HubConnection(url, None, timeout_seconds=60, **more)
    try:
        return connection.send(accounts.whoami())
    finally:
        connection.close()


def whoami_async(url):
    async def work():
        connection = AsyncConnection(url, None, timeout_seconds=60)
        try:
            return await connection.send(accounts.whoami())
        finally:
            await connection.aclose()

    return asyncio.run(work())


BOTH = pytest.mark.parametrize("ask", [whoami, whoami_async])


@BOTH
@pytest.mark.parametrize(
    "to",
    ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x", "javascript:alert(1)", "http://", "http://[::1", "//",
     "http://127.0.0.1:99999/", "http://127.0.0.1:1/", "http://a b/", "\\x", "http://x\u0000y/", "/" + "x" * 70_000, ""],
)  # fmt: skip
def test_a_hub_that_sends_us_elsewhere_reads_no_file_and_raises_no_other_error(ask, to) -> None:
    script = answer(b"", status="302 Found", headers={"Location": to})
    with raw_hub(script) as hub, pytest.raises(HubClientError):
        ask(hub.url)


@BOTH
def test_a_hub_that_sends_us_round_in_circles_is_left(ask) -> None:
    with raw_hub(answer(b"", status="307 Again", headers={"Location": "/"})) as hub, pytest.raises(HubClientError):
        ask(hub.url)
    assert len(hub.requests) < 50


@BOTH
@pytest.mark.parametrize("headers", ["", CHUNKED])
def test_a_body_without_end_is_left_at_its_limit(ask, headers) -> None:
    piece = b" " * 65536
    with (
        raw_hub(endless(chunk(piece) if headers else piece, headers)) as hub,
        pytest.raises(HubUnreachableError, match="longer than"),
    ):
        ask(hub.url)


@BOTH
def test_an_error_without_end_is_read_only_as_far_as_it_is_shown(ask) -> None:
    def script(_request, caller):
        caller.sendall(b"HTTP/1.1 500 No\r\nConnection: close\r\n\r\n")
        while True:
            caller.sendall(b"x" * 65536)

    with raw_hub(script) as hub, pytest.raises(HubClientError, match="500"):
        ask(hub.url)


@BOTH
def test_nothing_is_asked_to_be_compressed_and_what_is_compressed_is_refused(ask) -> None:
    bomb = gzip.compress(b" " * 2**20)
    with (
        raw_hub(answer(bomb, headers={"Content-Encoding": "gzip"})) as hub,
        pytest.raises(HubUnreachableError, match="compresses"),
    ):
        ask(hub.url)
    assert b"accept-encoding: identity" in hub.requests[0].lower()


@pytest.mark.parametrize("part", ["head", "body"])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_hub_that_drips_bytes_is_left_when_its_time_is_over(part, way) -> None:
    ended = threading.Event()

    def script(_request, caller):
        caller.sendall(b"HTTP/1.1 200 OK\r\nX: " if part == "head" else b"HTTP/1.1 200 OK\r\n\r\n")
        while not ended.wait(0.02):
            caller.sendall(b" ")

    def ask(url):
        if way == "sync":
            return HubConnection(url, None, timeout_seconds=0.4).send(accounts.whoami())

        async def work():
            return await AsyncConnection(url, None, timeout_seconds=0.4).send(accounts.whoami())

        return asyncio.run(work())

    with raw_hub(script) as hub, pytest.raises(HubUnreachableError, match="did not answer in time"):
        ask(hub.url)
    ended.set()


def test_heartbeats_without_end_do_not_hold_a_stream_for_ever() -> None:
    ended = threading.Event()

    def script(_request, caller):
        caller.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not ended.wait(0.02):
            caller.sendall(b"{}\n")

    with (
        raw_hub(script) as hub,
        pytest.raises(HubUnreachableError, match="in time"),
        HubConnection(hub.url, None).lines("GET", "/x", seconds=0.4) as lines,
    ):
        list(lines)
    ended.set()


def test_a_line_without_end_is_left_at_its_limit() -> None:
    with (
        raw_hub(endless(b'"' + b"x" * 65536)) as hub,
        pytest.raises(HubUnreachableError, match="a line is longer"),
        HubConnection(hub.url, None).lines("GET", "/x") as lines,
    ):
        list(lines)


def test_a_wheel_longer_than_was_said_is_left() -> None:
    with (
        raw_hub(endless(b"x" * 65536)) as hub,
        pytest.raises(HubUnreachableError, match="longer than the 100000 bytes"),
        HubConnection(hub.url, None).download("/w", 100_000) as pieces,
    ):
        b"".join(pieces)


def test_what_a_reader_raises_is_not_taken_for_the_hubs_fault() -> None:
    def store(url):
        with HubConnection(url, None).download("/w") as pieces:
            next(pieces)
            raise OSError("disk full")

    with raw_hub(answer(b"x" * 10)) as hub, pytest.raises(OSError, match="disk full"):
        store(hub.url)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c"])
def test_lines_end_at_newlines_and_nowhere_else(separator) -> None:
    rows = [{"info": f"before{separator}after"}, {"n": 1}]
    body = "".join(json.dumps(row, ensure_ascii=separator < "\x20") + "\n" for row in rows).encode()
    with raw_hub(answer(body)) as hub:
        with HubConnection(hub.url, None).lines("GET", "/x") as lines:
            assert list(lines) == rows

        async def read():
            connection = AsyncConnection(hub.url, None)
            async with connection.lines("POST", "/x", content=b"") as found:
                return [line async for line in found]

        assert asyncio.run(read()) == rows


def test_lines_are_the_same_however_they_are_cut() -> None:
    data = b'{"a": 1}\r\n\n{"b": "\xe2\x80\xa8"}\n  \n{"c": 3}'
    whole = list(split_lines([data]))
    assert [json.loads(line) for line in whole] == [{"a": 1}, {"b": "\u2028"}, {"c": 3}]
    for size in range(1, len(data)):
        assert list(split_lines(data[start : start + size] for start in range(0, len(data), size))) == whole
    with pytest.raises(TooLongError):
        list(split_lines([b"xx", b"xxx\n"], limit=4))


@BOTH
@pytest.mark.parametrize(
    "script",
    [
        answer(b"[" * 200_000),
        answer(b'{"id": NaN}'),
        answer(b"\xff\xfe"),
        answer(b'{"id": ' + b"1" * 6000 + b"}"),
        answer(b""),
        answer(b"[]"),
        answer(b"x" * 10, headers={"Content-Length": "-5"}),
        answer(b"x", headers={"Content-Length": "100"}),
        lambda _request, caller: caller.sendall(b"no HTTP at all\r\n\r\n"),
        lambda _request, caller: caller.sendall(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000),
        lambda _request, caller: None,
        answer(b"", status="302 Found", headers={"Location": "/api/v1/account"}),
        answer(b"", status="302 Found", headers={"Location": "http://[::1"}),
        answer(b"", status="302 Found", headers={"Location": "http://127.0.0.1:99999/"}),
        answer(b"", status="302 Found", headers={"Location": "file:///etc/passwd"}),
        answer(b"", status="302 Found"),
        answer(b"[" * 60_000, status="404 No"),
    ],
)
def test_whatever_a_hub_answers_only_our_errors_leave(ask, script) -> None:
    with raw_hub(script) as hub, pytest.raises(HubClientError):
        ask(hub.url)


@pytest.mark.parametrize("url", ["http://[::1", "http://a:99999", "http://\x00", "http://user:secret@hub.example"])
def test_a_url_that_is_none_is_said_and_no_password_is_repeated(url) -> None:
    with pytest.raises(UsageError) as caught:
        HubConnection(url, None)
    assert "secret" not in str(caught.value)


def test_a_token_with_a_newline_is_sent_without_it() -> None:
    with raw_hub(answer(b"null")) as hub:
        HubConnection(hub.url, "verihub_SECRET\n").send(ApiCall.get("/x", nothing))
    assert b"Bearer verihub_SECRET\r\n" in hub.requests[0]


@pytest.mark.parametrize("token", ["verihub_\nSECRET", "verihub_SECRÉT", "verihub SECRET", "verihub_SECRET\x00"])
def test_a_token_that_cannot_be_one_is_refused_without_being_shown(token) -> None:
    with pytest.raises(NotLoggedInError) as caught:
        HubConnection("http://hub.example", token)
    assert "SECR" not in str(caught.value)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
def test_what_is_written_is_not_sent_on_to_another_address(status) -> None:
    with (
        raw_hub(answer(b"{}")) as thief,
        raw_hub(answer(b"", status=status, headers={"Location": f"{thief.url}/take"})) as hub,
    ):
        with pytest.raises(HubUnreachableError, match="another address"):
            HubConnection(hub.url, "token").send(packages.publish(b"the wheel", "sha256:0"))
        assert thief.requests == []


@pytest.mark.parametrize("said", ["nan", "inf", "-1", "1e999", "soon", "3"])
def test_a_model_server_s_retry_after_is_a_pause_of_at_most_a_minute(said) -> None:
    pauses = []
    with raw_hub(answer(b"busy", status="429 Busy", headers={"Retry-After": said})) as server:
        endpoint = JsonEndpoint(server.url, None, pause=pauses.append)
        with pytest.raises(HubUnreachableError, match="429"):
            endpoint.post("chat", {})
    assert len(pauses) == 5
    assert all(0 <= pause <= 60 for pause in pauses)


@pytest.mark.parametrize("script", [answer(b"[" * 200_000), endless(b" " * 65536), answer(b"{}", headers={"Content-Encoding": "gzip"}),
                                    answer(b"NaN"), answer(b"\xff")])  # fmt: skip
def test_whatever_a_model_server_answers_only_our_errors_leave(script) -> None:
    with raw_hub(script) as server, pytest.raises(HubUnreachableError):
        JsonEndpoint(server.url, None).post("chat", {})
