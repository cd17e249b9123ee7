"""The loop on the real client and the real (unisolated) sandbox: what the fakes promise, the client keeps."""

import json
from pathlib import Path

import pytest

from hub_client.client import Hub
from hub_client.commands.init import write_starter
from hub_client.settings import ClientSettings
from schemas.kinds import PackageKind
from tests.making.project import make_project
from trainer_bridge.loop import train


@pytest.fixture
def hub(tmp_path, monkeypatch):
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "1")
    settings = ClientSettings.load(cache_dir=tmp_path / "cache", offline=True, backend="local", run_at="here")
    with Hub(settings=settings) as opened:
        yield opened


def test_a_fresh_project_can_be_trained_on(hub, tmp_path, make_settings):
    write_starter("alice/mine", PackageKind.ENVIRONMENT, tmp_path / "mine")
    target = str(tmp_path / "mine")
    settings = make_settings(targets=(target,), steps=2, eval_tasks=2, recipe="rloo", held_out_verifier=target)
    result = train(settings, hub=hub, report=False)
    assert result.steps == 2
    metrics = (settings.output / "metrics.jsonl").read_text()
    declared = hub.environment(target).rewards
    for name in declared:
        assert f'"rewards/{name}/unjudged": 0.0' in metrics  # every sample came back judged
        assert f'"held_out/{name}/mean"' in metrics


COLLECTION = Path(__file__).parents[2] / "collection"


def last_point(settings):
    lines = (settings.output / "metrics.jsonl").read_text().splitlines()
    return json.loads(lines[-1])["values"]


def test_a_game_of_the_collection_is_trained_on_in_all_its_turns(hub, make_settings):
    settings = make_settings(
        targets=(str(COLLECTION / "wordle"),), steps=1, eval_tasks=0, max_turns=3, recipe="dr_grpo", prompts_per_step=1
    )
    train(settings, hub=hub, report=False)
    metrics = last_point(settings)
    assert metrics["rollout/turns"] == 3
    assert metrics["rollout/sequences"] == 1
    assert metrics["rewards/solved/unjudged"] == 0
    assert metrics["completions/mean_length"] > settings.max_completion_length, "of three answers"


def test_a_session_with_tools_is_trained_on_under_a_harness_package(hub, make_settings):
    settings = make_settings(
        targets=(str(COLLECTION / "calculator"),),
        harness=str(COLLECTION / "tool-loop"),
        steps=1,
        eval_tasks=0,
        recipe="dr_grpo",
        prompts_per_step=1,
    )
    train(settings, hub=hub, report=False)
    metrics = last_point(settings)
    assert metrics["rollout/turns"] >= 1
    assert metrics["rewards/correct/unjudged"] == 0


STAIRS = {
    "verihub.toml": """format = 1
id = "mallory/stairs"
kind = "environment"
tasks = { train = "mallory_stairs:tasks" }
session = "mallory_stairs:Session"
verifier = "mallory_stairs:verify"

[rewards.height]
description = "steps climbed"
range = [0, 3]

[sandbox]
isolation = "batch"
""",
    "__init__.py": '''"""Climb: a letter from a to m is a step up, anything else is a step down."""

import os


def tasks(split: str, seed: int, index: int):
    faults = ["", "", "in reset", "in step", "in state", "raise"]
    return {"id": f"{split}-{index}", "prompt": f"Stair {index}.", "info": {"fault": faults[index % 6]}, "split": split}


class Session:
    def reset(self, task, seed):
        self.fault, self.height, self.turns = task["info"]["fault"], 0, 0
        self.die("in reset")
        return {"messages": [{"role": "user", "content": task["prompt"]}], "tools": []}

    def step(self, message):
        self.die("in step")
        if self.fault == "raise":
            raise ValueError("the author's mistake")
        self.turns += 1
        said = str(message.get("content") or "")
        self.height = max(0, self.height + (1 if said[:1] in "abcdefghijklm" else -1))
        return {"messages": [{"role": "user", "content": f"You are at {self.height}."}], "done": self.turns >= 3}

    def state(self):
        self.die("in state")
        return {"height": self.height}

    def die(self, where):
        if self.fault == where:
            os._exit(1)


def verify(task, state):
    return {"height": float(state["height"])}
''',
}
TWO_MINDS = {
    "verihub.toml": 'format = 1\nid = "mallory/two-minds"\nkind = "harness"\nharness = "mallory_two_minds:run"\n',
    "__init__.py": '''"""Thinks in a conversation of its own before every move, and shows the move no earlier thought."""


def run(messages: list, interactive: bool):
    conversation = list(messages)
    while True:
        thought = yield {"complete": [{"role": "user", "content": "Think: " + conversation[-1]["content"]}]}
        hint = {"role": "user", "content": str(thought["content"])}
        move = yield {"complete": [*conversation, hint]}
        conversation.append(move)
        if not interactive:
            return {"messages": conversation}
        said = yield {"act": move}
        conversation += said["messages"]
        if said["done"]:
            return {"messages": conversation}
''',
}


def test_a_session_and_a_harness_of_strangers_are_trained_on_and_what_dies_masks_its_own_rollout_alone(
    hub, tmp_path, make_settings
):
    """A process that ended in reset or in state, and not in a step, used to end the whole run."""
    stairs = make_project(tmp_path / "stairs", "mallory/stairs", PackageKind.ENVIRONMENT, session=True, files=STAIRS)
    minds = make_project(tmp_path / "minds", "mallory/two-minds", PackageKind.HARNESS, files=TWO_MINDS)
    settings = make_settings(
        targets=(str(stairs),), harness=str(minds), steps=1, eval_tasks=0, recipe="rloo", prompts_per_step=6,
        num_generations=2, max_completion_length=4, max_tasks=6, rollouts_per_step=12,
    )  # fmt: skip
    train(settings, hub=hub, report=False)
    metrics = last_point(settings)
    assert metrics["rewards/height/unjudged"] == pytest.approx(4 / 6)
    assert metrics["num_completions"] == 12
    kept = [json.loads(line) for line in (settings.output / "rollouts.jsonl").read_text().splitlines()]
    reasons = {row["task_id"]: row["error"] or "" for row in kept}
    assert [reasons[f"train-{number}"] == "" for number in range(6)] == [True, True, False, False, False, False]
    assert all("mallory" in reasons[f"train-{number}"] for number in range(2, 6))
    assert "the author's mistake" in reasons["train-5"]


GROWING_TEXT = {
    "verihub.toml": 'format = 1\nid = "mallory/react"\nkind = "harness"\nharness = "mallory_react:run"\n',
    "__init__.py": '''"""ReAct as it was published: one text that grows, asked anew for each step, of which the action alone is sent."""


def run(messages: list, interactive: bool):
    text, conversation = messages[-1]["content"], list(messages)
    for step in range(1, 8):
        reply = yield {"complete": [{"role": "user", "content": f"{text}\\nThought {step}:"}]}
        thought, action = str(reply["content"])[:-1], str(reply["content"])[-1:]
        conversation.append({"role": "assistant", "content": action})
        if not interactive:
            break
        said = yield {"act": conversation[-1]}
        conversation += said["messages"]
        text += f"\\nThought {step}:{thought}\\nAction {step}:{action}\\nObservation {step}:{said['messages'][-1]['content']}"
        if said["done"]:
            break
    return {"messages": conversation}
''',
}


def test_a_loop_that_asks_with_one_growing_text_is_learnt_from_call_by_call(hub, tmp_path, make_settings):
    whole = {**STAIRS, "__init__.py": STAIRS["__init__.py"].replace("faults[index % 6]", '""')}
    stairs = make_project(tmp_path / "stairs", "mallory/stairs", PackageKind.ENVIRONMENT, session=True, files=whole)
    react = make_project(tmp_path / "react", "mallory/react", PackageKind.HARNESS, files=GROWING_TEXT)
    settings = make_settings(
        targets=(str(stairs),), harness=str(react), steps=1, eval_tasks=0, recipe="dr_grpo", prompts_per_step=2,
        num_generations=4, max_completion_length=6, rollouts_per_step=8, temperature=1.0,
    )  # fmt: skip
    train(settings, hub=hub, report=False)
    metrics = last_point(settings)
    assert metrics["rollout/turns"] == metrics["rollout/sequences"] == 3, "no text goes on from another: each is learnt"
    assert metrics["rewards/height/unjudged"] == 0
    assert metrics["num_trained"] > 0
    assert metrics["mismatch_kl/mean"] < 1e-6
    kept = [json.loads(line) for line in (settings.output / "rollouts.jsonl").read_text().splitlines()]
    assert all("[not sent] " in row["response"] for row in kept), "the thoughts can be read"
