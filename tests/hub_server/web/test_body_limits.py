"""Bodies: refused by what they announce, cut off by what they are."""

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
