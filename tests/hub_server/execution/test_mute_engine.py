"""An engine that takes connections and never answers: who wants a verdict is told so soon, and no reward is made up."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from hub_server.adapters import sandbox_executor
from hub_server.app import create_app
from tests.making import mute_engine as engines
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api

RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"
ONE = {"task_id": "t1", "response": "2"}


def told(answer: httpx.Response) -> dict:
    """The refusal, whose words are for whoever waits."""
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), answer.text
    problem = answer.json()
    assert problem["code"] == "sandbox_unavailable"
    assert "try again in a moment" in problem["detail"]
    assert "rewards" not in answer.text
    return problem


@pytest.fixture
def api(playable: ActionDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A hub over such an engine, whose own timeout no test outlives: whoever waits for the engine hangs."""
    monkeypatch.setattr(sandbox_executor, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(engines, "ENGINE_SECONDS", 3600)
    with engines.mute_engine(tmp_path, monkeypatch) as executor:
        yield Api(create_app(replace(playable.services, executor=executor)))


def test_a_response_is_not_judged_and_the_refusal_says_when_to_ask_again(api: Api) -> None:
    assert "0.2 seconds" in told(api.post(f"{RELEASE}/judge", json=ONE))["detail"]
    told(api.post(f"{RELEASE}/judge", json=ONE))


def test_a_stream_is_told_as_well_and_judges_nothing(api: Api) -> None:
    answer = api.post(f"{RELEASE}/score", content=json.dumps({"id": "a", **ONE}).encode())
    if answer.status_code == 200:  # the body had begun: the refusal is its last line
        *lines, last = map(json.loads, answer.text.splitlines())
        assert lines == []
        assert "sandbox_unavailable" in json.dumps(last)
        assert "rewards" not in answer.text
    else:
        told(answer)


def test_requests_that_come_at_once_share_one_thread_that_asks(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    looks = api.app.state.services.executor._looks
    ask = looks._read
    monkeypatch.setattr(looks, "_read", lambda: asked.append("once") or ask())
    with ThreadPoolExecutor(4) as senders:
        for answer in senders.map(lambda _: api.post(f"{RELEASE}/judge", json=ONE), range(8)):
            assert answer.status_code in (503, 429), answer.text
    assert asked == ["once"]
