"""A model's server may be busy, wrong, endless or hostile: every answer is bounded, and every failure says what to do."""

import httpx
import pytest

from hub_client.errors import EndpointRefusedError, HubUnreachableError, UsageError
from hub_client.transport import json_endpoint
from hub_client.transport.json_endpoint import JsonEndpoint, _wait_seconds

URL = "http://model.example/v1"


def endpoint(*answers, key=None, pauses=None, seen=None):
    """An endpoint whose server gives these answers one after the other, and the last one for ever."""
    left = list(answers)

    def handler(request):
        if seen is not None:
            seen.append(request)
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    pauses = [] if pauses is None else pauses
    return JsonEndpoint(URL + "/", key, transport=httpx.MockTransport(handler), pause=pauses.append)


def test_the_answer_is_parsed_and_the_key_travels_with_the_request():
    seen = []
    assert endpoint(httpx.Response(200, json={"a": 1}), key=" k\n", seen=seen).post("chat", {"x": 1}) == {"a": 1}
    assert str(seen[0].url) == f"{URL}/chat"
    assert seen[0].headers["authorization"] == "Bearer k"
    assert seen[0].read() == b'{"x":1}'


def test_without_a_key_none_is_sent():
    seen = []
    endpoint(httpx.Response(200, json=1), seen=seen).post("chat", {})
    assert "authorization" not in seen[0].headers


def test_a_key_that_no_header_takes_is_a_mistake_of_the_users():
    with pytest.raises(UsageError, match="copy it again"):
        JsonEndpoint(URL, "clé\u2026")


def test_a_busy_server_is_asked_six_times_with_growing_pauses():
    pauses, seen = [], []
    busy = endpoint(httpx.Response(503, text="later"), pauses=pauses, seen=seen)
    with pytest.raises(EndpointRefusedError) as said:
        busy.post("chat", {})
    assert (len(seen), pauses) == (6, [1.0, 2.0, 4.0, 8.0, 16.0])
    assert said.value.status == 503


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_repeated(status):
    seen = []
    with pytest.raises(EndpointRefusedError):
        endpoint(httpx.Response(status, text="no"), seen=seen).post("chat", {})
    assert len(seen) == 1


@pytest.mark.parametrize("attempt", [0, 5, 30])
@pytest.mark.parametrize(
    "said", ["", "soon", "-5", "1e400", "nan", "inf", "-inf", "9" * 400, "0", "61", "\u0663", "1_0"]
)
def test_no_retry_after_makes_it_wait_longer_than_a_minute_or_less_than_nothing(said, attempt):
    assert 0 <= _wait_seconds(said, attempt) <= 60


def test_a_server_that_says_when_is_obeyed():
    assert _wait_seconds("7", 0) == 7
    assert _wait_seconds("Wed, 21 Oct 2026 07:28:00 GMT", 2) == 4


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(200, text="<html>hello</html>"), "not JSON"),
        (httpx.Response(200, text=""), "not JSON"),
        (httpx.Response(200, content=b"[" * 100_000), "not JSON"),
        (httpx.Response(200, content=b"\xff\xfe"), "not JSON"),
        (httpx.Response(302, headers={"location": "http://elsewhere.example"}), "not JSON"),
        (httpx.Response(200, headers={"content-encoding": "gzip"}, stream=httpx.ByteStream(b"x")), "compresses"),
        (httpx.ConnectError("refused"), "nothing answers at"),
        (httpx.ReadTimeout("slow"), "in time"),
        (httpx.RemoteProtocolError("cut"), "nothing answers at"),
    ],
    ids=["page", "empty", "nested", "bytes", "redirect", "compressed", "refused", "slow", "cut"],
)
def test_nonsense_is_an_unreachable_server_with_a_reason(answer, words):
    with pytest.raises(HubUnreachableError, match=words):
        endpoint(answer).post("chat", {})


def test_a_redirect_is_not_followed_with_the_key():
    seen = []
    with pytest.raises(HubUnreachableError):
        endpoint(httpx.Response(307, headers={"location": "http://thief.example"}), key="k", seen=seen).post("chat", {})
    assert [request.url.host for request in seen] == ["model.example"]


class Endless(httpx.SyncByteStream):
    def __init__(self):
        self.given = 0

    def __iter__(self):
        while True:
            self.given += 1
            yield b"x" * 2**16


@pytest.mark.parametrize("status", [200, 400])
def test_an_endless_body_is_cut_off(monkeypatch, status):
    monkeypatch.setattr(json_endpoint, "JSON_BYTES", 2**18)
    body = Endless()
    with pytest.raises((HubUnreachableError, EndpointRefusedError)):
        endpoint(httpx.Response(status, stream=body)).post("chat", {})
    assert body.given < 40
