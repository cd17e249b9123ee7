"""OpenEnv's own client against OpenEnv's own server, where it is installed (scripts/test_adapters)."""

import socket
import threading
import time

import pytest

from tests.hub_client.adapters.test_episodes import WITH_VERIFIER

openenv = pytest.importorskip("openenv.core")
adapter = pytest.importorskip("hub_client.adapters.openenv")
httpx = pytest.importorskip("httpx")


@pytest.fixture
def serve():
    """An application at an address, until the test ends."""
    uvicorn = pytest.importorskip("uvicorn")
    running = []

    def start(app):
        line = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [line]})
        thread.start()
        running.append((server, thread))
        while not server.started:
            time.sleep(0.01)
        return f"http://127.0.0.1:{line.getsockname()[1]}"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(10)


def client(url):
    return openenv.GenericEnvClient(base_url=url).sync()


def test_a_step_brings_the_scalar_and_the_whole_vector(env, serve) -> None:
    with client(serve(adapter.make_app(env))) as asked:
        start = asked.reset(index=0)
        assert start.observation["messages"] == [{"role": "user", "content": "1+1?"}]
        assert start.observation["task_id"] == "t1"
        end = asked.step({"content": "2 it is"})
        assert (end.reward, end.done) == (1.5, True)
        assert end.observation["reward_components"] == {"correct": 1.0, "short": 1.0, "words": 3.0}
        assert asked.state()["is_done"]


def test_what_could_not_be_judged_is_null_with_a_reason(env, serve) -> None:
    with client(serve(adapter.make_app(env))) as asked:
        asked.reset(index=0)
        end = asked.step({"content": "loop"})
        assert (end.reward, end.done) == (None, True)
        assert end.observation["reward_components"] == {"correct": None, "short": None, "words": None}
        assert end.observation["error"] == {"kind": "timeout", "message": "too slow"}


def test_clients_that_choose_no_task_get_one_after_another_and_begin_again(env, serve) -> None:
    url = serve(adapter.make_app(env))
    with client(url) as one, client(url) as two:
        assert [asked.reset().observation["task_id"] for asked in (one, two, one)] == ["t1", "t2", "t1"]


def test_the_answer_is_in_nothing_that_a_client_sees(env, serve) -> None:
    url = serve(adapter.make_app(env))
    with client(url) as asked:
        seen = [str(asked.reset(index=1).observation), str(asked.state())]
        seen.append(httpx.get(f"{url}/metadata").text)
        assert not any("'answer'" in text or ": 5" in text for text in seen)


def test_a_session_is_played_turn_by_turn_with_its_own_state(make_env, serve) -> None:
    url = serve(adapter.make_app(make_env(WITH_VERIFIER)))
    with client(url) as one, client(url) as two:
        one.reset(index=0)
        two.reset(index=0)
        assert not one.step({"content": "thinking"}).done
        assert not two.step({"content": "2"}).done
        end = one.step({"content": "2"})
        assert (end.done, end.reward) == (True, 1.0)
        assert not two.state()["is_done"]
        assert two.state()["step_count"] == 1


def test_schema_metadata_and_health_answer(env, serve) -> None:
    url = serve(adapter.make_app(env))
    assert httpx.get(f"{url}/health").json() == {"status": "healthy"}
    about = httpx.get(f"{url}/metadata").json()
    assert (about["name"], about["version"]) == ("alice/small-sums", "1.0.0")
    assert "reward_components" in httpx.get(f"{url}/schema").json()["observation"]["properties"]


def test_a_step_before_a_reset_and_a_task_that_is_not_there_are_errors(env, serve) -> None:
    with client(serve(adapter.make_app(env))) as asked:
        with pytest.raises(RuntimeError, match="reset first"):
            asked.step({"content": "2"})
        with pytest.raises(RuntimeError, match="no task 9"):
            asked.reset(index=9)
