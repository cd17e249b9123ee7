"""What is sent compressed, what is not, and that nobody who does not take it gets it."""

import asyncio
import gzip
import json

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from hub_server.web.compression import Compression
from tests.making.hub import Api, make_package

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

PAGE = "/packages/alice/small-sums"
TASKS = "/api/v1/packages/alice/small-sums/releases/1.0.0/tasks?split=train"


@pytest.fixture
def published(alice: Api) -> Api:
    tasks = "".join(json.dumps({"id": f"t{n}", "prompt": "one and one? " * 9, "answer": 2}) + "\n" for n in range(50))
    assert alice.publish(make_package(package_files={"tasks.jsonl": tasks})).status_code == 201
    return alice


def sent(api: Api, path: str, accept: str = "gzip", method: str = "GET", **headers: str) -> httpx.Response:
    return api.request(method, path, headers={"Accept-Encoding": accept, **headers})


@pytest.mark.parametrize("path", ["/", PAGE, "/api/v1/packages/alice/small-sums", "/api/v1/openapi.json"])
def test_pages_json_and_feeds_are_the_same_text_in_fewer_bytes(published: Api, path: str) -> None:
    plain, small = sent(published, path, "identity"), sent(published, path)
    assert plain.status_code == 200, path
    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert int(small.headers["Content-Length"]) < int(plain.headers["Content-Length"]) / 1.5
    assert "accept-encoding" in small.headers["Vary"].lower()
    assert "accept-encoding" in plain.headers["Vary"].lower(), "a cache between must keep them apart"
    assert small.text == plain.text


def test_streams_and_wheels_leave_as_they_are(published: Api) -> None:
    assert "Content-Encoding" not in sent(published, TASKS).headers
    assert len(sent(published, TASKS).text) > 1000
    wheel = published.get(f"/api/v1{PAGE}/releases/1.0.0/wheel")
    assert "Content-Encoding" not in wheel.headers
    assert "Content-Encoding" not in sent(published, "/healthz").headers, "too short to be worth it"


@pytest.mark.parametrize("accept", ["", "identity", "br", "gzip;q=0", "gzip; q=0.0"])
def test_who_does_not_take_gzip_gets_none(published: Api, accept: str) -> None:
    assert "Content-Encoding" not in sent(published, PAGE, accept).headers


def test_each_form_has_a_tag_of_its_own_and_is_not_sent_twice(published: Api) -> None:
    path = f"/api/v1{PAGE}"
    small, plain = sent(published, path), sent(published, path, "identity")
    assert small.headers["ETag"] != plain.headers["ETag"]
    for accept, answer in (("gzip", small), ("identity", plain)):
        again = sent(published, path, accept, **{"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert sent(published, path, method="HEAD").content == b""


def test_the_tag_of_a_file_does_not_promise_the_same_bytes(published: Api) -> None:
    small, plain = sent(published, "/static/verihub.css"), sent(published, "/static/verihub.css", "identity")
    assert small.headers["ETag"] == f"W/{plain.headers['ETag']}"
    again = sent(published, "/static/verihub.css", **{"If-None-Match": small.headers["ETag"]})
    assert again.status_code == 304
    part = sent(published, "/static/verihub.css", Range="bytes=0-99")
    assert (part.status_code, len(part.content)) == (206, 100)
    assert "Content-Encoding" not in part.headers


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {"content-type": "text/plain", "content-encoding": "gzip"}, gzip.compress(bytes(5000))),
        (206, {"content-type": "text/plain", "content-range": "bytes 0-4999/9999"}, bytes(5000)),
    ],
)
def test_what_is_compressed_already_and_a_part_of_a_body_keep_their_bytes(
    app: FastAPI, status: int, headers: dict[str, str], body: bytes
) -> None:
    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        await send({"type": "http.response.body", "body": body})

    transport = httpx.ASGITransport(app=Compression(inner))

    async def ask() -> list[bytes]:
        client = httpx.AsyncClient(transport=transport, base_url="http://hub.test")
        async with client, client.stream("GET", "/", headers={"Accept-Encoding": "gzip"}) as answer:
            return [part async for part in answer.aiter_raw()]

    assert b"".join(asyncio.run(ask())) == body
