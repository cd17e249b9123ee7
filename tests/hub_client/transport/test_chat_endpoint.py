"""A model behind an endpoint: what servers call things, how they refuse, and what reaches a harness."""

import json

import pytest

from hub_client.errors import HubUnreachableError, NotLoggedInError, UsageError
from hub_client.transport import chat_endpoint
from hub_client.transport.chat_endpoint import ChatEndpoint, ContextOverflowError, open_policy
from tests.hub_client.commands.model_server import Model, saying

ASKED = [{"role": "user", "content": "1+1?"}]
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}


@pytest.fixture
def model():
    served = Model()
    yield served
    served.close()


@pytest.fixture
def endpoint(model):
    made = ChatEndpoint(model.url, "m", api_key="key\n", temperature=0.5, max_tokens=7)
    yield made
    made.close()


def test_a_request_holds_the_settings_the_conversation_and_the_seed(endpoint, model) -> None:
    model.answer = lambda _body: saying("2")
    said = endpoint.complete(ASKED, [TOOL], seed=3)
    assert said == {"role": "assistant", "content": "2", "finish_reason": "stop"}
    expected = {"model": "m", "temperature": 0.5, "max_tokens": 7, "messages": ASKED, "seed": 3, "tools": [TOOL]}
    assert (model.asked, model.keys) == ([expected], ["Bearer key"])
    endpoint.complete(ASKED, [], seed=3, stop=("\n", "END"))
    assert model.asked[-1]["stop"] == ["\n", "END"]


@pytest.mark.parametrize(
    ("usage", "kept"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}, {"prompt_tokens": 5, "completion_tokens": 2}),
        ({"prompt_tokens": -5, "completion_tokens": 2}, None),
        ({"prompt_tokens": "5"}, None),
        (None, None),
    ],
)
def test_tokens_are_counted_where_the_server_counts_them(endpoint, model, usage, kept) -> None:
    said = {"choices": [{"message": saying("2"), "finish_reason": "stop"}], "usage": usage}
    model.answer = lambda _body: json.dumps(said).encode()
    assert endpoint.complete(ASKED, [], seed=1, max_tokens=3).get("usage") == kept
    assert model.asked[-1]["max_tokens"] == 3


def test_calls_of_tools_get_an_id_and_their_arguments_as_text(endpoint, model) -> None:
    calls = [{"function": {"name": "add", "arguments": {"a": 1}}}, {"id": "x", "function": {"name": "add"}}]
    model.answer = lambda _body: saying("") | {"tool_calls": calls}
    found = endpoint.complete(ASKED, [TOOL], seed=0)["tool_calls"]
    assert [(call["id"], json.loads(call["function"]["arguments"])) for call in found] == [
        ("call-0", {"a": 1}),
        ("x", {}),
    ]


def test_a_setting_that_the_server_does_not_know_is_sent_its_way_from_then_on(endpoint, model) -> None:
    def strict(body):
        for name in ("max_tokens", "seed"):
            if name in body:
                return 400, f"Unsupported parameter: '{name}'"
        return saying("2")

    model.answer = strict
    for _ in range(2):
        assert endpoint.complete(ASKED, [], seed=1)["content"] == "2"
    assert [sorted(body.keys() & {"max_tokens", "max_completion_tokens", "seed"}) for body in model.asked] == [
        ["max_tokens", "seed"],
        ["max_completion_tokens", "seed"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ((400, "This model's maximum context length is 4096 tokens"), ContextOverflowError, "does not fit"),
        ((413, "exceed_context_size_error"), ContextOverflowError, "does not fit"),
        ((401, "no"), NotLoggedInError, "VERIHUB_MODEL_KEY"),
        ((404, "no such model"), HubUnreachableError, "no model 'm'"),
        ((400, "bad"), HubUnreachableError, "refuses the request"),
        ((200, "{}"), HubUnreachableError, "not a chat completion"),
        ((200, '{"choices": []}'), HubUnreachableError, "not a chat completion"),
        ((200, '{"choices": [{"message": {"content": 7}}]}'), HubUnreachableError, "not a chat completion"),
        ((200, '{"choices": [{"message": {"tool_calls": [{}]}}]}'), HubUnreachableError, "not a chat completion"),
        ((200, '{"choices": [{"message": {"content": NaN}}]}'), HubUnreachableError, "not JSON"),
        ((200, "<html>"), HubUnreachableError, "not JSON"),
    ],
)
def test_what_a_server_refuses_or_garbles_is_told_as_what_it_means(endpoint, model, answer, error, words) -> None:
    model.answer = lambda _body: answer
    with pytest.raises(error, match=words):
        endpoint.complete(ASKED, [], seed=0)


def test_a_server_that_stays_busy_is_named_and_what_to_do(endpoint, model) -> None:
    model.answer = lambda _body: (429, "slow down")
    with pytest.raises(HubUnreachableError, match="fewer --workers"):
        endpoint.complete(ASKED, [], seed=0)
    assert len(model.asked) == 6


@pytest.mark.parametrize(
    ("model_name", "endpoint", "words"),
    [("local:smollm2", "http://127.0.0.1:1", "leave out --endpoint"), ("m", "localhost:8000", "is an address such as")],
)
def test_a_model_and_an_endpoint_that_do_not_go_together(model_name, endpoint, words) -> None:
    with pytest.raises(UsageError, match=words):
        open_policy(model_name, endpoint=endpoint, api_key=None, temperature=0.0, max_tokens=1)


class Point:
    """The entry point of a trainer that is installed."""

    name = "local"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def load(self):
        def open_local(*_, **__):
            raise self.error

        return open_local


def test_a_fault_while_a_model_is_opened_is_not_told_as_a_missing_trainer(monkeypatch) -> None:
    monkeypatch.setattr(chat_endpoint, "entry_points", lambda **_: [Point(IndexError("a fault of ours"))])
    with pytest.raises(IndexError, match="a fault of ours"):
        open_policy("local:tiny", endpoint="", api_key=None, temperature=0.0, max_tokens=1)


def test_a_module_that_is_missing_is_named(monkeypatch) -> None:
    missing = ModuleNotFoundError("No module named 'transformers'")
    monkeypatch.setattr(chat_endpoint, "entry_points", lambda **_: [Point(missing)])
    with pytest.raises(UsageError, match=r"a model in this process needs .*No module named 'transformers'"):
        open_policy("local:tiny", endpoint="", api_key=None, temperature=0.0, max_tokens=1)


def test_without_the_trainer_a_model_of_this_process_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setattr(chat_endpoint, "entry_points", lambda **_: [])
    with pytest.raises(UsageError, match="a model in this process needs"):
        open_policy("local:tiny", endpoint="", api_key=None, temperature=0.0, max_tokens=1)
