"""The loop on the real client and the real (unisolated) sandbox: what the fakes promise, the client keeps."""

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
