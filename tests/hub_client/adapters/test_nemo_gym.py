import json

import pytest

from hub_client.adapters.nemo_gym import dataset_rows, judge, last_words
from hub_client.errors import CheckFailedError, UsageError
from tests.hub_client.adapters.conftest import GATED
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER

pytestmark = pytest.mark.anyio


def body(env, text):
    """What NeMo Gym posts to ``/verify``."""
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return {**dataset_rows(env, limit=1)[0], "response": {"output": [{"type": "reasoning", "summary": []}, said]}}


async def test_a_row_is_a_request_for_the_model_and_the_task_for_the_verifier(env) -> None:
    row = dataset_rows(env, limit=1)[0]
    assert row["responses_create_params"] == {"input": [{"role": "user", "content": "1+1?"}]}
    assert row["verifier_metadata"]["verihub_reference"] == f"alice/small-sums@{env.digest}"
    assert json.loads(json.dumps(row)) == row


async def test_the_answer_has_the_scalar_the_components_and_each_component(env) -> None:
    opened = []
    found = await judge(body(env, "2 it is"), lambda reference: opened.append(reference) or env)
    vector = {"correct": 1.0, "short": 1.0, "words": 3.0}
    assert found == {**vector, "reward": 1.5, "reward_components": vector, "verihub_info": "{}"}
    assert opened == [f"alice/small-sums@{env.digest}"]


async def test_what_was_not_judged_is_left_out_and_nothing_judged_fails(env) -> None:
    found = await judge(body(env, "long"), lambda _: env)
    assert found["reward_components"] == {"correct": 0.0, "words": 1.0}
    assert "short" not in found
    with pytest.raises(CheckFailedError, match="timeout: too slow"):
        await judge(body(env, "loop"), lambda _: env)


async def test_a_closed_gate_zeroes_the_scalar_only(make_env) -> None:
    env = make_env(GATED)
    found = await judge(body(env, "2 rude"), lambda _: env)
    assert (found["reward"], found["correct"], found["polite"]) == (0.0, 1.0, 0.0)


async def test_rows_of_somebody_else_and_sessions_are_refused(make_env, env) -> None:
    with pytest.raises(UsageError, match="dataset_rows"):
        await judge({"response": {"output": []}}, lambda _: env)
    with pytest.raises(CheckFailedError, match="session"):
        dataset_rows(make_env(WITH_VERIFIER))


async def test_no_message_is_an_empty_answer() -> None:
    assert last_words({"output": [{"type": "function_call"}]}) == ""
    assert last_words({"output": [{"type": "message", "content": "4"}]}) == "4"


class TestWithNemoGym:
    """NeMo Gym's own server and request classes, where it is installed (scripts/test_adapters nemo-gym)."""

    @pytest.fixture
    def ask(self, env):
        """Post to /verify of a server, as NeMo Gym's agents do."""
        gym = pytest.importorskip("nemo_gym.base_resources_server")
        utils = pytest.importorskip("nemo_gym.server_utils")
        adapter = pytest.importorskip("hub_client.adapters.nemo_gym_server")
        testing = pytest.importorskip("fastapi.testclient")
        config = gym.BaseResourcesServerConfig(host="127.0.0.1", port=1, entrypoint="app.py", name="verihub")
        client = utils.ServerClient.model_construct()

        class Server(adapter.VerihubResourcesServer):
            open_verifier = staticmethod(lambda reference: env)

            def setup_session_middleware(self, app) -> None:
                """No session, so no secret from the head server is needed."""

        app = Server.model_construct(config=config, server_client=client).setup_webserver()
        return lambda body: testing.TestClient(app, raise_server_exceptions=False).post("/verify", json=body)

    def full_body(self, env, text):
        made = body(env, text)
        part = {"type": "output_text", "text": text, "annotations": []}
        message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
        fixed = {"id": "r", "created_at": 0.0, "model": "m", "object": "response", "parallel_tool_calls": False}
        return {**made, "response": {**fixed, "output": [message], "tool_choice": "auto", "tools": []}}

    async def test_verify_answers_with_reward_and_components(self, ask, env) -> None:
        answer = ask(self.full_body(env, "2 it is"))
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert (found["reward"], found["words"]) == (1.5, 3.0)
        assert found["reward_components"] == {"correct": 1.0, "short": 1.0, "words": 3.0}

    async def test_what_could_not_be_judged_is_an_error_and_no_zero(self, ask, env) -> None:
        assert ask(self.full_body(env, "loop")).status_code == 500
