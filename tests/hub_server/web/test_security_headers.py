"""Every answer carries the headers that protect browsers."""

from starlette.responses import JSONResponse, PlainTextResponse

from hub_server.web.metrics import RequestMetrics
from hub_server.web.middleware import RequestIds
from hub_server.web.security_headers import CSP
from tests.making.asgi import ask


def surrounded(app):
    return RequestIds(app, RequestMetrics())


OK = surrounded(PlainTextResponse("ok"))


def test_every_answer_carries_the_security_headers_and_a_route_may_set_its_own() -> None:
    assert ask(OK).headers["content-security-policy"] == CSP
    assert ask(OK).headers["x-content-type-options"] == "nosniff"

    async def own(scope, receive, send):
        headers = {"Content-Security-Policy": "sandbox"}
        await JSONResponse({}, headers=headers)(scope, receive, send)

    assert ask(surrounded(own)).headers["content-security-policy"] == "sandbox"
    assert "unsafe" not in CSP


def test_only_what_came_over_tls_says_that_tls_is_all_there_is() -> None:
    """A browser then asks this host by nothing else for a year; over plain HTTP the header would mean nothing."""
    assert "strict-transport-security" not in ask(OK).headers

    async def over_tls(scope, receive, send):
        await OK({**scope, "scheme": "https"}, receive, send)

    assert ask(over_tls).headers["strict-transport-security"] == "max-age=31536000"
