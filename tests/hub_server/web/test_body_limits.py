"""Bodies: refused by what they announce, cut off by what they are."""

import anyio
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from hub_server.settings import LimitSettings
from hub_server.web.body_limits import BodyLimits
from tests.making.asgi import ask

LIMITS = LimitSettings(wheel_bytes=3000, score_body_bytes=2000, body_bytes=1000)
PATHS = [
    ("/api/v1/packages", 3000),
    ("/api/v1/packages/alice/x/releases/1.0.0/score", 2000),
    ("/api/v1/packages/alice/x/releases/1.0.0/cases", 1000),
    ("/api/v1/runs/score", 1000),
    ("/login", 1000),
]


async def size(scope, receive, send):
    body = await Request(scope, receive).body()
    await PlainTextResponse(str(len(body)))(scope, receive, send)


LIMITED = BodyLimits(size, LIMITS)


@pytest.mark.parametrize(("path", "limit"), PATHS)
def test_a_body_of_exactly_the_limit_passes_in_however_many_pieces(path, limit) -> None:
    assert ask(LIMITED, path, method="POST", body=[b"x" * limit]).body == str(limit).encode()
    assert ask(LIMITED, path, method="POST", body=[b"x"] * limit).body == str(limit).encode()


@pytest.mark.parametrize(("path", "limit"), PATHS)
def test_one_byte_more_is_cut_off_though_nothing_announced_it(path, limit) -> None:
    with pytest.raises(HTTPException, match="larger than") as caught:
        ask(LIMITED, path, method="POST", body=[b"x" * limit, b"x"])
    assert caught.value.status_code == 413


@pytest.mark.parametrize("announced", ["5", "-1", "many", "", "1e9", "٣"])
def test_a_length_that_lies_does_not_help(announced) -> None:
    headers = {"Content-Length": announced} if announced.isascii() else {}
    with pytest.raises(HTTPException):
        ask(LIMITED, "/login", method="POST", headers=headers, body=[b"x" * 1001])


def test_an_announced_length_beyond_the_limit_is_refused_before_a_byte_is_read() -> None:
    async def never(_scope, _receive, _send):
        raise AssertionError("the application was asked")

    refused = ask(BodyLimits(never, LIMITS), "/login", method="POST", headers={"Content-Length": "1001"})
    assert (refused.status, refused.headers["connection"]) == (413, "close")
    assert b'"code":"too_large"' in refused.body
    assert b'"instance":"request-1"' in refused.body


def test_what_is_no_http_request_passes_untouched() -> None:
    seen = []

    async def app(scope, _receive, _send):
        seen.append(scope["type"])

    ask(BodyLimits(app, LIMITS), kind="websocket", headers={"Content-Length": "9999999"})
    assert seen == ["websocket"]


@pytest.mark.parametrize(("idle", "whole"), [(0.01, 60.0), (60.0, 0.01)])
def test_a_body_that_does_not_come_is_refused(idle: float, whole: float) -> None:
    """Whichever clock is the shorter one; the sender says that more comes, and sends nothing."""
    slow = BodyLimits(size, LIMITS.model_copy(update={"body_idle_seconds": idle, "body_seconds": whole}))

    async def scene() -> None:
        pieces = [{"type": "http.request", "body": b"x", "more_body": True}]

        async def receive() -> dict:
            if pieces:
                return pieces.pop()
            await anyio.sleep_forever()
            raise AssertionError

        async def send(_message: object) -> None:
            raise AssertionError("nothing is answered here: the refusal is raised")

        with pytest.raises(HTTPException) as caught:
            await slow({"type": "http", "method": "POST", "path": "/login", "headers": []}, receive, send)
        assert caught.value.status_code == 408

    anyio.run(scene)


def test_who_has_sent_all_may_wait_for_the_answer() -> None:
    async def scene() -> None:
        quick = LIMITS.model_copy(update={"body_idle_seconds": 0.01, "body_seconds": 0.01})
        pieces = [{"type": "http.disconnect"}, {"type": "http.request", "body": b"x", "more_body": False}]

        async def app(_scope: object, receive, _send: object) -> None:
            await receive()
            await anyio.sleep(0.02)  # longer than both clocks
            assert (await receive())["type"] == "http.disconnect"

        async def receive() -> dict:
            return pieces.pop()

        async def send(_message: object) -> None:
            raise AssertionError

        await BodyLimits(app, quick)({"type": "http", "method": "POST", "path": "/login", "headers": []}, receive, send)

    anyio.run(scene)
