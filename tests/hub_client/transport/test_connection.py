import json

import httpx
import pytest

from hub_client.errors import HubUnreachableError, NotFoundError, NotLoggedInError, PolicyError
from hub_client.transport.connection import HubConnection
from hub_client.transport.requests import accounts, packages
from schemas.wheels.archive import ArchiveLimits
from tests.making.free_ports import free_port

URL = "http://hub.example"


def connection(handler, token="secret"):
    return HubConnection(URL, token, transport=httpx.MockTransport(handler))


def problem(status, code, detail="why"):
    return httpx.Response(status, json={"title": "No", "status": status, "code": code, "detail": detail})


def test_a_call_is_sent_as_it_was_built_and_its_answer_read() -> None:
    def handler(request):
        assert str(request.url) == f"{URL}/api/v1/packages?q=math&kind=verifier"
        assert request.headers["authorization"] == "Bearer secret"
        return httpx.Response(200, json={"items": [], "next": None, "a_field_from_the_future": 1})

    assert connection(handler).send(packages.search("math", filters={"kind": "verifier"})).items == []


@pytest.mark.parametrize(
    ("response", "kind", "word"),
    [
        (problem(404, "package_not_found"), NotFoundError, "why"),
        (problem(401, "not_authenticated"), NotLoggedInError, "verihub login"),
        (httpx.Response(429, text="slow down"), PolicyError, "429: slow down"),
        (httpx.Response(502, text="<html>proxy</html>"), HubUnreachableError, "answered 502"),
        (httpx.Response(200, text="<html>a page</html>"), HubUnreachableError, "is it a Verihub hub"),
        (httpx.Response(200, json={"unexpected": True}), HubUnreachableError, "is it a Verihub hub"),
    ],
)
def test_every_bad_answer_becomes_a_sentence(response, kind, word) -> None:
    with pytest.raises(kind, match=word):
        connection(lambda _request: response).send(packages.get_package("alice/x"))


def test_a_hub_that_is_not_there_is_named_with_what_to_do() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    unreachable = HubConnection(url, None, timeout_seconds=60)
    with pytest.raises(HubUnreachableError, match=rf"{url}.*verihub serve"):
        unreachable.send(accounts.whoami())


def test_the_token_stays_with_its_origin_when_a_download_is_redirected() -> None:
    seen = {}

    def handler(request):
        seen[request.url.host] = request.headers.get("authorization")
        if request.url.host == "hub.example":
            return httpx.Response(302, headers={"location": "http://blobs.example/x.whl"})
        return httpx.Response(200, content=b"bytes")

    with connection(handler).download("/api/v1/wheel") as pieces:
        assert b"".join(pieces) == b"bytes"
    assert seen == {"hub.example": "Bearer secret", "blobs.example": None}


def test_a_wheel_of_the_size_that_its_hub_lists_is_downloaded_where_that_hub_takes_larger_ones_than_usual() -> None:
    piece, count = bytes(2**20), ArchiveLimits.archive_bytes // 2**20 + 1
    larger = connection(lambda _request: httpx.Response(200, content=iter([piece] * count)))
    with larger.download("/api/v1/wheel", count * len(piece)) as pieces:
        assert sum(map(len, pieces)) == count * len(piece)


def test_a_refused_stream_is_a_refusal_and_not_a_line() -> None:
    refused = connection(lambda _request: problem(404, "release_not_found"))
    with pytest.raises(NotFoundError), refused.lines("GET", "/api/v1/tasks"):
        pass


def test_lines_are_parsed_one_by_one() -> None:
    body = "".join(json.dumps({"n": n}) + "\n\n" for n in range(3))
    with connection(lambda _request: httpx.Response(200, text=body)).lines("GET", "/x") as lines:
        assert [line["n"] for line in lines] == [0, 1, 2]


class DyingStream(httpx.SyncByteStream):
    def __iter__(self):
        yield b'{"n": 0}\n{"n"'
        raise httpx.ReadError("the line is dead")


def test_a_stream_that_dies_is_an_unreachable_hub_and_its_half_line_is_not_believed() -> None:
    dying = connection(lambda _request: httpx.Response(200, stream=DyingStream()))
    seen = []
    with (
        pytest.raises(HubUnreachableError, match="the line is dead"),
        dying.lines("GET", "/x") as lines,
    ):
        seen.extend(lines)
    assert seen == [{"n": 0}]


def test_a_line_that_is_no_object_is_not_believed() -> None:
    page = connection(lambda _request: httpx.Response(200, text='{"n": 0}\n<html>'))
    with pytest.raises(HubUnreachableError, match="not a JSON object"), page.lines("GET", "/x") as lines:
        list(lines)


def test_a_slow_hub_is_told_from_one_that_is_not_there() -> None:
    def slow(request):
        raise httpx.ReadTimeout("", request=request)

    with pytest.raises(HubUnreachableError, match="in time"):
        connection(slow).send(accounts.whoami())
