"""verifiers' own tasksets, traces and scoring, where it is installed (scripts/test_adapters)."""

import json
import sys
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from hub_client.adapters.verifiers_export import describe, write_package
from hub_client.errors import ConflictError
from tests.hub_client.adapters.conftest import GATED, VECTOR
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER


def test_a_package_names_the_release_and_nothing_else_of_it(env, tmp_path) -> None:
    assert write_package(env, tmp_path / "made") == "alice-small-sums-v1"
    files = {path.relative_to(tmp_path / "made").as_posix() for path in (tmp_path / "made").rglob("*.*")}
    assert files == {
        "README.md",
        "alice_small_sums_v1/__init__.py",
        "alice_small_sums_v1/environment.json",
        "pyproject.toml",
    }
    about = json.loads((tmp_path / "made/alice_small_sums_v1/environment.json").read_text())
    assert about["target"] == f"alice/small-sums@{env.digest}"
    assert list(about["rewards"]) == ["correct", "short", "words"]
    for path in (tmp_path / "made").rglob("*.py"):
        compile(path.read_text(), path.name, "exec")
    with pytest.raises(ConflictError, match="there already"):
        write_package(env, tmp_path / "made")


class TestWithVerifiers:
    @pytest.fixture
    def vf(self):
        return pytest.importorskip("verifiers.v1")

    @pytest.fixture
    def adapter(self, vf):
        return pytest.importorskip("hub_client.adapters.verifiers")

    @pytest.fixture
    def export(self, monkeypatch, tmp_path):
        """Write a package and make it importable, as if it were installed."""

        def make(env):
            write_package(env, tmp_path / "made")
            monkeypatch.syspath_prepend(str(tmp_path / "made"))
            monkeypatch.delitem(sys.modules, "alice_small_sums_v1", raising=False)

        yield make
        sys.modules.pop("alice_small_sums_v1", None)

    @pytest.fixture
    def tasks(self, adapter):
        """The tasks of an environment, as its taskset makes them; ``config`` is that of the task."""

        def make(env, **config):
            spec = adapter.Spec.parse(describe(env))
            spec = adapter.Spec(spec.target, spec.rewards, spec.split, spec.has_session, open=lambda target: env)
            return list(adapter.make_taskset(spec)(adapter.HubTasksetConfig.model_validate(config)))

        return make

    @pytest.fixture
    def trace(self, vf):
        """A trace of one reply."""
        info = pytest.importorskip("verifiers.v1.trace").AgentInfo

        def make(task, reply):
            seen = vf.TraceTask(type="HubTask", data=task.data)
            made = vf.Trace(task=seen, agent=info(config=vf.AgentConfig()))
            made.nodes.append(vf.MessageNode(message=vf.AssistantMessage(content=reply), sampled=True))
            return made

        return make

    @pytest.mark.anyio
    async def test_every_reward_is_on_the_trace_with_its_weight(self, env, tasks, trace) -> None:
        task = tasks(env)[0]
        made = trace(task, "2 it is")
        await task.score(made)
        assert {name: (reward.score, reward.weight) for name, reward in made.rewards.items()} == {
            "correct": (1.0, 1.0),
            "short": (1.0, 0.5),
        }
        assert made.metrics == {"words": 3.0}
        assert made.reward == 1.5

    @pytest.mark.anyio
    async def test_what_could_not_be_judged_is_null_and_nothing_judged_is_an_error(self, vf, env, tasks, trace) -> None:
        task = tasks(env)[0]
        partly, never = trace(task, "long"), trace(task, "loop")
        await task.score(partly)
        assert (partly.rewards["short"], partly.rewards["correct"].score) == (None, 0.0)
        assert partly.reward == 0.0
        with pytest.raises(vf.TaskError, match="timeout: too slow"):
            await task.score(never)
        assert never.rewards == {"correct": None, "short": None}
        assert never.metrics == {"words": None}

    @pytest.mark.anyio
    async def test_a_score_that_was_not_judged_adds_no_zero_to_the_sum(self, adapter, make_env, tasks, trace) -> None:
        task = tasks(make_env(VECTOR.replace("weight = 0.5", "weight = 3.0")))[0]
        made = trace(task, "2 long")
        await task.score(made)
        assert made.rewards["short"] is None
        assert made.reward == 4.0
        assert made.rewards[adapter.UNJUDGED_KEY].score == 3.0

    @pytest.mark.anyio
    async def test_a_closed_gate_weighs_everything_with_nothing(self, make_env, tasks, trace) -> None:
        task = tasks(make_env(GATED))[0]
        rude, polite = trace(task, "2 rude"), trace(task, "2")
        await task.score(rude)
        await task.score(polite)
        assert (rude.reward, rude.rewards["correct"].score, rude.rewards["polite"].score) == (0.0, 1.0, 0.0)
        assert (polite.reward, polite.rewards["polite"].score) == (1.5, 1.0)

    @pytest.mark.anyio
    async def test_a_configuration_may_change_a_weight(self, env, tasks, trace) -> None:
        task = tasks(env, task={"rewards": {"short": {"weight": 4.0}}})[0]
        made = trace(task, "2")
        await task.score(made)
        assert made.reward == 5.0

    def test_the_agent_is_shown_the_prompt_only(self, env, tasks) -> None:
        task = tasks(env)[0]
        assert task.data.prompt == "1+1?"
        assert task.data.id == "t1"
        assert task.data.verihub_task["answer"] == 2

    def test_verifiers_finds_an_exported_package_by_its_id(self, vf, adapter, env, export) -> None:
        export(env)
        loaders = pytest.importorskip("verifiers.v1.utils.loaders")
        assert loaders.taskset_config_type("alice-small-sums-v1") is adapter.HubTasksetConfig
        assert loaders.environment_class("alice-small-sums-v1").__name__ == "SingleAgentEnv"

    def test_an_exported_session_brings_its_environment(self, vf, adapter, make_env, export) -> None:
        export(make_env(WITH_VERIFIER))
        loaders = pytest.importorskip("verifiers.v1.utils.loaders")
        assert loaders.environment_class("alice-small-sums-v1") is adapter.HubSessionEnv

    @pytest.mark.anyio
    async def test_a_session_is_played_and_judged_by_its_state(self, vf, adapter, make_env, tasks, trace) -> None:
        seen = []
        env = make_env(WITH_VERIFIER, watch=seen.append)
        task = tasks(env)[0]
        assert task.data.prompt is None
        agents = Agents(vf, trace(task, ""), ["thinking", "2"])
        config = SimpleNamespace(taskset=SimpleNamespace(seed=0))
        await adapter.HubSessionEnv.run(SimpleNamespace(config=config), task, agents)
        assert agents.heard == ["1+1?", "…"]
        assert agents.trace.reward == 1.0
        assert [message["content"] for message in seen[0].state["said"]] == ["thinking", "2"]


class Agents:
    """One agent that replies what it was given; leaving its interaction scores the trace, as verifiers does."""

    def __init__(self, vf, trace, replies) -> None:
        self.vf, self.trace, self.replies = vf, trace, list(replies)
        self.heard = []
        self.agent = self

    @asynccontextmanager
    async def interaction(self, task):
        yield self
        await task.score(self.trace)

    async def turn(self, text):
        self.heard.append(text)
        return self.vf.Segment(messages=[self.vf.AssistantMessage(content=self.replies.pop(0))])
