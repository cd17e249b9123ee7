"""Harnesses drive models through real boxes: tools are called, sessions are played, what breaks is nobody's score."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hub_client.client import Hub
from hub_client.errors import HubUnreachableError
from hub_client.evaluation.attempt import HarnessFailedError
from hub_client.evaluation.attempt_log import AttemptLog
from hub_client.evaluation.built_in_loop import BuiltInLoop
from hub_client.evaluation.evaluate import Cell, judge_cell, pick_tasks, play_cell
from hub_client.evaluation.harness import Harness, PackagedLoop
from hub_client.settings import ClientSettings
from hub_client.transport.chat_endpoint import ChatEndpoint
from schemas.kinds import PackageKind
from tests.hub_client.commands.model_server import Model
from tests.making.project import make_project
from tests.making.tool_packages import NOTES_FILES

COLLECTION = Path(__file__).parents[3] / "collection"
pytestmark = [pytest.mark.docker, pytest.mark.slow]


@pytest.fixture
def model() -> Iterator[Model]:
    served = Model()
    yield served
    served.close()


@pytest.fixture
def policy(model: Model) -> Iterator[ChatEndpoint]:
    endpoint = ChatEndpoint(model.url, "scripted", api_key=None, temperature=0.0, max_tokens=64)
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    home = tmp_path_factory.mktemp("home")
    settings = ClientSettings(
        url="http://127.0.0.1:1", cache_dir=home / "cache", config_dir=home / "config", sandbox="docker"
    )
    with Hub(settings=settings) as made:
        yield made


def _harness(hub: Hub, name: str) -> Harness:
    return Harness(PackagedLoop(hub.load(COLLECTION / name), hub.runner()), hub.runner())


def _with_calculator(body: dict[str, Any]) -> dict[str, Any]:
    last = body["messages"][-1]
    if last["role"] == "tool":
        return {"role": "assistant", "content": f"The answer is {last['content']}."}
    function = {"name": "calculate", "arguments": json.dumps({"expression": "6 * 7"})}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}


def test_a_tool_loop_runs_what_the_model_calls(hub, model, policy) -> None:
    model.answer = _with_calculator
    environment = hub.environment(COLLECTION / "gsm8k")
    task = {"id": "t", "prompt": "What is 6 times 7?", "answer": "42"}
    loop = PackagedLoop(hub.load(COLLECTION / "tool-loop"), hub.runner())
    harness = Harness(loop, hub.runner(), [hub.load(COLLECTION / "arithmetic")])
    played = harness.play(environment, task, policy, seed=0)
    assert played.tool_calls == 1
    assert [tool["function"]["name"] for tool in model.asked[0]["tools"]] == ["calculate"]
    assert "42" not in json.dumps(model.asked[0]), "the reference answer must not reach the model"
    table = environment.score([(task, played.messages)])
    assert table.verdicts[0].rewards["correct"] == 1.0


@pytest.mark.parametrize("loop", ["tool-loop", "single-turn", "plan-then-act", "built-in"])
def test_the_tools_of_a_session_are_offered_and_the_session_answers_their_calls(hub, model, policy, loop) -> None:
    environment = hub.environment(COLLECTION / "calculator")
    task = next(task for task in environment.tasks("test") if "difference" in task["tags"])
    first, second = sorted(map(int, re.findall(r"\d+", task["prompt"])), reverse=True)

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return {"role": "assistant", "content": f"The answer is {last['content']}."}
        function = {"name": "calculate", "arguments": json.dumps({"expression": f"{first} - {second}"})}
        return {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "type": "function", "function": function}],
        }

    model.answer = answer if loop != "plan-then-act" else _after_a_plan(answer)
    harness = Harness(BuiltInLoop(), hub.runner()) if loop == "built-in" else _harness(hub, loop)
    played = harness.play(environment, task, policy, seed=0)
    assert [tool["function"]["name"] for tool in model.asked[-1]["tools"]] == ["calculate", "answer"]
    assert played.state == {"turns": [[f"{first} - {second}"]], "said": f"The answer is {first - second}."}
    assert played.tool_calls == 1


def _after_a_plan(answer):
    return lambda body: answer(body) if len(body["messages"]) > 3 else {"role": "assistant", "content": "1. Subtract."}


def test_a_tool_that_fails_tells_the_model_why_and_not_where(hub, model, policy, tmp_path) -> None:
    folder = make_project(tmp_path / "notes", "alice/notes", PackageKind.TOOL, files=NOTES_FILES)
    told: list[str] = []

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        last = body["messages"][-1]
        if last["role"] == "tool":
            told.append(last["content"])
            return {"role": "assistant", "content": "42"}
        function = {"name": "remember", "arguments": json.dumps({"text": "secret"})}
        call = {"id": "c1", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}

    model.answer = answer
    environment = hub.environment(COLLECTION / "gsm8k")
    harness = Harness(PackagedLoop(hub.load(COLLECTION / "tool-loop"), hub.runner()), hub.runner(), [hub.load(folder)])
    harness.play(environment, next(environment.tasks("test")), policy, seed=0)
    assert told == ["error: PermissionError: that may not be kept"]


def test_a_search_loop_brings_its_search_along(hub, model, policy) -> None:
    def searching(body: dict[str, Any]) -> dict[str, Any]:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return {"role": "assistant", "content": last["content"][:200]}
        function = {"name": "search_python", "arguments": json.dumps({"query": "most common items of a list"})}
        return {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": function}]}

    model.answer = searching
    loop = PackagedLoop(hub.load(COLLECTION / "search-loop"), hub.runner())
    search = Harness(loop, hub.runner(), tools=[hub.load(COLLECTION / "python-search")])
    played = search.play(
        hub.environment(COLLECTION / "gsm8k"), {"id": "t", "prompt": "Count.", "answer": "1"}, policy, seed=0
    )
    assert "most_common" in played.messages[-1]["content"]
    assert [message["role"] for message in played.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert search.name == "lecture/search-loop"
    assert _harness(hub, "tool-loop").key not in search.key


def test_a_session_is_played_to_its_end(hub, model, policy) -> None:
    environment = hub.environment(COLLECTION / "wordle")
    task = next(iter(environment.tasks("test")))
    guesses = iter(["crane", task["answer"]])
    model.answer = lambda body: {"role": "assistant", "content": f"<guess>{next(guesses)}</guess>"}
    cell = Cell(environment, _harness(hub, "single-turn"), {task["id"]: task}, 1, 0)
    played = cell.harness.play(environment, task, policy, seed=0)
    assert played.state == {"guesses": ["crane", task["answer"]], "messages": 2}
    attempt = {"task_id": task["id"], "messages": played.messages, "state": played.state, "error": ""}
    result = judge_cell(cell, [{"sample": 0, **attempt}])
    assert result.counts == {task["id"]: (1, 1)}


def test_a_plan_comes_before_the_answer(hub, model, policy) -> None:
    model.answer = lambda body: {"role": "assistant", "content": str(len(body["messages"]))}
    environment = hub.environment(COLLECTION / "gsm8k")
    task = next(iter(environment.tasks("test")))
    played = _harness(hub, "plan-then-act").play(environment, task, policy, seed=0)
    assert played.completions == 2
    assert [message["role"] for message in played.messages] == ["user", "user", "assistant", "user", "assistant"]


def test_what_is_done_is_not_done_again(hub, model, policy, tmp_path) -> None:
    model.answer = lambda body: {"role": "assistant", "content": "#### 18"}
    environment = hub.environment(COLLECTION / "gsm8k")
    cell = Cell(environment, _harness(hub, "single-turn"), pick_tasks(environment, ["test"], 3, 0), 2, 0)
    first = play_cell(cell, policy, AttemptLog(tmp_path, {"model": "scripted"}), workers=2, say=lambda *_: None)
    asked = len(model.asked)
    with (tmp_path / "attempts.jsonl").open("a") as file:
        file.write('{"cell": "cut off by a cra')
    again = play_cell(cell, policy, AttemptLog(tmp_path, {"model": "scripted"}), workers=2, say=lambda *_: None)
    assert again == first
    assert len(model.asked) == asked == 6
    result = judge_cell(cell, again)
    assert result.counts["test-0000"] == (2, 2)


def test_a_harness_that_breaks_is_no_result(hub, model, policy, tmp_path) -> None:
    project = tmp_path / "broken"
    package = project / "src" / "bob_broken"
    package.mkdir(parents=True)
    (project / "README.md").write_text("broken\n")
    (project / "pyproject.toml").write_text(
        (COLLECTION / "single-turn" / "pyproject.toml")
        .read_text()
        .replace("lecture-single-turn", "bob-broken")
        .replace("lecture_single_turn", "bob_broken")
    )
    (package / "verihub.toml").write_text(
        'format = 1\nid = "bob/broken"\nkind = "harness"\nharness = "bob_broken:run"\n'
    )
    (package / "__init__.py").write_text(
        '"""Broken."""\n\n\ndef run(messages):\n    reply = yield {"wish": messages}\n'
    )
    environment = hub.environment(COLLECTION / "gsm8k")
    task = next(iter(environment.tasks("test")))
    with pytest.raises(HarnessFailedError, match="complete, call, act, branch, undo, all"):
        Harness(PackagedLoop(hub.load(project), hub.runner()), hub.runner()).play(environment, task, policy, seed=0)


def test_a_model_that_is_away_is_no_result(hub) -> None:
    nowhere = ChatEndpoint("http://127.0.0.1:1/v1", "gone", api_key=None, temperature=0.0, max_tokens=8)
    environment = hub.environment(COLLECTION / "gsm8k")
    task = next(iter(environment.tasks("test")))
    with pytest.raises(HubUnreachableError, match="nothing answers at"):
        _harness(hub, "single-turn").play(environment, task, nowhere, seed=0)
    nowhere.close()
