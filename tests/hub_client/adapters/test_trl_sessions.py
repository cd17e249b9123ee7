"""TRL's side as TRL's code plays it: methods found on the class are tools, rewards get the rollouts' environments."""

import inspect
import json

import pytest

from hub_client.adapters.trl import TASK_COLUMN
from hub_client.adapters.trl_sessions import OVER, environment_factory, reward_functions, session_rows
from hub_client.errors import SessionLostError, UsageError
from tests.fakes.runner import FakeSession
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER

SEARCH = {
    "name": "search",
    "description": "Look something up.",
    "parameters": {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "description": "how many"},
            "query": {"type": "string", "description": "what for", "enum": ["a", "b"]},
        },
        "required": ["query"],
    },
}
ROW = {TASK_COLUMN: json.dumps({"id": "t", "prompt": "1+1?", "answer": "2"})}


@pytest.fixture
def offer(monkeypatch):
    reset = FakeSession.reset

    def offered(*functions) -> None:
        tools = [{"type": "function", "function": function} for function in functions]
        monkeypatch.setattr(FakeSession, "reset", lambda self: {**reset(self), "tools": tools})

    return offered


def tools_of(rollout) -> dict:
    """As GRPOTrainer finds them."""
    found = inspect.getmembers(type(rollout), predicate=inspect.isfunction)
    return {name: getattr(rollout, name) for name, _ in found if name != "reset" and not name.startswith("_")}


def test_an_environment_without_a_session_is_sent_to_the_plain_adapter(env) -> None:
    with pytest.raises(UsageError, match=r"adapters\.trl has"):
        environment_factory(env)


def test_a_rollout_talks_by_say_and_is_judged_once_for_all_rewards(make_env, judged) -> None:
    env = make_env(WITH_VERIFIER + '\n[rewards.short]\nrole = "score"\n')
    rollout = environment_factory(env)()
    assert rollout.reset(**ROW) == "1+1?"
    assert tools_of(rollout).keys() == {"say"}
    assert rollout.say("let me see") == ""
    ended = [[{"role": "assistant", "content": "2"}]]
    rewards = {each.__name__: each(completions=ended, environments=[rollout]) for each in reward_functions(env)}
    assert rewards == {"correct": [1.0], "short": [1.0]}
    assert judged == ["2"], "the model's last text was said to the session, and everything was judged once"
    assert rollout.say("more") == OVER


def test_a_sessions_own_tools_are_methods_from_which_a_schema_can_be_made_again(make_env, offer) -> None:
    offer(SEARCH)
    rollout = environment_factory(make_env(WITH_VERIFIER))()
    rollout.reset(**ROW)
    search = tools_of(rollout)["search"]
    parameters = inspect.signature(search).parameters
    assert [(name, each.annotation, each.default) for name, each in parameters.items()] == [
        ("query", str, inspect.Parameter.empty),
        ("limit", int, None),
    ]
    assert "query: what for One of: a, b." in search.__doc__
    search(query="a", limit=None)
    said = rollout._episode.inner.conversation[-1]
    assert said["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"query": "a"}'}


@pytest.mark.parametrize("name", ["reset", "get_reward", "_hidden", "two words"])
def test_a_tool_that_no_method_can_be_called_after_is_refused(make_env, offer, name: str) -> None:
    offer({"name": name})
    with pytest.raises(UsageError, match="as methods"):
        environment_factory(make_env(WITH_VERIFIER))


def test_a_session_that_broke_has_no_reward_and_does_not_end_the_training(make_env, monkeypatch) -> None:
    env = make_env(WITH_VERIFIER)
    rollout = environment_factory(env)()
    rollout.reset(**ROW)

    def lost(self, message):
        raise SessionLostError("its box is gone")

    monkeypatch.setattr(FakeSession, "step", lost)
    assert rollout.say("2") == OVER
    [correct] = reward_functions(env)
    assert correct(completions=[[{"role": "assistant", "content": "2"}]], environments=[rollout]) == [None]
    monkeypatch.undo()
    rollout.reset(**ROW)
    assert correct(completions=["x"], environments=[rollout]) == [0.0], "the next rollout is not touched by it"


def test_a_rollout_that_never_began_and_a_missing_column_are_said_so(make_env) -> None:
    env = make_env(WITH_VERIFIER)
    rollout = environment_factory(env)()
    [correct] = reward_functions(env)
    assert correct(completions=["2"], environments=[rollout]) == [None]
    with pytest.raises(UsageError, match="environment_factory"):
        correct(completions=["2"])
    with pytest.raises(UsageError, match="session_rows"):
        rollout.reset(prompt="?")


def test_rows_leave_the_first_words_to_the_session(make_env) -> None:
    [row, *_] = session_rows(make_env(WITH_VERIFIER))
    assert row["prompt"] == [{"role": "user", "content": ""}]
    assert json.loads(row[TASK_COLUMN])["prompt"] == "1+1?"
