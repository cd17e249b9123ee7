"""Writes that a browser sends for another site are refused; programs and our own pages are not."""

import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from hub_server.web.csrf import SameOriginWrites, is_foreign
from tests.making.asgi import ask

GUARDED = SameOriginWrites(PlainTextResponse("done"))
FOREIGN = {"host": "hub.test", "sec-fetch-site": "cross-site"}


@pytest.mark.parametrize(
    ("headers", "foreign"),
    [
        ({}, False),  # a program
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "none"}, False),  # typed into the address bar
        ({"sec-fetch-site": "same-site"}, True),  # evil.example.org beside hub.example.org
        ({"sec-fetch-site": "cross-site"}, True),
        ({"sec-fetch-site": ""}, True),
        ({"sec-fetch-site": "cross-site", "origin": "http://hub.test"}, True),
        ({"origin": "http://hub.test"}, False),
        ({"origin": "http://HUB.test"}, False),
        ({"origin": "http://["}, True),
        ({"origin": "http://hub.test:81"}, True),
        ({"origin": "http://hub.test.evil.example"}, True),
        ({"origin": "http://evil.example/hub.test"}, True),
        ({"origin": "http://hub.test@evil.example"}, True),
        ({"origin": "null"}, True),
        ({"origin": ""}, True),
        ({"authorization": "Bearer t", "sec-fetch-site": "cross-site"}, False),  # no cookie speaks for it
        ({"authorization": "Bearer ", "sec-fetch-site": "cross-site"}, True),  # no token, so its cookie would speak
        ({"authorization": "Basic t", "sec-fetch-site": "cross-site"}, True),
    ],
)
def test_who_sent_it_decides(headers, foreign) -> None:
    assert is_foreign(Headers({"host": "hub.test", **headers})) is foreign


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "SOMETHING"])
def test_a_foreign_write_is_refused_in_words(method) -> None:
    refused = ask(GUARDED, method=method, headers=FOREIGN)
    assert refused.status == 403
    assert b"another site" in refused.body
    assert ask(GUARDED, method=method, headers={"host": "hub.test"}).body == b"done"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_link_from_another_site_can_be_followed(method) -> None:
    assert ask(GUARDED, method=method, headers=FOREIGN).status == 200


def test_another_sites_page_opens_no_socket() -> None:
    refused = ask(GUARDED, kind="websocket", headers=FOREIGN)
    assert refused.messages == [{"type": "websocket.close", "code": 1008}]
