"""JSON answers are tagged by their bytes, and a reader who has them gets 304 without a body."""

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse

from hub_server.web.etags import JsonEtags
from tests.making.asgi import ask

PATH = "/api/v1/packages"


async def one(scope, receive, send):
    await JSONResponse({"a": 1})(scope, receive, send)


TAGGED = JsonEtags(one)


def test_a_tag_follows_from_the_body_alone() -> None:
    first, again, other = (ask(app, PATH) for app in (TAGGED, TAGGED, JsonEtags(JSONResponse({"a": 2}))))
    assert first.headers["etag"] == again.headers["etag"] != other.headers["etag"]
    assert first.headers["cache-control"] == "no-cache"
    assert {part.strip().lower() for part in first.headers["vary"].split(",")} == {"authorization", "cookie"}


@pytest.mark.parametrize("form", ["{0}", "W/{0}", '"old", {0}', '{0} , "x"', "*"])
def test_whoever_has_the_body_gets_304_and_no_body(form) -> None:
    tag = ask(TAGGED, PATH).headers["etag"]
    known = ask(TAGGED, PATH, headers={"If-None-Match": form.format(tag)})
    assert (known.status, known.body) == (304, b"")
    assert "content-length" not in known.headers
    assert known.headers["etag"] == tag


@pytest.mark.parametrize("known", ["", '"other"', "garbage,,,"])
def test_whoever_has_something_else_gets_the_body(known) -> None:
    answer = ask(TAGGED, PATH, headers={"If-None-Match": known})
    assert (answer.status, answer.body) == (200, b'{"a":1}')


@pytest.mark.parametrize(
    ("app", "path", "method"),
    [
        (JSONResponse({}), "/page", "GET"),
        (JSONResponse({}), PATH, "POST"),
        (JSONResponse({}, status_code=404), PATH, "GET"),
        (PlainTextResponse("{}"), PATH, "GET"),
        (StreamingResponse(iter([b"{", b"}"]), media_type="application/json"), PATH, "GET"),
    ],
    ids=["page", "write", "refusal", "text", "stream"],
)
def test_what_is_no_json_of_one_piece_is_left_as_it_is(app, path, method) -> None:
    assert "etag" not in ask(JsonEtags(app), path, method=method).headers


def test_a_route_that_tags_itself_keeps_its_tag() -> None:
    assert ask(JsonEtags(JSONResponse({}, headers={"ETag": '"own"'})), PATH).headers["etag"] == '"own"'
