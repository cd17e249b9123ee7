"""Numbers that are no JSON are refused before any model takes them; everything else passes as it came."""

import json

import pytest
from fastapi.testclient import TestClient
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from hub_server.web.json_numbers import JsonNumbers
from tests.making.asgi import ask

JSON = {"content-type": "application/json; charset=utf-8"}
STREAM = "/api/v1/packages/alice/x/releases/1.0.0/score"


async def echo(scope, receive, send):
    await PlainTextResponse(await Request(scope, receive).body())(scope, receive, send)


CHECKED = JsonNumbers(echo)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1E+999", "9" * 400 + ".0"])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_number_that_no_float_holds_is_refused_in_however_many_pieces(number: str, size: int) -> None:
    body = f'{{"task": {{"answer": [1, {number}]}}}}'.encode()
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    with pytest.raises(HTTPException, match="not sound JSON") as caught:
        ask(CHECKED, "/x", method="POST", headers=JSON, body=pieces)
    assert caught.value.status_code == 422


@pytest.mark.parametrize("headers", [{"content-type": "Application/JSON"}, {"content-type": "text/JSON"}, {}])
def test_it_does_not_matter_how_the_type_is_written_or_whether_it_is(headers: dict[str, str]) -> None:
    with pytest.raises(HTTPException, match="not sound JSON"):
        ask(CHECKED, "/x", method="POST", headers=headers, body=[b" ", b'{"a": ', b"NaN}"])


def test_a_wheel_without_a_type_is_not_kept() -> None:
    assert ask(CHECKED, "/x", method="POST", headers={}, body=[b"PK", b"NaN"]).body == b"PKNaN"


@pytest.mark.parametrize("body", ['{"a": "NaN and 1e999"}', "[1e308, 0.0, -5]", '"Infinity"', "{", "", "9" * 300])
def test_words_sound_numbers_and_what_another_refuses_pass(body: str) -> None:
    assert ask(CHECKED, "/x", method="POST", headers=JSON, body=[body.encode()]).body == body.encode()


def test_what_is_not_json_and_streams_are_not_kept_to_be_looked_through() -> None:
    for path, headers in (("/x", {"content-type": "application/octet-stream"}), (STREAM, JSON)):
        assert ask(CHECKED, path, method="POST", headers=headers, body=[b"NaN"]).body == b"NaN"


def test_a_stranger_who_sends_infinity_to_judge_is_told_so(app) -> None:
    body = json.dumps({"task": {"answer": float("inf")}, "response": "x"})
    client = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
    answer = client.post("/api/v1/packages/a/b/releases/1.0.0/judge", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert "Infinity" in answer.json()["detail"]
