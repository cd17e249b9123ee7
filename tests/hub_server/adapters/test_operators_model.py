"""The operator's model server: what it is asked, how it fails, and what packages hear of it."""

import json

import httpx
import pytest

from hub_server.adapters.operators_model import OperatorsModel
from sandbox.models.port import ModelAnswer, ModelSilentError

ASKED = [{"role": "user", "content": "Good?"}]
GOOD = {"choices": [{"message": {"content": "yes"}, "finish_reason": "length"}], "usage": {"prompt_tokens": 4}}


class Server:
    """Answers each request by the next of ``replies``, the last one again and again."""

    def __init__(self, *replies):
        self.requests, self.pauses, self._replies = [], [], list(replies)

    def __call__(self, request):
        self.requests.append(request)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    def ask(self):
        model = OperatorsModel(
            "http://judge.internal/v1/", "m", "key\n", transport=httpx.MockTransport(self), pause=self.pauses.append
        )
        try:
            return model.complete(ASKED, max_tokens=3, seed=9)
        finally:
            model.close()


def test_a_question_has_the_models_name_the_key_and_temperature_0():
    server = Server(httpx.Response(200, json=GOOD))
    assert server.ask() == ModelAnswer("yes", True, 4, None)
    [request] = server.requests
    assert str(request.url) == "http://judge.internal/v1/chat/completions"
    assert request.headers["Authorization"] == "Bearer key"
    assert json.loads(request.content) == {
        "model": "m",
        "messages": ASKED,
        "max_tokens": 3,
        "seed": 9,
        "temperature": 0,
    }


def test_a_busy_server_is_asked_again_and_not_for_ever():
    server = Server(httpx.Response(503), httpx.Response(429), httpx.Response(200, json=GOOD))
    assert server.ask().text == "yes"
    assert server.pauses == [1.0, 2.0]
    server = Server(httpx.Response(500))
    with pytest.raises(ModelSilentError, match="refuses the question \\(500\\)"):
        server.ask()
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(401, text="the key of judge.internal is wrong"),
        httpx.Response(307, headers={"Location": "http://elsewhere/"}),
        httpx.Response(200, text="<html>judge.internal</html>"),
        httpx.Response(200, json={"choices": []}),
        httpx.Response(200, json={"choices": [{"message": {"content": None}}]}),
        httpx.Response(200, json={"choices": [{"message": {"content": 7}}]}),
        httpx.Response(200, content=b"x" * (5 << 20)),
        httpx.ConnectError("judge.internal refused"),
        httpx.ReadTimeout("judge.internal"),
    ],
)
def test_whatever_goes_wrong_is_silence_and_names_no_address(reply):
    server = Server(reply)
    with pytest.raises(ModelSilentError) as silence:
        server.ask()
    assert "judge.internal" not in str(silence.value)
    assert len(server.requests) == 1
