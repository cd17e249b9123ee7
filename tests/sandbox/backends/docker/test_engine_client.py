"""Engines that refuse, mumble, hang up, fall silent or are of another version: always a fault of the host, in words."""

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.engine_client import EngineClient, words_of
from sandbox.errors import HostFaultError, SandboxUnavailableError
from sandbox.images.errors import ImageEngineError
from tests.fakes.docker_engine import DOCKER, HANGS_UP, SILENT, Raw, Reply, ScriptedEngine, refusal


@pytest.fixture
def client(scripted: ScriptedEngine) -> Iterator[EngineClient]:
    made = EngineClient(scripted.url, timeout_seconds=60)
    yield made
    made.close()


def list_images(client: EngineClient) -> Any:
    return client.ask("list images", lambda api: [row["Id"] for row in api.images()])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refusal(500, "the layers are locked"), "would not list images: the layers are locked$"),
        (refusal(409, "busy\n"), "would not list images: busy$"),
        (Reply(b"<html><body>502 Bad Gateway</body></html>", 502), "502 Bad Gateway"),
        (Reply(b"", 500), "would not list images: 500 Server Error"),
        (Reply({"message": ""}, 500), "would not list images: ."),
        (Reply(["message"], 500), "would not list images: ."),
        (Reply({"message": "x" * 90_000}, 500), "would not list images: x{500}$"),
        (refusal(500, "write /var/lib: no space left on device"), "VERIHUB_IMAGES_DISK_BUDGET_MB"),
    ],
    ids=["words", "line end", "a proxy's page", "nothing", "no words", "a list", "a flood", "a full disk"],
)
def test_a_refusal_carries_the_engines_own_words(
    scripted: ScriptedEngine, client: EngineClient, answer: Reply, words: str
) -> None:
    scripted.told["GET /images/json"] = answer
    with pytest.raises(ImageEngineError, match=words) as caught:
        list_images(client)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    "answer",
    [
        HANGS_UP,
        Raw(b"HTTP/1.1 200 OK\r\nContent-Le"),
        Raw(b"\x80\x04\x95 not a web server at all\r\n\r\n"),
        Reply([{"Id": "sha256:1"}], cut=5),
        Reply(b"[{"),
        Reply(b"\xff\xfe\x00"),
        Reply({"Id": "not a list"}),
        Reply([{"ID": "another spelling"}]),
        Reply([None]),
        Reply(b"null"),
        Reply(b"3"),
    ],
    ids=["hangs up", "half a header", "noise", "half a body", "half JSON", "no text", "an object", "another key", "null row", "null", "a number"],
)  # fmt: skip
def test_what_is_no_answer_is_a_fault_of_the_host_and_not_of_this_program(
    scripted: ScriptedEngine, client: EngineClient, answer: Any
) -> None:
    scripted.told["GET /images/json"] = answer
    with pytest.raises(HostFaultError, match="the Docker engine would not list images"):
        list_images(client)
    del scripted.told["GET /images/json"]
    scripted.told["GET /images/json"] = Reply([{"Id": "sha256:1"}])
    assert list_images(client) == ["sha256:1"], "one bad answer is no reason to give the engine up"


@pytest.mark.parametrize("fact", ["information", "version"])
@pytest.mark.parametrize("answer", [Reply([]), Reply(b"null"), Reply(b'"fine"'), refusal(500, "not now")])
def test_an_engine_that_cannot_describe_itself_is_asked_again_the_next_time(
    scripted: ScriptedEngine, client: EngineClient, fact: str, answer: Reply
) -> None:
    list_failed = {"information": "GET /info", "version": "GET /version"}[fact]
    assert client.api  # which asks for the version itself
    scripted.told[list_failed] = answer
    with pytest.raises(ImageEngineError):
        getattr(client, fact)
    del scripted.told[list_failed]
    assert isinstance(getattr(client, fact), dict)


@pytest.mark.parametrize(
    "version",
    [
        HANGS_UP,
        Reply(b"[]"),
        Reply({}),
        Reply({**DOCKER, "ApiVersion": 1.41}),
        Reply({**DOCKER, "ApiVersion": "1.2"}),
        refusal(500, "starting"),
    ],
    ids=["hangs up", "a list", "none", "a number", "of 2013", "starting"],
)
def test_what_has_no_version_that_we_speak_is_no_engine_and_says_what_to_do(
    scripted: ScriptedEngine, client: EngineClient, version: Any
) -> None:
    scripted.told["GET /version"] = version
    with pytest.raises(SandboxUnavailableError, match=r"no Docker engine answers \(.+\): start it"):
        list_images(client)


def test_a_silent_engine_is_waited_for_as_long_as_the_setting_says_also_below_a_second(
    scripted: ScriptedEngine,
) -> None:
    scripted.told["GET /images/json"] = SILENT
    client = EngineClient(scripted.url, timeout_seconds=0.5)
    # On a machine that stands still the first question, for the engine's version, is not answered in time either.
    with pytest.raises((ImageEngineError, SandboxUnavailableError), match=r"[Tt]imed? ?out.*0\.5"):
        list_images(client)
    client.close()


def test_an_engine_that_is_silent_from_the_first_word_is_none(scripted: ScriptedEngine) -> None:
    scripted.told["GET /version"] = SILENT
    client = EngineClient(scripted.url, timeout_seconds=0.05)
    with pytest.raises(SandboxUnavailableError, match="no Docker engine answers"):
        list_images(client)
    client.close()


def test_an_engine_that_went_away_is_noticed_and_one_that_came_back_is_used(tmp_path: Path) -> None:
    engine = ScriptedEngine(tmp_path)
    engine.told["GET /images/json"] = Reply([])
    client = EngineClient(engine.url, timeout_seconds=60)
    with engine.listening():
        assert list_images(client) == []
    with pytest.raises(SandboxUnavailableError, match="no Docker engine answers"):
        list_images(client)
    engine.path.unlink()
    with engine.listening():
        assert list_images(client) == []
    client.close()


def test_an_engine_that_goes_away_before_the_request_leaves_no_socket_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether one listens is asked just before. docker-py drops the socket of a connection that is refused then."""
    engine = ScriptedEngine(tmp_path)
    client = EngineClient(engine.url, timeout_seconds=60)
    with engine.listening():
        assert client.api
    monkeypatch.setattr(EngineClient, "_probe", lambda self: None)
    client.close()
    with pytest.raises(ImageEngineError, match="Connection refused"):
        list_images(client)
    with pytest.raises(SandboxUnavailableError, match="Connection refused"):
        client.connect()
    gc.collect()  # what it left open would be warned about here


def test_each_thread_has_a_client_and_closing_closes_all(scripted: ScriptedEngine, client: EngineClient) -> None:
    found = [client.api]
    other = threading.Thread(target=lambda: found.append(client.api))
    other.start()
    other.join()
    assert client.api is found[0] is not found[1]
    assert len(client._clients) == 2
    client.close()
    assert client._clients == []


def test_many_containers_share_one_connection(scripted: ScriptedEngine, client: EngineClient) -> None:
    """docker-py would keep one for each container's address."""
    for number in range(5):
        client.ask("start", lambda api, number=number: api.start(f"c{number}"))
    adapter: Any = client.api.get_adapter("http+docker://localhost/v1.41/containers/c1/start")
    assert len(adapter.pools) == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(), "OSError"),
        (ConnectionRefusedError(111, "Connection refused"), "[Errno 111] Connection refused"),
        (ValueError('{"message": 3}'), '{"message": 3}'),
        (ValueError('{"message": " denied "}'), "denied"),
    ],
)
def test_an_error_without_words_has_at_least_a_name(error: Exception, words: str) -> None:
    assert words_of(error) == words
