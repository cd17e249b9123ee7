"""The endpoint over real HTTP, asked as OpenAI's clients ask; and by the client that `verihub eval` uses."""

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import torch
import uvicorn
from starlette.testclient import TestClient

from hub_client.transport.chat_endpoint import ChatEndpoint, ContextOverflowError
from tests.trainer_bridge.rollout.decoding.families import logprobs
from trainer_bridge.models.loaded_model import load_model
from trainer_bridge.rollout.chat import ChatModel
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.serving_engine import ServingEngine
from trainer_bridge.serving.app import Endpoint, create_app

ASKED = [{"role": "user", "content": "hi"}]
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return load_model("tiny", dtype=torch.float32, device=torch.device("cpu"), cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def engine(loaded):
    with ServingEngine(open_engine(loaded, slots=16)) as opened:
        yield opened


class Served(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, app):
        super().__init__(uvicorn.Config(app, log_level="warning", lifespan="off"))
        self.listening = threading.Event()

    async def startup(self, sockets=None):
        await super().startup(sockets)
        self.listening.set()


@pytest.fixture(scope="module")
def url(loaded, engine):
    app = create_app(Endpoint(ChatModel(loaded, "tiny"), engine, max_tokens=8, api_key="secret"))
    server = Served(app)
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        server.listening.wait()
        yield f"http://127.0.0.1:{place.getsockname()[1]}/v1"
        server.should_exit = True
        thread.join()


@pytest.fixture
def client(url):
    with httpx.Client(base_url=url, headers={"authorization": "Bearer secret"}, timeout=60) as opened:
        yield opened


def ask(client, **more):
    return client.post("/chat/completions", json={"model": "tiny", "messages": ASKED, "temperature": 0, **more})


def events(client, **more):
    body = {"model": "tiny", "messages": ASKED, "temperature": 0, "stream": True, **more}
    with client.stream("POST", "/chat/completions", json=body) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = [line.removeprefix("data: ") for line in answer.iter_lines() if line]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


def test_an_answer_has_openais_shape_and_the_models_own_logprobs(client, loaded):
    body = ask(client, max_tokens=5, logprobs=True, return_token_ids=True).raise_for_status().json()
    (choice,) = body["choices"]
    assert body["object"] == "chat.completion"
    assert choice["message"]["role"] == "assistant"
    assert choice["finish_reason"] == ("stop" if choice["token_ids"][-1] in loaded.eos_ids else "length")
    assert body["usage"]["completion_tokens"] == len(choice["token_ids"])
    assert body["usage"]["prompt_tokens"] == len(body["prompt_token_ids"])
    expected = logprobs(loaded.model, body["prompt_token_ids"], choice["token_ids"])
    assert [token["logprob"] for token in choice["logprobs"]["content"]] == pytest.approx(expected, abs=1e-4)


def test_a_stream_adds_up_to_the_answer(client):
    drawn = {"temperature": 1, "seed": 4}
    whole = ask(client, **drawn).json()
    found = events(client, stream_options={"include_usage": True}, **drawn)
    *chunks, last = found
    assert {chunk["object"] for chunk in found} == {"chat.completion.chunk"}
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert text == whole["choices"][0]["message"]["content"]
    assert len([chunk for chunk in chunks if chunk["choices"][0]["delta"].get("content")]) > 1, "it comes in pieces"
    assert chunks[-1]["choices"][0]["finish_reason"] == whole["choices"][0]["finish_reason"]
    assert last["usage"] == whole["usage"]


def test_several_answers_differ_and_a_seed_repeats_them(client):
    def texts(**more):
        choices = ask(client, n=4, temperature=1, **more).json()["choices"]
        assert [choice["index"] for choice in choices] == [0, 1, 2, 3]
        return [choice["message"]["content"] for choice in choices]

    assert len(set(texts(seed=5))) > 1
    assert texts(seed=5) == texts(seed=5) != texts(seed=6)


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"model": "gpt"}, 404, "model_not_found"),
        ({"messages": [{"role": "user", "content": "x" * 5000}]}, 400, "context_length_exceeded"),
        ({"temperature": "hot"}, 400, None),
        ({"response_format": {"type": "json_object"}}, 400, "unsupported_parameter"),
        ({"messages": [{"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}]}, 400, None),
        ({"messages": [{"role": "user", "content": 5}]}, 400, None),
    ],
)
def test_errors_are_openais(client, more, status, code):
    for stream in (False, True):
        answer = ask(client, stream=stream, **more)
        assert answer.status_code == status
        error = answer.json()["error"]
        assert (error["type"], error["code"]) == ("invalid_request_error", code)
        assert error["message"]


def test_a_wrong_key_another_path_and_another_method_are_answered_in_the_same_shape(client, url):
    assert httpx.post(f"{url}/chat/completions", json={}).json()["error"]["code"] == "invalid_api_key"
    assert httpx.get(f"{url}/models", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/embeddings").json()["error"]["type"] == "invalid_request_error"
    assert client.get("/chat/completions").status_code == 405


def test_the_models_are_listed(client):
    (card,) = client.get("/models").json()["data"]
    assert card["id"] == "tiny"
    assert client.get("/models/tiny").json() == card
    assert client.get("/models/gpt").json()["error"]["code"] == "model_not_found"


def test_a_stop_sequence_ends_an_answer_with_the_token_that_completes_it(client, loaded):
    drawn = {"temperature": 1, "seed": 1, "max_tokens": 40, "return_token_ids": True}
    (free,) = ask(client, **drawn).json()["choices"]
    text = free["message"]["content"]
    word = text[5:7]
    (cut,) = ask(client, stop=word, logprobs=True, **drawn).json()["choices"]
    assert cut["message"]["content"] == text[: text.index(word)]
    assert cut["finish_reason"] == "stop"
    written = cut["token_ids"]
    assert written == free["token_ids"][: len(written)], "what was written is the same, up to there"
    assert word in loaded.tokenizer.decode(written)
    assert word not in loaded.tokenizer.decode(written[:-1])
    assert len(cut["logprobs"]["content"]) == len(written)
    stream = events(client, stop=["never", word], **drawn)
    said = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in stream)
    assert said == cut["message"]["content"]
    assert stream[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("seed", [-1, 0, 1 << 55, 1 << 63, 1 << 70])
def test_any_whole_number_is_a_seed_of_its_own(client, seed):
    def text(seed):
        return ask(client, temperature=1, seed=seed).json()["choices"][0]["message"]["content"]

    assert text(seed) == text(seed) != text(seed + 1)


def test_many_clients_at_once_get_what_each_would_alone(client):
    asked = [[{"role": "user", "content": f"{number}?"}] for number in range(12)]

    def text(messages):
        return ask(client, messages=messages).json()["choices"][0]["message"]["content"]

    alone = [text(messages) for messages in asked]
    with ThreadPoolExecutor(12) as threads:
        assert list(threads.map(text, asked)) == alone


def test_a_client_that_goes_away_frees_its_slot(client, engine):
    body = {"model": "tiny", "messages": ASKED, "temperature": 1, "stream": True, "max_tokens": 900, "seed": 3}
    with client.stream("POST", "/chat/completions", json=body) as answer:
        next(answer.iter_lines())
    # Whatever runs here afterwards is only what was left: the engine comes to rest when nobody waits.
    ask(client, max_tokens=1)
    while engine._engine.is_busy:
        threading.Event().wait(0.01)
    assert not engine._waiting


def test_what_verihub_eval_asks_with_gets_its_answers_and_errors(url):
    policy = ChatEndpoint(url, "tiny", api_key="secret", temperature=0.0, max_tokens=4)
    message = policy.complete(ASKED, [TOOL], seed=1)
    assert message["role"] == "assistant"
    assert message["finish_reason"] in ("stop", "length")
    with pytest.raises(ContextOverflowError):
        policy.complete([{"role": "user", "content": "x" * 5000}], [], seed=1)
    policy.close()


def test_health_says_whether_anything_is_answered(loaded):
    with ServingEngine(open_engine(loaded, slots=2)) as engine:
        client = TestClient(create_app(Endpoint(ChatModel(loaded, "tiny"), engine)))
        assert client.get("/health").status_code == 200
    assert client.get("/health").status_code == 503
