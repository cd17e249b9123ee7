"""A mirror lets reads pass and nothing else."""

import asyncio
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp

from hub_server.web.mirrors import ReadOnlyMirror

DONE = PlainTextResponse("done")


def sent_by(app: ASGIApp, **scope: Any) -> list[Any]:
    """What ``app`` answers. Reading a body is an error: a refusal needs none."""
    sent: list[Any] = []

    async def receive() -> Any:
        raise AssertionError("nothing of a body is read")

    async def send(message: Any) -> None:
        sent.append(message)

    whole = {
        "type": "http",
        "path": "/api/v1/packages",
        "headers": [],
        "query_string": b"",
        "state": {"request_id": "r"},
    }
    asyncio.run(app({**whole, **scope}, receive, send))
    return sent


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "NEW"])
def test_what_is_no_read_is_refused_before_its_body_and_the_other_hub_is_named(method: str) -> None:
    start, body = sent_by(ReadOnlyMirror(DONE, "https://hub.test"), method=method)
    assert start["status"] == 403
    assert b"https://hub.test" in body["body"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/x"), ("HEAD", "/x"), ("OPTIONS", "/x"), ("POST", "/theme")])
def test_reads_pass(method: str, path: str) -> None:
    assert sent_by(ReadOnlyMirror(DONE, "https://hub.test"), method=method, path=path)[0]["status"] == 200


def test_a_hub_of_its_own_takes_everything_and_a_mirror_no_session() -> None:
    assert sent_by(ReadOnlyMirror(DONE, ""), method="POST")[0]["status"] == 200
    closed = sent_by(ReadOnlyMirror(DONE, "https://hub.test"), type="websocket")
    assert closed == [{"type": "websocket.close", "code": 1008}]


ELSEWHERE = [
    *("/owners/alice", "/login", "/signup", "/owners/a\r\nb", "/owners//evil.example", "/account", "/runs", "/label"),
    *("/collections/new", "/packages/a/b/discussions/new", "/packages/a/b/report", "/packages/a/b/releases/1.0.0/try"),
]


@pytest.mark.parametrize("path", ["/", "/packages", "/packages/discussions/report", "/packages/a/try", "/loginless"])
def test_pages_about_packages_are_the_mirrors_own(path: str) -> None:
    assert sent_by(ReadOnlyMirror(DONE, "https://hub.test"), method="GET", path=path)[0]["status"] == 200


@pytest.mark.parametrize("path", ["/api/v1/account", "/api/v1/account/author-keys"])
def test_who_asks_about_an_account_is_not_told_to_log_in(path: str) -> None:
    start, body = sent_by(ReadOnlyMirror(DONE, "https://hub.test"), method="GET", path=path)
    assert start["status"] == 403
    assert b"https://hub.test" in body["body"]
    assert sent_by(ReadOnlyMirror(DONE, "https://hub.test"), method="GET", path="/api/v1/accounts")[0]["status"] == 200


@pytest.mark.parametrize("path", ELSEWHERE)
def test_pages_of_what_a_mirror_has_not_lead_to_the_other_hub_and_nowhere_else(path: str) -> None:
    start = sent_by(ReadOnlyMirror(DONE, "https://hub.test"), method="GET", path=path, query_string=b"cursor=x")[0]
    location = dict(start["headers"])[b"location"]
    assert start["status"] == 307
    assert location.startswith(b"https://hub.test/")
    assert b"\n" not in location
    assert sent_by(ReadOnlyMirror(DONE, ""), method="GET", path=path)[0]["status"] == 200
