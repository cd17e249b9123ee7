"""The resources server with stand-ins for NeMo Gym's classes; test_nemo_gym.py asks the real ones."""

import importlib
import sys
import threading
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel

from hub_client.errors import CheckFailedError, UsageError
from tests.hub_client.adapters.test_nemo_gym import body

pytestmark = pytest.mark.anyio


class Request(BaseModel):
    responses_create_params: dict[str, Any]
    response: dict[str, Any]


class Response(Request):
    reward: float


@pytest.fixture
def adapter(monkeypatch):
    gym = ModuleType("nemo_gym.base_resources_server")
    gym.BaseVerifyRequest, gym.BaseVerifyResponse, gym.SimpleResourcesServer = Request, Response, object
    monkeypatch.setitem(sys.modules, "nemo_gym", ModuleType("nemo_gym"))
    monkeypatch.setitem(sys.modules, gym.__name__, gym)
    name = "hub_client.adapters.nemo_gym_server"
    monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(name)
    sys.modules.pop(name, None)


@pytest.fixture
def verify(adapter, env):
    """Judge a body; remembers where verifiers were opened."""
    opened = []

    class Server(adapter.VerihubResourcesServer):
        @staticmethod
        def open_verifier(reference):
            opened.append((reference, threading.current_thread() is threading.main_thread()))
            return env

    async def ask(asked):
        return (await Server().verify(adapter.VerihubVerifyRequest.model_validate(asked))).model_dump()

    ask.opened = opened
    return ask


async def test_the_answer_holds_the_request_the_sum_and_each_component(verify, env):
    asked = {"responses_create_params": {"input": []}, "agent_ref": "mine", **body(env, "2 it is")}
    found = await verify(asked)
    assert (found["reward"], found["words"], found["agent_ref"]) == (1.5, 3.0, "mine")
    assert found["reward_components"] == {"correct": 1.0, "short": 1.0, "words": 3.0}


async def test_a_release_is_fetched_outside_of_the_event_loop(verify, env):
    await verify({"responses_create_params": {}, **body(env, "2")})
    assert verify.opened[0] == (f"alice/small-sums@{env.digest}", False)


async def test_what_could_not_be_judged_is_an_error_and_no_zero(verify, env):
    with pytest.raises(CheckFailedError, match="could not judge"):
        await verify({"responses_create_params": {}, **body(env, "loop")})


@pytest.mark.parametrize("metadata", [None, {}, {"verihub_task": {"id": "t"}}])
async def test_a_row_of_somebody_else_opens_nothing(verify, env, metadata):
    with pytest.raises(UsageError, match="names no task of the hub"):
        await verify({"responses_create_params": {}, **body(env, "2"), "verifier_metadata": metadata})
    assert verify.opened == []
