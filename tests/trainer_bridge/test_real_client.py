"""The loop on the real client and the real (unisolated) sandbox: what the fakes promise, the client keeps."""

import json
from pathlib import Path

import pytest

from hub_client.client import Hub
from hub_client.commands.init import write_starter
from hub_client.settings import ClientSettings
from schemas.kinds import PackageKind
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
